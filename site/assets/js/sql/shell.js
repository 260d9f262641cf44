// The tables that a query may use: those whose names are words of it.
export function named(query, tables) {
  const words = new Set(query.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]*/gu));
  return tables.filter(({ name }) => words.has(name));
}

// The same query for a shell: a here-document without expansion, for a duckdb that can only reach its tables. Null if a line
// could be a command of duckdb or of the terminal, because a query may come from an untrusted link.
export function shellCommand(query, tables) {
  const text = query.trim().replace(/\s*;\s*$/, "");
  if (/^\s*\./m.test(text) || /[^\P{Cc}\n\t]/u.test(text)) return null;
  let end = "SQL";
  while (text.split("\n").includes(end)) end += "_";
  return [`duckdb <<'${end}'`,
    ...named(text, tables).map(({ name, file }) => `CREATE TABLE ${name} AS FROM '${file}';`),
    "SET enable_external_access = false;", text, ";", end].join("\n");
}
