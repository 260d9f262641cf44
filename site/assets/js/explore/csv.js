// The chosen rows as CSV, in the precision of the table; the page Data offers full precision.
import { csv as table } from "../csv.js";

const FIXED = ["version", "source", "testbed", "session", "family", "library", "setting", "experiment", "address"];
const DETAILS = ["status", "n", "median", "unit", "low", "high", "ratio_to_best", "ratio_low", "ratio_high", "tier", "verdict", "marks"];
const short = (value) => (value === null || value === undefined ? "" : Number(value.toPrecision(10)));

function details(cell, { unit }) {
  if (!cell) return DETAILS.map(() => "");
  return [cell.status, cell.n, short(cell.median), unit, short(cell.low), short(cell.high), short(cell.ratio), short(cell.ratioLow), short(cell.ratioHigh),
    cell.tier ?? "", cell.verdict ?? "", cell.marks.map(([name]) => name).join(" ")];
}

// `base`: address of the version; an experiment is the last part of its page's address.
export function csv(rows, metrics, { version, base }) {
  const one = metrics.length === 1;
  const head = [...FIXED, ...metrics.flatMap(({ metric }) => DETAILS.map((name) => (one ? name : `${metric}_${name}`)))];
  return table({ columns: head, rows: rows.map(({ group, subject, first, cells }) => [
    version, group.source, group.testbed, group.session, group.family, group.library, subject.name,
    first.path?.split("/").at(-2) ?? "", first.path ? new URL(first.path, base).href : "",
    ...metrics.flatMap((metric, k) => details(cells[k], metric)),
  ]) });
}
