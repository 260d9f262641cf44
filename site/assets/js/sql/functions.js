// Functions that make SQLite give the same rows as DuckDB for the same query.
const MOST = 5e6; // values that one group may collect outside of the engine's own limit of memory

export function addFunctions({ capi }, db) {
  const aggregate = (...about) => addAggregate(capi, db, ...about);
  const patterns = new Map();
  db.createFunction("like", (_, pattern, text) => {
    if (pattern === null || text === null) return null;
    if (!patterns.has(pattern)) patterns.set(pattern, asRegExp(String(pattern)));
    return Number(patterns.get(pattern).test(String(text)));
  }, { arity: 2, deterministic: true });
  aggregate("quantile_cont", 2, (values, share) => {
    values.sort((a, b) => a - b);
    const at = share * (values.length - 1), below = Math.floor(at);
    return values[below] + (values[Math.ceil(at)] - values[below]) * (at - below);
  });
  for (const name of ["stddev", "stddev_samp"]) aggregate(name, 1, deviation);
}

// Upper and lower case differ, as in DuckDB; in SQLite's own LIKE they do not.
function asRegExp(pattern) {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/%+/g, "[^]*").replaceAll("_", "[^]")}$`, "u");
}

function deviation(values) {
  if (values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

// The values of a group are kept under the address that the engine gives it.
function addAggregate(capi, db, name, arity, finish) {
  const groups = new Map();
  let count = 0;
  db.createFunction({
    name, arity,
    xStep(context, value, ...rest) {
      const key = capi.sqlite3_aggregate_context(context, 8);
      if (!groups.has(key)) groups.set(key, { values: [], rest });
      if (value === null) return;
      if (++count > MOST) throw new Error(`${name} of more than ${MOST} values`);
      groups.get(key).values.push(Number(value));
    },
    xFinal(context) {
      const key = capi.sqlite3_aggregate_context(context, 0), group = groups.get(key);
      groups.delete(key);
      if (!group) return null;
      count -= group.values.length;
      return group.values.length ? finish(group.values, ...group.rest.map(Number)) : null;
    },
  });
}
