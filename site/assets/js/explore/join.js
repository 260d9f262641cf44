// Results of several metrics side by side: a row per group and configuration.
import { MARKS } from "./cells.js";
import { stepped } from "../numbers.js";
import { unpack } from "../unpack.js";

const loaded = new Map();
const slug = (text) => text.replace(/[^A-Za-z0-9._-]+|^\.+$/g, "-").replace(/^-+|-+$/g, "");
const hundredths = (count) => (count === null ? null : count / 100); // ratios are sent in hundredths

// The columns of a metric, fetched once.
export function load(root, { metric, columns }) {
  if (!loaded.has(metric)) loaded.set(metric, unpack(root + columns).then((answer) => answer.json()));
  return loaded.get(metric);
}

// The result of row `i` of the columns as an object.
function cell(data, i, { unit, kind }) {
  const group = data.groups[data.group[i]], subject = data.subjects[data.subject[i]];
  const usual = `${group.start}${slug(subject.name + group.end)}/`;
  return {
    group, subject, status: data.statuses[data.status[i]], n: data.n[i], median: data.median[i], tier: data.tier[i],
    low: stepped(data.median[i], data.low[i], unit, kind), high: stepped(data.median[i], data.high[i], unit, kind),
    ratio: hundredths(data.ratio[i]), ratioLow: hundredths(data.ratio_low[i]), ratioHigh: hundredths(data.ratio_high[i]),
    bound: data.bounds?.[i] ?? 0, verdict: data.verdict[i] === null ? null : data.verdicts[data.verdict[i]],
    marks: MARKS.filter((_, bit) => data.marks[i] & (1 << bit)), path: i in data.paths ? data.paths[i] : usual,
  };
}

// Rows in the order of the first metric; `cells[k]` is the result under metric k or null, `first` that of the first that has one.
export function join(metrics, tables) {
  const rows = new Map();
  tables.forEach((data, k) => data.group.forEach((_, i) => {
    const found = cell(data, i, metrics[k]);
    const key = `${found.group.name}:${found.subject.name}`;
    if (!rows.has(key)) rows.set(key, { key, i: rows.size, group: found.group, subject: found.subject, first: found, cells: metrics.map(() => null) });
    rows.get(key).cells[k] ??= found;
  }));
  return [...rows.values()];
}
