// The SQL of a view, for the console: the samples behind its rows, in words that DuckDB and the console's engine know.
const MOST = 20; // workloads that are named
const text = (value) => `'${String(value).replaceAll("'", "''")}'`;
const among = (column, values) => (values.length === 1 ? `${column} = ${text(values[0])}` : `${column} IN (${values.map(text).join(", ")})`);

export function sql(rows, metrics) {
  const measured = rows.filter(({ group }) => group.source === "measured");
  const unique = (value) => [...new Set(measured.map(value))].sort();
  const ends = unique(({ group }) => group.end);
  const wanted = [
    "status = 'ok'", among("metric", metrics.map(({ metric }) => metric)),
    ...(measured.length ? [among("testbed", unique(({ group }) => group.testbed)), among("family", unique(({ group }) => group.family))] : []),
    ...(ends.length && ends.length <= MOST && ends.every(Boolean) ? [`(${ends.map((end) => `experiment LIKE ${text(`%${end}`)}`).join(" OR ")})`] : []),
  ];
  return `SELECT
    testbed,
    experiment,
    metric,
    unit,
    count(*) AS n,
    median(value) AS median_value,
    min(value) AS least,
    max(value) AS most
FROM measurements
WHERE ${wanted.join(" AND ")}
GROUP BY testbed, identity, experiment, metric, unit
ORDER BY metric, testbed, median_value, identity`;
}
