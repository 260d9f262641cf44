// A chart of an answer: a dot per row, one column of numbers over one of names. Dots are never added up, as bars would be.
import { embedded } from "../chart.js";
import { isNumeric } from "./result.js";

const MOST = 200, COLOURS = 10, LONGEST = 60;
const short = (value) => { const words = String(value); return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words; };

// Columns that can name a dot, and columns that can place it.
export function drawable({ columns, rows }) {
  const every = columns.map((_, at) => at).filter((at) => rows.some((row) => row[at] !== null));
  return { labels: every.filter((at) => !isNumeric(rows, at)), values: every.filter((at) => isNumeric(rows, at)) };
}

// Draws the first rows and returns what to say of those that are left out.
export async function drawResult(place, { columns, rows }, { label, value, group }, config) {
  const drawn = rows.filter((row) => typeof row[value] === "number").slice(0, MOST);
  const values = drawn.map((row) => ({ label: short(row[label] ?? "–"), value: row[value], group: group === null ? "" : short(row[group] ?? "–") }));
  const groups = [...new Set(values.map((row) => row.group))];
  const channel = (field, at, type) => ({ field, type, title: short(columns[at]) });
  const encoding = {
    x: { ...channel("value", value, "quantitative"), scale: { zero: values.every((row) => row.value >= 0), nice: true } },
    y: { ...channel("label", label, "nominal"), sort: null, axis: { labelColor: "var(--ink)", labelLimit: 260, grid: true } },
    tooltip: [channel("label", label, "nominal"), channel("value", value, "quantitative")],
    color: { value: "var(--s1)" },
  };
  if (group !== null) {
    encoding.tooltip.push(channel("group", group, "nominal"));
    if (groups.length <= COLOURS) {
      encoding.color = { ...channel("group", group, "nominal"), scale: { domain: groups, range: groups.map((_, at) => `var(--s${at + 1})`) } };
      encoding.shape = { ...channel("group", group, "nominal"), scale: { domain: groups } };
    }
  }
  await embedded(place, { data: { values }, width: 560, height: { step: 20 }, mark: { type: "point", filled: true, size: 55, opacity: 0.85 }, encoding, config });
  return rows.length > drawn.length ? `${drawn.length} of ${rows.length} rows are drawn.` : "";
}
