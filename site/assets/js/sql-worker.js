// Answers SQL in a worker, so that ending the worker cancels the query. First message: {sqlite, tables}; then
// {query} each; answers are {reading: table}, {columns, rows, more, seconds} or {error, offset}.
import init from "./sql/engine/sqlite/index.js";
import { addFunctions } from "./sql/functions.js";
import { load } from "./sql/load.js";
import { named } from "./sql/shell.js";

const MEMORY = 512 << 20, LONGEST_VALUE = 16 << 20; // bytes
const MOST_ROWS = 20000, MOST_TEXT = 32 << 20; // of one result
const ASKS = /^(select|with|values)/i; // and not PRAGMA or EXPLAIN, which mean something else in DuckDB
const OUT_OF_MEMORY = `The query needs more than the ${MEMORY >> 20} MiB of memory available on this page.`;

let sqlite, db, tables, ready;
const held = new Map(); // table -> its columns that are in the database

async function start(message) {
  tables = message.tables;
  const quiet = () => {};
  globalThis.sqlite3ApiConfig = { warn: quiet, error: quiet, disable: { vfs: { kvvfs: true, opfs: true, "opfs-vfs": true, "opfs-sahpool": true, "opfs-wl": true } } };
  sqlite = await init({ locateFile: () => message.sqlite, print: quiet, printErr: quiet });
  db = new sqlite.oo1.DB(":memory:");
  db.exec(`PRAGMA hard_heap_limit = ${MEMORY}`);
  sqlite.capi.sqlite3_limit(db, sqlite.capi.SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
  addFunctions(sqlite, db);
}

// Reads the columns that a query may mean: every word of it that is a name, or all where it has a star.
async function provide(query) {
  const words = new Set(query.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]*/gu));
  const every = query.replace(/\bcount\s*\(\s*\*\s*\)/gi, "").includes("*") || words.has("natural");
  for (const table of named(query, tables)) {
    const wanted = table.columns.filter(({ name }) => every || words.has(name) || held.get(table.name)?.has(name));
    if (wanted.every(({ name }) => held.get(table.name)?.has(name)) && held.has(table.name)) continue;
    postMessage({ reading: table.name });
    held.delete(table.name);
    await load(sqlite, db, table, wanted.length ? wanted : table.columns.slice(0, 1));
    held.set(table.name, new Set(wanted.map(({ name }) => name)));
  }
}

function failed(message, offset = -1) {
  return Object.assign(new Error(message), { offset });
}

function prepared(query) {
  if (!bare(query)) throw failed("There is no query.");
  const statement = db.prepare(query);
  const { capi } = sqlite, whole = capi.sqlite3_sql(statement);
  if (bare(query.slice(whole.length))) {
    statement.finalize();
    throw failed("One query at a time: there is text after its end.", whole.length);
  }
  if (!statement.columnCount || !capi.sqlite3_stmt_readonly(statement) || !ASKS.test(bare(query))) {
    statement.finalize();
    throw failed("Only queries that read are supported: SELECT, WITH or VALUES.", 0);
  }
  return statement;
}

const bare = (text) => text.replace(/--.*|\/\*[^]*?(\*\/|$)|[\s;]/g, "");

function answer(query) {
  const statement = prepared(query);
  try {
    const kinds = Array.from({ length: statement.columnCount }, (_, i) => sqlite.capi.sqlite3_column_decltype(statement, i));
    const columns = statement.getColumnNames([]), rows = [];
    let text = 0, more = false;
    while (statement.step()) {
      more = rows.length >= MOST_ROWS || text > MOST_TEXT;
      if (more) break;
      const row = statement.get([]).map((value, i) => plain(value, kinds[i]));
      for (const value of row) text += typeof value === "string" ? value.length : 8;
      rows.push(row);
    }
    return { columns, rows, more };
  } finally {
    statement.finalize();
  }
}

function plain(value, kind) {
  if (value === null) return null;
  if (kind === "BOOLEAN") return Boolean(value);
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  return value instanceof Uint8Array ? `(${value.length} bytes)` : value;
}

// The engine counts bytes of UTF-8; a text field counts UTF-16.
function described(error, query) {
  if (error.offset !== undefined) return { error: error.message, offset: error.offset };
  const { capi } = sqlite;
  if (error.resultCode === capi.SQLITE_NOMEM || /out of memory/i.test(error.message)) return { error: OUT_OF_MEMORY, offset: -1 };
  const bytes = capi.sqlite3_error_offset(db);
  const offset = bytes < 0 ? -1 : new TextDecoder().decode(new TextEncoder().encode(query).slice(0, bytes)).length;
  const words = error.message.replace(/^SQLITE_\w+: (sqlite3 result code \d+: )?/, "");
  if (words === "incomplete input") return { error: "The query ends before it is complete.", offset: query.trimEnd().length };
  return { error: words + remedy(words, query), offset };
}

// Existing names, for an error about a missing table or column.
function remedy(words, query) {
  const names = (things) => things.map(({ name }) => name).join(", ");
  if (/^no such table/.test(words)) return `. There are ${names(tables)}.`;
  if (!/^no such column/.test(words)) return "";
  return named(query, tables).map(({ name, columns }) => `. ${name} has ${names(columns)}`).join("");
}

onmessage = async ({ data }) => {
  if (data.tables) ready = start(data);
  try {
    await ready;
    if (data.tables) return;
    const begun = performance.now();
    await provide(data.query);
    const found = answer(data.query);
    postMessage({ ...found, seconds: (performance.now() - begun) / 1000 });
  } catch (error) {
    postMessage(db ? described(error, data.query) : { error: `The engine did not start: ${error.message}`, offset: -1, broken: true });
  }
};
