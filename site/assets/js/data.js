// The page of downloads: tables as CSV, made here from Parquet.
import "./copy.js";
import { csv } from "./csv.js";
import { save } from "./save.js";
import { read } from "./sql/parquet.js";

async function spreadsheet(url) {
  const found = await read(url);
  const columns = Object.keys(found);
  return csv({ columns, rows: found[columns[0]].map((_, row) => columns.map((name) => found[name][row] ?? null)) });
}

for (const button of document.querySelectorAll("button.spreadsheet")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      save(await spreadsheet(button.value), button.value.split("/").pop().replace(/parquet$/, "csv"));
    } catch (error) {
      button.textContent = `Failed: ${error.message}`;
    }
  });
}
