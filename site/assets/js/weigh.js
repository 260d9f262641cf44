// Combines the tasks with other weights, from data of the findings. The formulas are those of Weighing in
// spindlemark.analysis.findings.model, and of Draws for releases of format 1.

const sum = (values) => values.reduce((total, x) => total + x, 0);

// weighing: report.Weighing; weights: {task: number}. Returns {first, verdict, configurations: {configuration: {score, verdict, share}}}:
// the verdict of the first, which costs least, against each; shares only if no verdict is inconclusive. Null without weights.
export function weighVerdicts(weighing, weights) {
  const { configurations, tasks, point, n, scale, covariance, sessions, moved, thresholds, critical } = weighing;
  const given = tasks.map((task) => weights[task]), whole = sum(given);
  if (!(whole > 0)) return null;
  const w = given.map((x) => x / whole);
  const costs = point.map((own) => sum(own.map((x, t) => w[t] * x)));
  const within = sum(w.map((x, t) => sum(w.map((y, u) => x * y * covariance[t][u]))));
  const share = (s) => (scale ? scale[s] : 1) / n[s];
  const apart = moved ? 2 * sum(w.map((x, t) => x * x * moved[t])) : 0;
  const threshold = sum(w.map((x, t) => x * thresholds[t]));
  const first = costs.indexOf(Math.min(...costs));
  const verdicts = costs.map((cost, s) => {
    if (s === first) return null;
    const difference = cost - costs[first], half = critical * Math.sqrt(Math.max(0, within) * (share(first) + share(s)) + apart);
    if (Math.abs(difference) + half <= threshold) return "equivalent";
    if (moved && difference - half > threshold) return "better";
    return difference - half > 0 ? (moved ? "slightly_better" : "better") : "undecided";
  });
  const verdict = ["undecided", "equivalent", "slightly_better"].find((name) => verdicts.includes(name)) ?? "better";
  const between = sessions && sum(w.map((x, t) => x * x * sessions[t]));
  const shares = sessions && verdict !== "undecided" ? chances(nextCosts(costs, n.map((rounds) => Math.max(0, within) / rounds + between), between, weighing)) : null;
  return { first: configurations[first], verdict, configurations: Object.fromEntries(configurations.map((name, s) => [name, {
    score: Math.exp(costs[s]), verdict: verdicts[s], share: shares ? shares[s] : null }])) };
}

// Each draw's costs in a new session: leaders lead partly by luck, so all costs are shrunk towards the two leaders.
function nextCosts(costs, error, between, { normals, drawn }) {
  if (drawn == null) return shrunken(costs, error, between, normals);
  const middle = sum([...costs].sort((a, b) => a - b).slice(0, 2)) / 2;
  const centres = costs.map((cost, s) => middle + Math.sign(cost - middle) * Math.max(0, Math.abs(cost - middle) - drawn * Math.sqrt(error[s])));
  return normals.map((draw) => draw.map((z, s) => centres[s] + z * Math.sqrt(error[s] + between)));
}

// The same of release 2026.11.2.
function shrunken(costs, error, between, normals) {
  const mean = sum(costs) / costs.length, spread = sum(costs.map((cost) => (cost - mean) ** 2)) / (costs.length - 1);
  const apart = Math.max(0, spread - sum(error) / error.length);
  const kept = error.map((own) => (apart + own > 0 ? apart / (apart + own) : 0));
  return normals.map((draw) => draw.map((z, s) =>
    mean + kept[s] * (costs[s] - mean) + z * Math.sqrt(Math.max(0, kept[s] * error[s] + between))));
}

// The share of the draws in which each costs least; equal costs share a draw.
function chances(draws) {
  const shares = draws[0].map(() => 0);
  for (const costs of draws) {
    const least = Math.min(...costs), best = costs.filter((cost) => cost === least).length;
    costs.forEach((cost, s) => { if (cost === least) shares[s] += 1 / best; });
  }
  return shares.map((share) => share / draws.length);
}

// draws: report.Draws; returns the same without verdicts, which draws do not have.
export function weighDraws({ configurations, tasks, point, log_ratio, weight_factor }, weights) {
  const w = tasks.map((task) => weights[task]), whole = sum(w);
  if (!(whole > 0)) return null;
  const shares = chances(log_ratio.map((drawn, d) => drawn.map((own) => sum(own.map((x, t) => w[t] * weight_factor[d][t] * x)))));
  const found = Object.fromEntries(configurations.map((name, s) => [name, {
    score: Math.exp(sum(point[s].map((x, t) => w[t] * x)) / whole), verdict: null, share: shares[s] }]));
  return { first: null, verdict: null, configurations: found };
}

// The address keeps weights as copy:3,check:1.
export const write = (weights) => Object.entries(weights).map(([task, w]) => `${task}:${w}`).join(",");

export function read(text, declared) {
  const weights = { ...declared };
  for (const part of (text ?? "").split(",")) {
    const [task, value] = part.split(":");
    if (task in declared && value !== "" && Number(value) >= 0) weights[task] = Math.min(10, Number(value));
  }
  return weights;
}
