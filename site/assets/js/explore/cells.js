// The columns of the table: how each is shown and sorted. A row has `cells`, one per chosen metric.
import { MISSING, interval, number, ratio } from "../numbers.js";

export const VERDICTS = { better: ["▼", "beaten by the best", "worse"], slightly_better: ["▽", "slightly behind the best", "worse"], equivalent: ["=", "equivalent to the best", "equivalent"],
  undecided: ["?", "inconclusive compared with the best", "undecided"] };
export const MARKS = [["noisy", "∿", "Background load during at least one sample"],
  ["unstable", "↔", "The interval is wider than the profile allows"],
  ["short", "⌊", "Below the resolution, counted as the minimum: the ratio is a bound"]];

export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// The ratio in words: exact, a bound, or too short to compare.
export const ratioText = (r) => [ratio(r.ratio), `${r.ratio < 1 ? "≤" : "≥"} ${ratio(r.ratio)}`, "too short", MISSING][r.bound];

// Speeds of different machines are not comparable: those of a study are hidden if rows of other sources are shown.
const hidden = (r, context) => context.mixed && r.group.source !== "measured" && r.status === "ok";
const ONLY_RATIO = '<span class="aside">ratio only</span>';
const status = (r) => `<span class="status ${escape(r.status)}">${escape(r.status)}</span>`;
const num = (html) => `<td class="num">${html}</td>`;

function name(row, context) {
  const shape = context.shapes[row.subject.shape];
  const shown = `<span class="subject"><svg class="swatch s${row.subject.colour}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">${shape}</svg>${escape(row.subject.name).replace(/[+@]/g, "<wbr>$&")}</span>`;
  return row.first.path ? `<a href="${context.root}${escape(row.first.path)}">${shown}</a>` : shown;
}

function verdict(found) {
  if (!found) return "";
  const [sign, words, kind] = VERDICTS[found];
  return ` <span class="v v-${kind}" title="${words}"><span aria-hidden="true">${sign}</span><span class="visually-hidden"> ${words}</span></span>`;
}

// The ratio and its interval on a logarithmic line that spans the unfiltered table; the vertical line marks 1. An arrow
// marks an end outside the line.
function forest(r, { least, most }) {
  const span = Math.log(most) - Math.log(least);
  const x = (value) => (8 + 184 * (Math.log(Math.min(Math.max(value, least), most)) - Math.log(least)) / span).toFixed(1);
  const line = r.ratioLow === null ? "" : `<line x1="${x(r.ratioLow)}" x2="${x(r.ratioHigh)}" y1="12" y2="12"/>`;
  const low = r.ratioLow !== null && r.ratioLow < least ? '<path d="M0 12l8-5v10z"/>' : "";
  const high = r.ratioHigh !== null && r.ratioHigh > most ? '<path d="M200 12l-8-5v10z"/>' : "";
  const label = r.ratioLow === null ? "" : `${interval(r.ratioLow, r.ratioHigh, 1, "1")}${low || high ? ", beyond the chart" : ""}`;
  return `<svg class="s${r.subject.colour}" viewBox="0 0 200 24" preserveAspectRatio="none" aria-hidden="true"><line class="base" x1="${x(1)}" x2="${x(1)}" y1="0" y2="24"/>${line}${low}${high}<circle cx="${x(r.ratio)}" cy="12" r="4.5"/></svg><span class="visually-hidden">${label}</span>`;
}

const median = (r, { unit, kind }, context) => (hidden(r, context) ? ONLY_RATIO : r.status === "ok" ? `<b>${escape(number(r.median, unit, kind))}</b>` : status(r));
const ends = (r, { unit, kind }, context) => (hidden(r, context) ? MISSING : `${interval(r.low, r.high, r.median, unit, kind)}${context.mixedIntervals && r.low !== null && r.n < context.range ? ' <span class="aside">range</span>' : ""}`);
const marks = (r) => r.marks.map(([kind, sign, title]) => `<span class="mark ${kind === "unstable" ? "wide" : kind}" title="${title}">${sign}<span class="visually-hidden"> ${kind}</span></span>`).join(" ");

// Of one metric every detail has a column.
const DETAILS = [
  ["median", "Median", (r, m, c) => num(median(r, m, c)), (r) => r.median],
  ["interval", "Interval", (r, m, c) => num(ends(r, m, c)), null],
  ["n", "n", (r) => num(r.n || MISSING), (r) => r.n],
  ["ratio", "Ratio to best", (r) => num(ratioText(r)), (r) => r.ratio],
  ["forest", "Ratio, interval", (r, m, c) => `<td class="plot">${r.ratio === null ? MISSING : forest(r, c)}</td>`, null],
  ["tier", "Tier", (r) => num(`${r.tier ?? MISSING}${verdict(r.verdict)}`), (r) => r.tier],
  ["marks", "Marks", (r) => `<td>${marks(r)}</td>`, null],
];

// Of several metrics each has one column: the median, and below it the interval and the ratio.
function summary(r, metric, context) {
  if (!r) return num(MISSING);
  if (r.status !== "ok") return num(status(r));
  const below = [ends(r, metric, context), r.ratio === null ? "" : ratioText(r)].filter((text) => text && text !== MISSING).join(" · ");
  return num(`${median(r, metric, context)}${verdict(r.verdict)} ${marks(r)}<br><span class="aside">${below}</span>`);
}

// Columns of the table: key, title, HTML of a row's cell, and the value to sort by or null.
export function columnsOf(metrics) {
  const own = metrics.length > 1
    ? metrics.map((metric, k) => ({ key: metric.metric, title: metric.title, num: true, html: (row, c) => summary(row.cells[k], metric, c), value: (row) => row.cells[k]?.median ?? null }))
    : DETAILS.map(([key, title, html, value]) => ({ key, title, num: key !== "marks" && key !== "forest", html: (row, c) => html(row.first, metrics[0], c), value: value && ((row) => value(row.first)) }));
  return [
    { key: "pin", title: "Pin", html: (row, c) => `<td><input type="checkbox" class="pin" aria-label="Pin ${escape(row.subject.name)}, ${escape(row.group.title)}"${c.pinned.has(row.key) ? " checked" : ""}></td>`, value: null },
    { key: "library", title: "Workload", html: (row, c) => `<td><a href="${c.root}${escape(row.group.page)}">${escape(row.group.title)}</a></td>`, value: (row) => row.group.title },
    { key: "subject", title: "Configuration", html: (row, c) => `<th scope="row">${name(row, c)}</th>`, value: (row) => row.subject.name },
    ...own,
  ];
}
