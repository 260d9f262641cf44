// Explore: choose metrics, filter, sort, pin, draw and save; the address keeps all of it.
import "./copy.js";
import { columnsOf, escape } from "./explore/cells.js";
import { csv } from "./explore/csv.js";
import { VIEWS, draw, refusal } from "./explore/draw.js";
import { drawFacets, facetsOf, select } from "./explore/facets.js";
import { join, load } from "./explore/join.js";
import { sql } from "./explore/query.js";
import { read, usual, write } from "./explore/address.js";
import { save } from "./save.js";

const PAGE = 50, MOST = 4;
const section = document.querySelector("#explore");
const $ = (selector) => section.querySelector(selector);
const $$ = (selector) => [...section.querySelectorAll(selector)];
const { root, version, range } = section.dataset;
const every = JSON.parse(section.dataset.metrics);
const base = new URL(root, location.href);
const shapes = Object.fromEntries($$("template.shape").map((t) => [t.dataset.shape, t.content.firstElementChild.innerHTML]));
const state = read(every.map(({ metric }) => metric), VIEWS, MOST);
const view = { rows: [], facets: [], shown: [], columns: [], metrics: [], context: {}, chart: null, counts: () => {} };

// Fetch the chosen metrics and start over with their rows.
async function choose() {
  view.metrics = state.metrics.map((name) => every.find(({ metric }) => metric === name));
  const tables = await Promise.all(view.metrics.map((metric) => load(root, metric)));
  view.rows = join(view.metrics, tables);
  view.facets = facetsOf(view.rows, tables[0].parts);
  for (const facet of view.facets) {
    for (const value of state.chosen[facet.key] ?? usual(facet)) if (facet.values.includes(value)) facet.chosen.add(facet.values.indexOf(value));
  }
  view.counts = drawFacets($(".facets"), view.facets);
  view.columns = columnsOf(view.metrics);
  const known = view.rows.flatMap(({ cells }) => cells).filter(Boolean);
  view.context = { root, shapes, range: Number(range), least: tables[0].least, most: tables[0].most, pinned: state.pinned,
    mixedIntervals: known.some(({ n }) => n < Number(range)) && known.some(({ n }) => n >= Number(range)) };
  drawMetrics();
  drawHead();
  update();
}

// What a search matches: every word in the names of a row.
function matches(row) {
  const text = `${row.subject.name} ${row.group.title} ${row.group.testbed} ${row.group.device} ${row.group.family} ${row.group.session} ${row.group.days}`.toLowerCase();
  return state.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function sorted(rows) {
  const column = view.columns.find(({ key, value }) => key === state.sort && value);
  const sign = state.descending ? -1 : 1;
  const missing = (value) => value === null || value === undefined;
  const order = (a, b) => (missing(a) || missing(b) ? missing(a) - missing(b) : (a < b ? -1 : a > b ? 1 : 0) * sign);
  const found = column ? [...rows].sort((a, b) => order(column.value(a), column.value(b)) || a.i - b.i) : rows;
  return [...found.filter(({ key }) => state.pinned.has(key)), ...found.filter(({ key }) => !state.pinned.has(key))];
}

function update() {
  const { rows, counts } = select(view.rows.filter(matches), view.facets);
  const kept = new Set(rows);
  const pinned = view.rows.filter((row) => state.pinned.has(row.key) && !kept.has(row));
  view.shown = sorted(state.onlyPinned && state.pinned.size ? view.rows.filter(({ key }) => state.pinned.has(key)) : [...pinned, ...rows]);
  view.context.mixed = new Set(view.shown.map(({ group }) => group.source)).size > 1;
  state.page = Math.max(0, Math.min(state.page, Math.ceil(view.shown.length / PAGE) - 1));
  view.counts(counts);
  drawTable();
  $(".sql code").textContent = sql(view.shown, view.metrics);
  $(".console").href = `${root}sql/#q=${encodeURIComponent(sql(view.shown, view.metrics))}`;
  write(state, view.facets);
  drawChart();
}

function drawTable() {
  const { shown, columns, context } = view;
  const page = shown.slice(state.page * PAGE, (state.page + 1) * PAGE);
  $("tbody").innerHTML = page.map((row) => `<tr data-row="${row.i}">${columns.map((column) => column.html(row, context)).join("")}</tr>`).join("")
    || `<tr><td colspan="${columns.length}">No row matches the filter.</td></tr>`;
  $(".count").textContent = `${shown.length.toLocaleString("en")} of ${view.rows.length.toLocaleString("en")} rows`;
  $(".only").hidden = !state.pinned.size;
  $(".only input").checked = state.onlyPinned;
  const pages = Math.ceil(shown.length / PAGE), bar = $(".pager");
  bar.hidden = pages < 2;
  bar.querySelector("span").textContent = `Rows ${state.page * PAGE + 1} to ${Math.min(shown.length, (state.page + 1) * PAGE)} of ${shown.length.toLocaleString("en")}`;
  bar.querySelector("[data-step='-1']").disabled = state.page === 0;
  bar.querySelector("[data-step='1']").disabled = state.page >= pages - 1;
  for (const head of $$("thead th")) {
    if (head.dataset.key === state.sort) head.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

function drawHead() {
  const row = document.createElement("tr");
  for (const { key, title, num, value } of view.columns) {
    const head = row.appendChild(Object.assign(document.createElement("th"), { scope: "col", className: num ? "num" : "" }));
    head.dataset.key = key;
    if (value) head.append(Object.assign(document.createElement("button"), { type: "button", textContent: title }));
    else head.textContent = title;
  }
  $("thead").replaceChildren(row);
}

// One list per chosen metric, each with a button that removes it.
function drawMetrics() {
  const lists = state.metrics.map((name, k) => {
    const holder = Object.assign(document.createElement("span"), { className: "choice" });
    const list = $("template.metric-list").content.firstElementChild.cloneNode(true);
    list.setAttribute("aria-label", `Metric ${k + 1}`);
    list.value = name;
    holder.append(list);
    if (state.metrics.length > 1) holder.append(Object.assign(document.createElement("button"), { type: "button", className: "remove", textContent: "Remove", ariaLabel: `Remove metric ${k + 1}` }));
    return holder;
  });
  $(".metric-lists").replaceChildren(...lists);
  $(".add").disabled = state.metrics.length >= MOST;
  const [first] = view.metrics;
  $("#results .name").textContent = view.metrics.map(({ title }) => title).join(", ");
  $(".better").textContent = state.metrics.length > 1 ? "" : first.better === "none" ? "Neither direction is better, so it is not ranked." : `${first.better === "lower" ? "Lower" : "Higher"} is better.`;
  const cite = $(".cite");
  cite.hidden = state.metrics.length > 1 || !first.cite;
  cite.href = `${root}cite/?show#${first.cite}`;
}

let drawing = 0;
async function drawChart() {
  const holder = $(".chart"), place = $(".drawing"), number = ++drawing;
  holder.hidden = state.view === "table";
  for (const button of $$(".views button")) button.setAttribute("aria-pressed", String(button.value === state.view));
  if (state.view === "table") { view.chart = null; return; }
  const why = refusal(state.view, view.metrics, view.shown, view.context.mixed);
  $(".drawn").textContent = why;
  if (why) { place.replaceChildren(); view.chart = null; return; }
  await new Promise((resolve) => setTimeout(resolve, 60)); // while someone types, only the last view is drawn
  if (number !== drawing) return;
  const { chart, shown, able } = await draw(place, state.view, view.shown, view.metrics, view.context);
  if (number !== drawing) return;
  view.chart = chart;
  $(".drawn").textContent = shown < able ? `The chart shows the first ${shown} of ${able} rows. Filter to see others.` : "";
  chart.addEventListener("click", (_, item) => { if (item?.datum?.row !== undefined) goTo(item.datum.row); });
  holder.dataset.drawn = state.view;
}

function light(i) {
  view.chart?.signal("lit", i).runAsync();
  for (const tr of $$("tbody tr")) tr.classList.toggle("lit", Number(tr.dataset.row) === i);
}

function goTo(i) {
  const at = view.shown.findIndex((row) => row.i === i);
  if (at < 0) return;
  state.page = Math.floor(at / PAGE);
  drawTable();
  light(i);
  $(`tr[data-row="${i}"] th a`)?.focus();
}

// Change the state and show the result; another filter or order starts at the first page.
function change(values, { page = 0, metrics = false } = {}) {
  Object.assign(state, values, { page });
  state.chosen = Object.fromEntries(view.facets.map((f) => [f.key, [...f.chosen].map((v) => f.values[v])]));
  return metrics ? choose() : update();
}

function listenToForm() {
  $(".facets").addEventListener("change", ({ target }) => {
    const { chosen } = view.facets.find((f) => f.key === target.name);
    chosen[target.checked ? "add" : "delete"](Number(target.dataset.value));
    change({});
  });
  $(".search").addEventListener("input", ({ target }) => change({ words: target.value.trim() }));
  $(".clear").addEventListener("click", () => { state.chosen = {}; $(".search").value = ""; Object.assign(state, { words: "", page: 0 }); choose(); });
  $(".metric-lists").addEventListener("change", () => change({ metrics: $$(".metric-lists select").map(({ value }) => value).filter((name, k, all) => all.indexOf(name) === k), sort: "" }, { metrics: true }));
  $(".metric-lists").addEventListener("click", ({ target }) => {
    const at = $$(".metric-lists .remove").indexOf(target);
    if (at >= 0) change({ metrics: state.metrics.filter((_, k) => k !== at) }, { metrics: true });
  });
  $(".add").addEventListener("click", () => {
    const [first] = view.metrics;
    const next = every.find(({ metric, family }) => family === first.family && !state.metrics.includes(metric)) ?? every.find(({ metric }) => !state.metrics.includes(metric));
    if (next) change({ metrics: [...state.metrics, next.metric] }, { metrics: true });
  });
  $(".views").addEventListener("click", ({ target }) => { if (target.value) change({ view: target.value }, { page: state.page }); });
}

function listenToTable() {
  $("thead").addEventListener("click", ({ target }) => {
    const key = target.closest("button")?.parentElement.dataset.key;
    if (key) change({ descending: state.sort === key && !state.descending, sort: key });
  });
  $("tbody").addEventListener("change", ({ target }) => {
    const { key } = view.rows[Number(target.closest("tr").dataset.row)];
    state.pinned[target.checked ? "add" : "delete"](key);
    change({}, { page: state.page });
  });
  $(".only input").addEventListener("change", ({ target }) => change({ onlyPinned: target.checked }));
  $(".csv").addEventListener("click", () => save(csv(view.shown, view.metrics, { version, base }), `spindlemark-${version}-${state.metrics.join("-")}.csv`));
  $(".pager").addEventListener("click", ({ target }) => { if (target.dataset.step) change({}, { page: state.page + Number(target.dataset.step) }); });
  for (const kind of ["pointerover", "focusin"]) {
    $("tbody").addEventListener(kind, ({ target }) => { const tr = target.closest("tr[data-row]"); if (tr) light(Number(tr.dataset.row)); });
  }
  $("table").addEventListener("pointerleave", () => light(-1));
}

async function start() {
  $(".search").value = state.words;
  listenToForm();
  listenToTable();
  await choose();
  for (const hidden of $$(".needs-script")) hidden.hidden = false;
  section.dataset.ready = "";
}

if (section) start().catch((error) => { console.error(error); $(".count").innerHTML = `This page could not be loaded: ${escape(error.message)}`; });
