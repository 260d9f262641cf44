// The comparison: filter, sort, page, save; the address keeps the state and the chart follows the table.
import "./copy.js";
import { offerCharts } from "./chart.js";
import { COLUMNS, VERDICTS, csv, escape, row } from "./columns.js";
import { save } from "./save.js";
import { drawFacets, facetsOf, isDefault, select } from "./facets.js";

const PAGE = 50, POINTS = 160, MANY = 12;
const section = document.querySelector("#compare");
const $ = (selector) => section.querySelector(selector);

async function start() {
  const data = await (await fetch(section.dataset.source)).json();
  const facets = facetsOf(data);
  const state = { sort: "", descending: false, page: 0, view: null, rows: [] };
  const heads = [...section.querySelectorAll("thead th")];
  const context = {
    root: section.dataset.root, unit: section.dataset.unit, metric: section.dataset.metric, kind: section.dataset.kind, shapes: shapes(),
    least: data.least, most: data.most,
    mixed_intervals: section.dataset.mixed === "true", range: Number(section.dataset.range),
  };
  const every = Array.from(data.median, (_, i) => i);
  let order = every;
  const showCounts = drawFacets($(".facets"), facets);

  function sort() {
    const value = COLUMNS[state.sort]?.sort;
    const sign = state.descending ? -1 : 1;
    order = value ? [...every].sort((a, b) => compare(value(data, a), value(data, b), sign) || a - b) : every;
    for (const head of heads) {
      if (head.dataset.key === state.sort) head.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  function update() {
    const { rows, counts } = select(order, facets);
    state.rows = rows;
    context.mixed = new Set(rows.map((i) => data.groups[data.group[i]].source)).size > 1;
    state.page = Math.max(0, Math.min(state.page, Math.ceil(rows.length / PAGE) - 1));
    showCounts(counts);
    const shown = rows.slice(state.page * PAGE, (state.page + 1) * PAGE).map((i) => row(data, i, context));
    $("tbody").innerHTML = shown.map((r) => `<tr data-row="${r.i}">${heads.map((h) => COLUMNS[h.dataset.col].cell(r, context)).join("")}</tr>`).join("")
      || `<tr><td colspan="${heads.length}">No row matches the filter.</td></tr>`;
    $(".count").textContent = `${rows.length.toLocaleString("en")} of ${every.length.toLocaleString("en")} rows`;
    $(".clear").disabled = facets.every((f) => [...f.chosen].map((v) => f.values[v]).join(",") === usual(f));
    pager(rows.length);
    remember();
    state.view?.data("rows", points()).runAsync();
  }

  function pager(count) {
    const pages = Math.ceil(count / PAGE);
    const bar = $(".pager");
    bar.hidden = pages < 2;
    bar.querySelector("span").textContent = `Rows ${state.page * PAGE + 1} to ${Math.min(count, (state.page + 1) * PAGE)} of ${count.toLocaleString("en")}`;
    bar.querySelector("[data-step='-1']").disabled = state.page === 0;
    bar.querySelector("[data-step='1']").disabled = state.page >= pages - 1;
  }

  function remember() {
    const query = new URLSearchParams();
    for (const f of facets) {
      const chosen = [...f.chosen].map((v) => f.values[v]).join(",");
      if (chosen !== usual(f)) query.set(f.key, chosen || "any");
    }
    if (state.sort) query.set("sort", (state.descending ? "-" : "") + state.sort);
    if (state.page) query.set("page", state.page + 1);
    const text = query.size ? `?${query}`.replaceAll("%2C", ",") : location.pathname;
    history.replaceState(null, "", text);
    for (const link of document.querySelectorAll(".metrics a")) {
      const kept = new URLSearchParams(query);
      kept.delete("page");
      kept.delete("tier");
      link.search = kept.toString().replaceAll("%2C", ",");
    }
  }

  function recall() {
    const query = new URLSearchParams(location.search);
    for (const f of facets) {
      for (const value of (query.get(f.key) ?? usual(f)).split(",")) if (f.values.includes(value)) f.chosen.add(f.values.indexOf(value));
    }
    const wanted = query.get("sort") ?? "";
    state.sort = heads.some((h) => h.dataset.key === wanted.replace("-", "")) ? wanted.replace("-", "") : "";
    state.descending = wanted.startsWith("-");
    state.page = Math.max(0, Number(query.get("page") ?? 1) - 1) || 0;
  }

  // Points of the chart: the first rows of the selection, or of its defaults if it has many configurations; like overview.py.
  function points() {
    let shown = state.rows.filter((i) => data.ratio[i] !== null);
    if (new Set(shown.map((i) => data.subject[i])).size > MANY) shown = shown.filter((i) => isDefault(data.subjects[data.subject[i]]));
    return shown.slice(0, POINTS).map((i) => row(data, i, context)).map((r) => {
      const low = r.ratioLow ?? r.ratio, high = r.ratioHigh ?? r.ratio, { least, most } = data;
      return { row: r.i, library: r.group.title, setting: r.subject.name, ratio: r.ratio, low, high, verdict: r.verdict ?? "", sign: VERDICTS[r.verdict]?.[0] ?? "",
        from: Math.max(low, least), to: Math.min(high, most), cut_low: low < least, cut_high: high > most };
    });
  }

  function light(i) {
    state.view?.signal("lit", i).runAsync();
    for (const tr of section.querySelectorAll("tbody tr")) tr.classList.toggle("lit", Number(tr.dataset.row) === i);
  }

  function goTo(i) {
    const at = state.rows.indexOf(i);
    if (at < 0) return;
    state.page = Math.floor(at / PAGE);
    update();
    light(i);
    $(`tr[data-row="${i}"] th a`)?.focus();
  }

  function listen() {
    $(".facets").addEventListener("change", ({ target }) => {
      const { chosen } = facets.find((f) => f.key === target.name);
      chosen[target.checked ? "add" : "delete"](Number(target.dataset.value));
      state.page = 0;
      update();
    });
    $(".clear").addEventListener("click", () => { facets.forEach(clear); state.page = 0; update(); });
    $(".csv").addEventListener("click", () => save(csv(data, state.rows, context), `spindlemark-${context.metric}.csv`));
    $(".pager").addEventListener("click", ({ target }) => {
      if (target.dataset.step) { state.page += Number(target.dataset.step); update(); }
    });
    for (const kind of ["pointerover", "focusin"]) {
      $("tbody").addEventListener(kind, ({ target }) => { const tr = target.closest("tr[data-row]"); if (tr) light(Number(tr.dataset.row)); });
    }
    $("table").addEventListener("pointerleave", () => light(-1));
    for (const head of heads.filter((h) => h.dataset.key)) makeSortable(head);
  }

  function makeSortable(head) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      state.descending = state.sort === head.dataset.key && !state.descending;
      state.sort = head.dataset.key;
      state.page = 0;
      sort();
      update();
    });
  }

  recall();
  listen();
  sort();
  update();
  for (const hidden of section.querySelectorAll(".filter, .tools")) hidden.hidden = false;
  $(".filter").open = matchMedia("(min-width: 60rem)").matches || facets.some((f) => f.chosen.size);
  $(".cut")?.remove();
  offerCharts((view) => {
    state.view = view;
    view.data("rows", points()).runAsync();
    view.addEventListener("click", (_, item) => { if (item?.datum?.row !== undefined) goTo(item.datum.row); });
  });
  section.dataset.ready = "";
}

// The default selection: results measured here, if there are any.
const usual = (facet) => (facet.key === "source" && facet.values.includes("measured") ? "measured" : "");

function clear(facet) {
  facet.chosen.clear();
  if (usual(facet)) facet.chosen.add(facet.values.indexOf(usual(facet)));
}

// Missing values sort last, in both directions.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return (a < b ? -1 : a > b ? 1 : 0) * sign;
}

// Outlines of the shapes come from the page, which defines them once.
const shapes = () => Object.fromEntries([...section.querySelectorAll("template.shape")].map((t) => [t.dataset.shape, t.content.firstElementChild.innerHTML]));

if (section) start().catch((error) => { console.error(error); $(".count").textContent = escape(error.message); });
