// The columns of a comparison: how each is read from the data, sorted, shown and written to CSV.
import { MISSING, interval, number, ratio, stepped } from "./numbers.js";

export const VERDICTS = { better: ["▼", "beaten by the best", "worse"], slightly_better: ["▽", "slightly behind the best", "worse"], equivalent: ["=", "equivalent to the best", "equivalent"],
  undecided: ["?", "inconclusive compared with the best", "undecided"] };
export const MARKS = [["noisy", "∿", "Background load during at least one sample"],
  ["unstable", "↔", "The interval is wider than the profile allows"],
  ["short", "⌊", "Below the resolution, counted as the minimum: the ratio is a bound"]];

const slug = (text) => text.replace(/[^A-Za-z0-9._-]+|^\.+$/g, "-").replace(/^-+|-+$/g, "");
export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// Ratios are sent in hundredths.
const hundredths = (count) => (count === null ? null : count / 100);

// One row as an object, made only for rows that are shown or saved.
export function row(data, i, { unit, kind }) {
  const group = data.groups[data.group[i]], subject = data.subjects[data.subject[i]];
  const usual = `${group.start}${slug(subject.name + group.end)}/`;
  return {
    i, group, subject, status: data.statuses[data.status[i]], n: data.n[i], median: data.median[i], tier: data.tier[i],
    low: stepped(data.median[i], data.low[i], unit, kind), high: stepped(data.median[i], data.high[i], unit, kind),
    ratio: hundredths(data.ratio[i]), ratioLow: hundredths(data.ratio_low[i]), ratioHigh: hundredths(data.ratio_high[i]),
    bound: data.bounds?.[i] ?? 0, verdict: data.verdict[i] === null ? null : data.verdicts[data.verdict[i]],
    marks: MARKS.filter((_, bit) => data.marks[i] & (1 << bit)), path: i in data.paths ? data.paths[i] : usual,
  };
}

function subject(r, context) {
  const shape = context.shapes[r.subject.shape];
  const name = `<span class="subject"><svg class="swatch s${r.subject.colour}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">${shape}</svg>${escape(r.subject.name).replace(/[+@]/g, "<wbr>$&")}</span>`;
  return r.path ? `<a href="${context.root}${escape(r.path)}">${name}</a>` : name;
}

function verdict(name) {
  if (!name) return "";
  const [sign, words, kind] = VERDICTS[name];
  return ` <span class="v v-${kind}" title="${words}"><span aria-hidden="true">${sign}</span><span class="visually-hidden"> ${words}</span></span>`;
}

// The ratio and its interval on a logarithmic line that spans the unfiltered table; the vertical line marks 1. An arrow
// marks an end outside the line.
function forest(r, context) {
  const span = Math.log(context.most) - Math.log(context.least);
  const x = (value) => (8 + 184 * (Math.log(Math.min(Math.max(value, context.least), context.most)) - Math.log(context.least)) / span).toFixed(1);
  const line = r.ratioLow === null ? "" : `<line x1="${x(r.ratioLow)}" x2="${x(r.ratioHigh)}" y1="12" y2="12"/>`;
  const low = r.ratioLow !== null && r.ratioLow < context.least ? '<path d="M0 12l8-5v10z"/>' : "";
  const high = r.ratioHigh !== null && r.ratioHigh > context.most ? '<path d="M200 12l-8-5v10z"/>' : "";
  const label = r.ratioLow === null ? "" : `${interval(r.ratioLow, r.ratioHigh, 1, "1")}${low || high ? ", beyond the chart" : ""}`;
  return `<svg class="s${r.subject.colour}" viewBox="0 0 200 24" preserveAspectRatio="none" aria-hidden="true"><line class="base" x1="${x(1)}" x2="${x(1)}" y1="0" y2="24"/>${line}${low}${high}<circle cx="${x(r.ratio)}" cy="12" r="4.5"/></svg><span class="visually-hidden">${label}</span>`;
}

// Speeds of different machines are not comparable: those of a study are hidden if rows of other sources are shown.
const hidden = (r, c) => c.mixed && r.group.source !== "measured" && r.status === "ok";
const ONLY_RATIO = '<td class="num"><span class="aside">ratio only</span></td>';

// key -> {cell: HTML, sort: column of the data or function, num}
export const COLUMNS = {
  library: { cell: (r, c) => `<td><a href="${c.root}${escape(r.group.page)}">${escape(r.group.title)}</a></td>`, sort: (d, i) => d.groups[d.group[i]].title },
  subject: { cell: (r, c) => `<th scope="row">${subject(r, c)}</th>`, sort: (d, i) => d.subjects[d.subject[i]].name },
  median: { cell: (r, c) => (hidden(r, c) ? ONLY_RATIO : r.status === "ok" ? `<td class="num"><b>${escape(number(r.median, c.unit, c.kind))}</b></td>` : `<td><span class="status ${escape(r.status)}">${escape(r.status)}</span></td>`), sort: (d, i) => d.median[i] },
  interval: { cell: (r, c) => (hidden(r, c) ? `<td class="num">${MISSING}</td>` : `<td class="num">${interval(r.low, r.high, r.median, c.unit, c.kind)}${c.mixed_intervals && r.low !== null && r.n < c.range ? ' <span class="aside">range</span>' : ""}</td>`) },
  n: { cell: (r) => `<td class="num">${r.n || MISSING}</td>`, sort: (d, i) => d.n[i] },
  ratio: { cell: (r) => `<td class="num">${[ratio(r.ratio), `${r.ratio < 1 ? "≤" : "≥"} ${ratio(r.ratio)}`, "too short", MISSING][r.bound]}</td>`, sort: (d, i) => d.ratio[i] },
  forest: { cell: (r, c) => (r.ratio === null ? `<td class="plot">${MISSING}</td>` : `<td class="plot">${forest(r, c)}</td>`) },
  tier: { cell: (r) => `<td class="num">${r.tier ?? MISSING}${verdict(r.verdict)}</td>`, sort: (d, i) => d.tier[i] },
  marks: { cell: (r) => `<td>${r.marks.map(([name, sign, title]) => `<span class="mark ${name === "unstable" ? "wide" : name}" title="${title}">${sign}<span class="visually-hidden"> ${name}</span></span>`).join(" ")}</td>` },
};

const CSV = ["source", "testbed", "family", "library", "setting", "status", "n", "median", "unit", "low", "high", "ratio_to_best", "ratio_low", "ratio_high", "tier", "verdict", "marks"];
const short = (value) => (value === null ? "" : String(Number(value.toPrecision(10))));
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// The chosen rows as CSV, in the precision of the table; the data page offers full precision.
export function csv(data, chosen, context) {
  const lines = chosen.map((i) => {
    const r = row(data, i, context);
    return [r.group.source, r.group.testbed, r.group.family, r.group.library, r.subject.name, r.status, r.n, short(r.median), context.unit, short(r.low), short(r.high),
      short(r.ratio), short(r.ratioLow), short(r.ratioHigh), r.tier ?? "", r.verdict ?? "", r.marks.map(([name]) => name).join(" ")].map((v) => quoted(String(v))).join(",");
  });
  return [CSV.join(","), ...lines].join("\n") + "\n";
}
