// How a number is written: the same rules as workflow/spindlemark/analysis/format.py, and a test that both agree.
// `kind` is that of a metric, such as "ratio" or "searched" (core/metric.py); empty for other numbers.
export const MISSING = "–";
const FULL = 0.9995; // of a prefix: from here on a number rounds to 1.00 of it with three digits
const NOTHING = 5e-7; // of the smallest prefix: below it all six decimals are 0
const POWERS = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const PREFIXES = {
  "s": [[1, " s"], [1e-3, " ms"]],
  "B": POWERS.map(([factor, power]) => [factor, ` ${power}B`]),
  "B/s": POWERS.map(([factor, power]) => [factor, ` ${power}B/s`]),
  "bit/s": POWERS.map(([factor, power]) => [factor, ` ${power}bit/s`]),
  "1/s": [[1, "/s"]],
  "1": [[1, ""]],
};

const isLossless = (value, unit) => (unit === "levels" ? value < 12 ** -0.5 + 1e-9 : unit === "dB" && value >= 100);

function scale(unit, magnitude, kind) {
  if (kind === "ratio") return [1, "", 3];
  const prefixes = PREFIXES[unit] ?? [[1, ` ${unit}`]];
  const [factor, suffix] = prefixes.find(([least]) => Math.abs(magnitude) >= FULL * least) ?? prefixes.at(-1);
  if (suffix === " B" || kind === "count" || kind === "searched") return [factor, suffix, 0];
  const exponent = Number((Math.abs(magnitude) / factor).toExponential(2).split("e")[1]);
  return [factor, suffix, Math.min(6, 2 - exponent)];
}

export function fixed(value, decimals) {
  const shift = 10 ** decimals;
  const [whole, part] = (Math.floor(value * shift + 0.5) / shift).toFixed(Math.max(0, decimals)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part ? `${grouped}.${part}` : grouped;
}

// The value that is `count` units of the median's last written digit away from it.
export function stepped(median, count, unit, kind = "") {
  if (median === null || count === null) return null;
  const [factor, , decimals] = scale(unit, median, kind);
  const shift = 10 ** decimals;
  return (Math.floor(median / factor * shift + 0.5) + count) / shift * factor;
}

export function number(value, unit, kind = "") {
  if (value === null || !Number.isFinite(value)) return MISSING;
  const whole = Math.floor(value);
  if (kind === "searched" && value !== whole) return `${fixed(whole, 0)} to ${fixed(whole + 1, 0)}`;
  if (isLossless(value, unit)) return "lossless";
  if (unit === "1" && value === whole && kind !== "ratio") return fixed(value, 0);
  const prefixes = PREFIXES[unit] ?? [[1, ` ${unit}`]];
  if (Math.abs(value) < NOTHING * prefixes.at(-1)[0]) return `0${prefixes.find(([factor]) => factor === 1)[1]}`;
  const [factor, suffix, decimals] = scale(unit, value, kind);
  return fixed(value / factor, decimals) + suffix;
}

export function interval(low, high, median, unit, kind = "") {
  if (low === null || high === null || median === null || isLossless(median, unit)) return MISSING;
  const [factor, , decimals] = scale(unit, median, kind);
  const ends = kind === "searched" ? [Math.floor(low), Math.ceil(high)] : [low, high];
  return [...new Set(ends.map((end) => fixed(end / factor, decimals)))].join("–");
}

export const ratio = (value) => (value === null || !Number.isFinite(value) ? MISSING : `${fixed(value, 2)}×`);

// Whole per cent; a half goes to the even neighbour, as Python writes it: shares of 200 draws often end in a half.
function wholePercent(share) {
  const exact = share * 100;
  return `${exact % 1 === 0.5 ? 2 * Math.round(exact / 2) : Math.round(exact)} %`;
}

// A share inside a sentence, as spindlemark.analysis.findings.text writes it.
export function shareInWords(share) {
  if (share > 0 && share <= 0.005) return "less than 1 %";
  if (share >= 0.995 && share < 1) return "more than 99 %";
  return wholePercent(share);
}

export function percent(share) {
  if (share > 0.005 && share < 0.995) return wholePercent(share);
  return share < 0.5 ? "< 1 %" : "> 99 %";
}
