// The tables that a query may mean: every word of it that is the name of one.
export function named(query, tables) {
  const words = new Set(query.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]*/gu));
  return tables.filter(({ name }) => words.has(name));
}

// The same query for the shell: a here-document that no shell expands, in a duckdb that can reach nothing but its tables. Null
// where a line could be a command of duckdb's own or of a terminal: a query may come from somebody else's link.
export function shellCommand(query, tables) {
  const text = query.trim().replace(/\s*;\s*$/, "");
  if (/^\s*\./m.test(text) || /[^\P{Cc}\n\t]/u.test(text)) return null;
  let end = "SQL";
  while (text.split("\n").includes(end)) end += "_";
  return [`duckdb <<'${end}'`,
    ...named(text, tables).map(({ name, file }) => `CREATE TABLE ${name} AS FROM '${file}';`),
    "SET enable_external_access = false;", text, ";", end].join("\n");
}
