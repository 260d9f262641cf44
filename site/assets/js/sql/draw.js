// A chart of a result: one dot per row, with one column of numbers and one of names. Unlike bars, dots are never added up.
import { embedded } from "../chart.js";
import { isNumeric } from "./result.js";

const MOST = 200, COLOURS = 10, LONGEST = 60;
const WIDEST = 900, NARROWEST = 300, STEP = 20, ENTRY = 170, LETTER = 7; // pixels: chart, line, entry of its legend
const ABOVE = { titleAngle: 0, titleAlign: "right", titleBaseline: "bottom", titleX: -6, titleY: -6 }; // names of any width have room below
const short = (value) => { const words = String(value); return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words; };

// Columns that can name a dot, and columns that can place it.
export function drawable({ columns, rows }) {
  const every = columns.map((_, at) => at).filter((at) => rows.some((row) => row[at] !== null));
  return { labels: every.filter((at) => !isNumeric(rows, at)), values: every.filter((at) => isNumeric(rows, at)) };
}

// Long names keep both ends, because the end often distinguishes experiments.
function middleCut(letters) {
  const half = Math.floor((letters - 1) / 2);
  return `length(datum.label) > ${2 * half + 1} ? slice(datum.label, 0, ${half}) + "…" + slice(datum.label, -${half}) : datum.label`;
}

// Draws the first rows and returns a note on those that are left out.
export async function drawResult(place, { columns, rows }, { label, value, group }, config) {
  const drawn = rows.filter((row) => typeof row[value] === "number").slice(0, MOST);
  const values = drawn.map((row) => ({ label: short(row[label] ?? "–"), value: row[value], group: group === null ? "" : short(row[group] ?? "–") }));
  const groups = [...new Set(values.map((row) => row.group))];
  const channel = (field, at, type) => ({ field, type, title: short(columns[at]) });
  const width = Math.max(NARROWEST, Math.min(WIDEST, place.clientWidth));
  const legend = { orient: "top", columns: Math.floor(width / ENTRY), labelColor: "var(--ink)", titleColor: "var(--ink-2)", labelFontSize: 11.5, titleFontSize: 11.5, titleFontWeight: "normal" };
  const encoding = {
    x: { ...channel("value", value, "quantitative"), scale: { zero: values.every((row) => row.value >= 0), nice: true } },
    y: { ...channel("label", label, "nominal"), sort: null, axis: { ...ABOVE, labelColor: "var(--ink)", labelExpr: middleCut(0.4 * width / LETTER), labelLimit: 0, grid: true } },
    tooltip: [channel("label", label, "nominal"), channel("value", value, "quantitative")],
    color: { value: "var(--s1)" },
  };
  if (group !== null) {
    encoding.tooltip.push(channel("group", group, "nominal"));
    if (groups.length <= COLOURS) {
      encoding.color = { ...channel("group", group, "nominal"), legend, scale: { domain: groups, range: groups.map((_, at) => `var(--s${at + 1})`) } };
      encoding.shape = { ...channel("group", group, "nominal"), legend, scale: { domain: groups } };
    }
  }
  await embedded(place, { data: { values }, width, height: STEP * new Set(values.map((row) => row.label)).size, autosize: { type: "fit-x", contains: "padding" }, mark: { type: "point", filled: true, size: 55, opacity: 0.85 }, encoding, config });
  return rows.length > drawn.length ? `${drawn.length} of ${rows.length} rows are drawn.` : "";
}
