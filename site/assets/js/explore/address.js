// The state of the page in its address: what is not named there is as usual.
const PINS = ","; // between the keys of pinned rows

// Values of a facet that are chosen unless the address says otherwise: results measured here, if there are any.
export const usual = (facet) => (facet.key === "source" && facet.values.includes("measured") ? ["measured"] : []);

const OWN = ["metric", "q", "view", "sort", "page", "pin", "only"];

export function read(metrics, views, most) {
  const query = new URLSearchParams(location.search);
  const wanted = (query.get("metric") ?? "").split(",").filter((name, k, all) => metrics.includes(name) && all.indexOf(name) === k).slice(0, most);
  const sort = query.get("sort") ?? "";
  return {
    metrics: wanted.length ? wanted : metrics.slice(0, 1),
    words: query.get("q") ?? "",
    view: views.includes(query.get("view")) ? query.get("view") : "table",
    sort: sort.replace(/^-/, ""),
    descending: sort.startsWith("-"),
    page: Math.max(0, Number(query.get("page") ?? 1) - 1) || 0,
    pinned: new Set((query.get("pin") ?? "").split(PINS).filter(Boolean)),
    onlyPinned: query.has("only"),
    chosen: Object.fromEntries([...query].filter(([key]) => !OWN.includes(key)).map(([key, values]) => [key, values.split(",")])),
  };
}

export function write(state, facets) {
  const query = new URLSearchParams({ metric: state.metrics.join(",") });
  for (const facet of facets) {
    const chosen = [...facet.chosen].map((v) => facet.values[v]).join(",");
    if (chosen !== usual(facet).join(",")) query.set(facet.key, chosen || "any");
  }
  if (state.words) query.set("q", state.words);
  if (state.view !== "table") query.set("view", state.view);
  if (state.sort) query.set("sort", (state.descending ? "-" : "") + state.sort);
  if (state.page) query.set("page", state.page + 1);
  if (state.pinned.size) query.set("pin", [...state.pinned].join(PINS));
  if (state.onlyPinned) query.set("only", "pins");
  history.replaceState(null, "", `?${query}${location.hash}`.replaceAll("%2C", ",").replaceAll("%3A", ":"));
}
