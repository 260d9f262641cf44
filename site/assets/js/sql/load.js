// Reads columns of a Parquet file of this site into a table of the engine.
import { read } from "./parquet.js";

export async function load(sqlite, db, table, columns) {
  const found = await read(table.url, columns.map(({ name }) => name));
  const names = columns.map(({ name }) => quoted(name));
  db.exec(`DROP TABLE IF EXISTS ${quoted(table.name)};
    CREATE TABLE ${quoted(table.name)} (${columns.map(({ type }, i) => `${names[i]} ${type}`).join(", ")}); BEGIN`);
  const statement = db.prepare(`INSERT INTO ${quoted(table.name)} VALUES (${names.map(() => "?").join(", ")})`);
  try {
    fill(sqlite, db, statement, columns.map(({ name }) => found[name]), table.rows);
  } finally {
    statement.finalize();
    db.exec("COMMIT");
  }
}

// Most texts repeat: each is copied to the engine once and bound by its address, which is ten times faster.
function fill({ capi, wasm }, db, { pointer }, columns, rows) {
  const texts = new Map(), call = wasm.exports;
  const bind = (at, value) => {
    if (value === null || value === undefined) call.sqlite3_bind_null(pointer, at);
    else if (typeof value === "string") {
      if (!texts.has(value)) texts.set(value, wasm.allocCString(value, true));
      call.sqlite3_bind_text(pointer, at, ...texts.get(value), capi.SQLITE_STATIC);
    } else if (typeof value === "number" && !Number.isSafeInteger(value)) call.sqlite3_bind_double(pointer, at, value);
    else call.sqlite3_bind_int64(pointer, at, BigInt(value));
  };
  try {
    for (let row = 0; row < rows; row++) {
      for (let at = 0; at < columns.length; at++) bind(at + 1, columns[at][row]);
      const code = call.sqlite3_step(pointer);
      call.sqlite3_reset(pointer);
      if (code !== capi.SQLITE_DONE) throw new Error(capi.sqlite3_errmsg(db));
    }
  } finally {
    for (const [address] of texts.values()) wasm.dealloc(address);
  }
}

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
