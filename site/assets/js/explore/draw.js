// The chart of the shown rows: ratios, bars, a scatter plot or a heatmap, from the templates of explore_charts.py.
import { embedded } from "../chart.js";
import { interval, number, ratio } from "../numbers.js";
import { VERDICTS } from "./cells.js";

export const VIEWS = ["table", "ratios", "bars", "scatter", "heatmap"];
const POINTS = 200, MARGIN = 1.04, LABELS = 260; // most points, room at the ends of an axis, pixels of labels
const AXIS = "ratio to the best of the workload (logarithmic; arrows mark intervals that are cut)";
let templates = null;

const unitOf = ({ title, unit }) => (unit === "1" ? title : `${title}, ${unit}`);

function point(row, context, [first, second]) {
  const [r, other] = row.cells;
  const { least, most } = context;
  const low = r.ratioLow ?? r.ratio, high = r.ratioHigh ?? r.ratio;
  return {
    row: row.i, library: row.group.title, setting: row.subject.name, ratio: r.ratio, low, high, ratio_text: r.ratio === null ? "" : ratio(r.ratio),
    verdict: r.verdict ?? "", sign: VERDICTS[r.verdict]?.[0] ?? "", from: Math.max(low, least), to: Math.min(high, most), cut_low: low < least, cut_high: high > most,
    median: r.median, median_low: r.low ?? r.median, median_high: r.high ?? r.median,
    text: number(r.median, first.unit, first.kind), range: interval(r.low, r.high, r.median, first.unit, first.kind),
    ...(second ? { across: other.median, across_text: number(other.median, second.unit, second.kind) } : {}),
  };
}

// Per workload the points that no other beats in both metrics, from one end of the line to the other.
function front(points, [first, second]) {
  const cost = (value, { better }) => (better === "higher" ? -value : value);
  const beats = (a, b) => {
    const [x, y] = [cost(a.across, second) - cost(b.across, second), cost(a.median, first) - cost(b.median, first)];
    return x <= 0 && y <= 0 && (x < 0 || y < 0);
  };
  return points.filter((p) => !points.some((q) => q.library === p.library && beats(q, p)))
    .sort((a, b) => a.across - b.across).map((p, order) => ({ ...p, order }));
}

function filled(view, points, context, metrics) {
  const looks = [...new Map(context.rows.map(({ subject }) => [subject.name, subject])).values()].filter(({ name }) => points.some((p) => p.setting === name));
  const values = {
    '["$order"]': looks.map(({ name }) => name), '["$colours"]': looks.map(({ colour }) => `var(--s${colour})`), '["$shapes"]': looks.map(({ shape }) => shape),
    '["$least","$most"]': [context.least / MARGIN, context.most * MARGIN], '"$title"': view === "ratios" ? AXIS : unitOf(metrics[0]), '"$across"': unitOf(metrics[1] ?? metrics[0]),
  };
  let text = JSON.stringify(templates[view]);
  for (const [placeholder, value] of Object.entries(values)) text = text.replaceAll(placeholder, JSON.stringify(value));
  const step = Math.max(26, Math.min(looks.length, 12) * 10);
  const size = view === "scatter" ? { height: 420 } : view === "heatmap" ? { height: { step: 26 } } : { height: { step, for: "position" } };
  return { ...JSON.parse(text), ...size, width: Math.max(240, context.width - LABELS), datasets: { rows: points, ...(view === "scatter" ? { front: front(points, metrics) } : {}) } };
}

// What a view cannot show, in words; empty where it can.
export function refusal(view, metrics, rows, mixed) {
  if (!rows.length) return "No row matches the filter.";
  if (view === "scatter" && metrics.length < 2) return "A scatter plot needs two metrics: add one.";
  if (mixed && (view === "bars" || view === "scatter")) return "Times of different machines are not comparable: choose one source, or see the ratios.";
  if (["ratios", "heatmap"].includes(view) && !rows.some(({ cells }) => cells[0]?.ratio != null)) return "These results have no ratios: choose bars.";
  return "";
}

// Draws the rows; returns the Vega view and how many rows it shows.
export async function draw(place, view, rows, metrics, context) {
  templates ??= await (await fetch(`${context.root}explore/charts.json`)).json();
  const able = (row) => row.cells[0]?.median != null && (view !== "scatter" || row.cells[1]?.median != null) && (!["ratios", "heatmap"].includes(view) || row.cells[0].ratio !== null);
  const points = rows.filter(able).slice(0, POINTS).map((row) => point(row, context, metrics));
  return { chart: await embedded(place, filled(view, points, { ...context, rows, width: place.clientWidth }, metrics)), shown: points.length, able: rows.filter(able).length };
}
