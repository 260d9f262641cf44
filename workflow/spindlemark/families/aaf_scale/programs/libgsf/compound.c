/* Compound files by libgsf. Words of the command line and form of a tree are those of containers/__init__.py. */
#include <gsf/gsf.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 65536, DEEPEST = 512, SMALL_SECTOR = 64 };

static guint64 streams, bytes;

static void
fail (char const *what, GError *error)
{
	fprintf (stderr, "%s: %s\n", what, error ? error->message : "libgsf gives no reason");
	exit (1);
}

static long
peak_kib (void)
{
	char line[256];
	long kib = 0;
	FILE *status = fopen ("/proc/self/status", "r");
	while (status && fgets (line, sizeof line, status))
		if (sscanf (line, "VmHWM: %ld", &kib) == 1)
			break;
	if (status)
		fclose (status);
	return kib;
}

static void
report (gint64 begun)
{
	printf ("{\"seconds\": %.6f, \"streams\": %" G_GUINT64_FORMAT ", ", (g_get_monotonic_time () - begun) / 1e6, streams);
	printf ("\"bytes\": %" G_GUINT64_FORMAT ", \"peak_bytes\": %ld}\n", bytes, 1024 * peak_kib ());
}

/* The storage that a path lies in; its name begins at *name. */
static GsfOutfile *
parent (GHashTable *storages, char *path, char const **name)
{
	char *last = strrchr (path, '/');
	GsfOutfile *found;
	*name = last ? last + 1 : path;
	if (last)
		*last = 0;
	found = g_hash_table_lookup (storages, last ? path : "");
	if (last)
		*last = '/';
	if (!found)
		fail (path, NULL);
	return found;
}

static void
put (GHashTable *storages, GPtrArray *order, char *path, gboolean storage, guint8 const *data, gsize size)
{
	char const *name;
	GsfOutfile *within = parent (storages, path, &name);
	GsfOutput *made = gsf_outfile_new_child (within, name, storage);
	if (!made || (!storage && size && !gsf_output_write (made, size, data)))
		fail (path, made ? (GError *) gsf_output_error (made) : NULL);
	if (storage) {
		g_hash_table_insert (storages, g_strdup (path), made);
		g_ptr_array_add (order, made);
		return;
	}
	if (!gsf_output_close (made))
		fail (path, (GError *) gsf_output_error (made));
	g_object_unref (made);
	streams++, bytes += size;
}

static void
write_tree (char const *tree, char const *target, guint sector)
{
	GError *error = NULL;
	char *data, *at, *end;
	gsize length;
	gint64 begun;
	GHashTable *storages = g_hash_table_new (g_str_hash, g_str_equal);
	GPtrArray *order = g_ptr_array_new ();
	GsfOutput *sink;
	GsfOutfile *root;

	if (!g_file_get_contents (tree, &data, &length, &error))
		fail (tree, error);
	begun = g_get_monotonic_time ();
	if (!(sink = gsf_output_stdio_new (target, &error)))
		fail (target, error);
	root = gsf_outfile_msole_new_full (sink, sector, SMALL_SECTOR);
	g_hash_table_insert (storages, "", root);
	for (at = data, end = data + length; at < end;) {
		char *line = at, *stop = memchr (at, '\n', end - at);
		*stop = 0;
		at = stop + 1;
		if (line[0] == 'D')
			put (storages, order, line + 2, TRUE, NULL, 0);
		else {
			char *path;
			gsize size = g_ascii_strtoull (line + 2, &path, 10);
			put (storages, order, path + 1, FALSE, (guint8 const *) at, size);
			at += size;
		}
	}
	while (order->len) /* the last ones first: what lies within before that in which it lies */
		if (!gsf_output_close (g_ptr_array_remove_index (order, order->len - 1)))
			fail (target, NULL);
	if (!gsf_output_close (GSF_OUTPUT (root))) /* it closes the sink too */
		fail (target, (GError *) gsf_output_error (sink));
	report (begun);
}

static void
visit (GsfInfile *storage, char const *path, FILE *dump, int depth)
{
	int n, count = gsf_infile_num_children (storage);
	if (depth > DEEPEST)
		fail (path, NULL);
	for (n = 0; n < count; n++) {
		GsfInput *child = gsf_infile_child_by_index (storage, n);
		char *own;
		if (!child)
			fail (path, NULL);
		own = g_strconcat (path, *path ? "/" : "", gsf_input_name (child), NULL);
		if (GSF_IS_INFILE (child) && gsf_infile_num_children (GSF_INFILE (child)) >= 0) {
			if (dump)
				fprintf (dump, "D %s\n", own);
			visit (GSF_INFILE (child), own, dump, depth + 1);
		} else {
			gsf_off_t left = gsf_input_size (child);
			if (dump)
				fprintf (dump, "S %" GSF_OFF_T_FORMAT " %s\n", left, own);
			while (left > 0) {
				gsize part = MIN (left, CHUNK);
				guint8 const *data = gsf_input_read (child, part, NULL);
				if (!data)
					fail (own, NULL);
				if (dump)
					fwrite (data, 1, part, dump);
				left -= part, bytes += part;
			}
			streams++;
		}
		g_free (own);
		g_object_unref (child);
	}
}

static void
read_file (char const *source, char const *tree)
{
	GError *error = NULL;
	FILE *dump = tree ? fopen (tree, "wb") : NULL;
	gint64 begun = g_get_monotonic_time ();
	GsfInput *input = gsf_input_stdio_new (source, &error);
	GsfInfile *file = input ? gsf_infile_msole_new (input, &error) : NULL;
	if (!file)
		fail (source, error);
	visit (file, "", dump, 0);
	if (dump && fclose (dump))
		fail (tree, NULL);
	report (begun);
}

int
main (int argc, char **argv)
{
	setlocale (LC_ALL, "");
	gsf_init ();
	if (argc == 5 && !strcmp (argv[1], "write"))
		write_tree (argv[2], argv[3], atoi (argv[4]));
	else if (argc >= 3 && argc <= 4 && !strcmp (argv[1], "read"))
		read_file (argv[2], argc == 4 ? argv[3] : NULL);
	else if (argc == 2 && !strcmp (argv[1], "version"))
		printf ("%d.%d.%d\n", libgsf_major_version, libgsf_minor_version, libgsf_micro_version);
	else
		return fprintf (stderr, "usage: %s write TREE FILE SECTOR | read FILE [TREE] | version\n", argv[0]), 2;
	return 0;
}
