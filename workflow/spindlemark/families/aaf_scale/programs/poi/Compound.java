import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.poi.Version;
import org.apache.poi.poifs.filesystem.DirectoryEntry;
import org.apache.poi.poifs.filesystem.DocumentEntry;
import org.apache.poi.poifs.filesystem.DocumentInputStream;
import org.apache.poi.poifs.filesystem.Entry;
import org.apache.poi.poifs.filesystem.POIFSFileSystem;

/** Compound files by Apache POI. Words of the command line and form of a tree are those of containers/__init__.py. */
final class Compound {
    private static final int CHUNK = 65536;
    private static final int DEEPEST = 512;
    private static long streams;
    private static long bytes;

    private static void report(long begun) throws IOException {
        double seconds = (System.nanoTime() - begun) / 1e9;
        long kib = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                kib = Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        System.out.printf(Locale.ROOT, "{\"seconds\": %.6f, \"streams\": %d, \"bytes\": %d, \"peak_bytes\": %d}%n",
            seconds, streams, bytes, 1024 * kib);
    }

    private static void write(String tree, String target, String sector) throws IOException {
        if (!sector.equals("512")) {
            throw new IOException("POI writes sectors of 512 bytes alone");
        }
        byte[] data = Files.readAllBytes(Path.of(tree));
        long begun = System.nanoTime();
        try (POIFSFileSystem file = new POIFSFileSystem(); OutputStream out = new FileOutputStream(target)) {
            Map<String, DirectoryEntry> storages = new HashMap<>();
            storages.put("", file.getRoot());
            int at = 0;
            while (at < data.length) {
                int stop = at;
                while (data[stop] != '\n') {
                    stop++;
                }
                String line = new String(data, at, stop - at, StandardCharsets.UTF_8);
                at = stop + 1;
                boolean storage = line.startsWith("D ");
                int space = storage ? 1 : line.indexOf(' ', 2);
                String path = line.substring(space + 1);
                int last = path.lastIndexOf('/');
                DirectoryEntry within = storages.get(last < 0 ? "" : path.substring(0, last));
                if (storage) {
                    storages.put(path, within.createDirectory(path.substring(last + 1)));
                } else {
                    int size = Integer.parseInt(line.substring(2, space));
                    within.createDocument(path.substring(last + 1), new ByteArrayInputStream(data, at, size));
                    at += size;
                    streams++;
                    bytes += size;
                }
            }
            file.writeFilesystem(out);
        }
        report(begun);
    }

    private static void visit(DirectoryEntry storage, String path, OutputStream dump, int depth) throws IOException {
        if (depth > DEEPEST) {
            throw new IOException(path + ": deeper than " + DEEPEST + " storages");
        }
        byte[] chunk = new byte[CHUNK];
        for (Entry entry : storage) {
            String own = path.isEmpty() ? entry.getName() : path + "/" + entry.getName();
            if (entry instanceof DirectoryEntry) {
                line(dump, "D " + own);
                visit((DirectoryEntry) entry, own, dump, depth + 1);
                continue;
            }
            line(dump, "S " + ((DocumentEntry) entry).getSize() + " " + own);
            try (InputStream in = new DocumentInputStream((DocumentEntry) entry)) {
                for (int size = in.read(chunk); size > 0; size = in.read(chunk)) {
                    if (dump != null) {
                        dump.write(chunk, 0, size);
                    }
                    bytes += size;
                }
            }
            streams++;
        }
    }

    private static void line(OutputStream dump, String text) throws IOException {
        if (dump != null) {
            dump.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void read(String source, String tree) throws IOException {
        long begun = System.nanoTime();
        try (OutputStream dump = tree == null ? null : new BufferedOutputStream(new FileOutputStream(tree));
                POIFSFileSystem file = new POIFSFileSystem(new File(source), true)) {
            visit(file.getRoot(), "", dump, 0);
        }
        report(begun);
    }

    public static void main(String[] words) {
        String asked = words.length == 0 ? "" : words[0];
        try {
            if (asked.equals("write") && words.length == 4) {
                write(words[1], words[2], words[3]);
            } else if (asked.equals("read") && (words.length == 2 || words.length == 3)) {
                read(words[1], words.length == 3 ? words[2] : null);
            } else if (asked.equals("version")) {
                System.out.println(Version.getVersion());
            } else {
                throw new IOException("usage: Compound write TREE FILE SECTOR | read FILE [TREE] | version");
            }
        } catch (IOException | RuntimeException error) {
            System.err.println(error);
            System.exit(1);
        }
    }
}
