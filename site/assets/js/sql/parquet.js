// Reads columns of a Parquet file of this site.
import { decompress } from "./engine/fzstd/index.js";
import { parquetMetadata, parquetRead, parquetSchema } from "./engine/hyparquet/index.js";

const COMPRESSORS = { ZSTD: (bytes, length) => decompress(bytes, new Uint8Array(length)) };
const PARSERS = { timestampFromMicroseconds: written };
const files = new Map(); // address -> bytes, for further columns

// The columns by name, as arrays of values; all of the file without `names`.
export async function read(url, names) {
  if (!files.has(url)) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: the server answered ${answer.status}`);
    files.set(url, await answer.arrayBuffer());
  }
  const file = files.get(url);
  const columns = names ?? parquetSchema(parquetMetadata(file)).children.map(({ element }) => element.name);
  const found = Object.fromEntries(columns.map((name) => [name, []]));
  await parquetRead({ file, columns, compressors: COMPRESSORS, parsers: PARSERS,
    onChunk: ({ columnName, columnData, rowStart }) => { for (let i = 0; i < columnData.length; i++) found[columnName][rowStart + i] = columnData[i]; } });
  return found;
}

// Microseconds since 1970 as DuckDB writes them.
function written(micros) {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19).replace("T", " ");
  const part = String(micros % 1000000n).padStart(6, "0").replace(/0+$/, "");
  return part ? `${seconds}.${part}` : seconds;
}
