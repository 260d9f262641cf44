// Re-weights the draws that the findings carry; the formula is the one of spindlemark.findings.report.Draws.

// draws: {subjects, tasks, point, log_ratio, weight_factor}; weights: {task: number}.
// Returns {subject: {score, share}}, or null when no task has any weight.
export function weigh(draws, weights) {
  const w = draws.tasks.map((task) => weights[task]);
  const total = w.reduce((sum, x) => sum + x, 0);
  if (!(total > 0)) return null;
  const shares = draws.subjects.map(() => 0);
  draws.log_ratio.forEach((subjects, d) => {
    const costs = subjects.map((tasks) => tasks.reduce((sum, x, t) => sum + w[t] * draws.weight_factor[d][t] * x, 0));
    const least = Math.min(...costs);
    const best = costs.filter((cost) => cost === least).length;
    costs.forEach((cost, s) => { if (cost === least) shares[s] += 1 / best; });
  });
  return Object.fromEntries(draws.subjects.map((subject, s) => [subject, {
    score: Math.exp(draws.point[s].reduce((sum, x, t) => sum + w[t] * x, 0) / total),
    share: shares[s] / draws.log_ratio.length,
  }]));
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
