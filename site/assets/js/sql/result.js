// A result as table and as CSV. Every value is foreign text: it is set as text, never as HTML.
import { MISSING } from "../numbers.js";

const SHOWN = 500, LONGEST = 300, SHORT = 24, DIGITS = 6; // rows of the table, characters of a cell and of one line, digits

export function fillTable(table, { columns, rows }) {
  const head = document.createElement("tr");
  columns.forEach((name, at) => head.append(cell("th", name, isNumeric(rows, at), { scope: "col" })));
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...rows.slice(0, SHOWN).map((row) => {
    const line = document.createElement("tr");
    row.forEach((value, at) => line.append(cell("td", text(value), isNumeric(rows, at))));
    return line;
  }));
}

function cell(kind, words, numeric, more = {}) {
  const made = Object.assign(document.createElement(kind), more);
  made.textContent = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
  made.classList.toggle("num", numeric);
  made.classList.toggle("long", words.length > SHORT);
  return made;
}

const text = (value) => (value === null ? MISSING : String(typeof value === "number" ? rounded(value) : value));

// A fraction, rounded without losing digits before the point.
function rounded(value) {
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  return Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(Math.min(Math.max(DIGITS, before), 17)));
}

// Whether a column contains numbers, by its first value.
export function isNumeric(rows, at) {
  return typeof rows.find((row) => row[at] !== null)?.[at] === "number";
}
