// The SQL console: the address contains the query, and a worker that can be ended answers it.
import "./copy.js";
import { save } from "./save.js";
import { drawable, drawResult } from "./sql/draw.js";
import { csv } from "./csv.js";
import { fillTable } from "./sql/result.js";
import { named, shellCommand } from "./sql/shell.js";

const section = document.querySelector("#sql");
const $ = (selector) => section.querySelector(selector);
const editor = $("textarea"), status = $(".state");
const about = JSON.parse(section.dataset.about);
const beside = (name) => new URL(name, import.meta.url).href;
const here = (path) => new URL(section.dataset.root + path, location.href).href;
const tables = about.tables.map((table) => ({ ...table, url: here(table.path) }));
const number = (value) => value.toLocaleString("en");

let worker = null, clock = null, result = null;

function started() {
  worker = new Worker(beside(section.dataset.worker), { type: "module" });
  worker.onmessage = ({ data }) => (data.reading ? say(`Reading ${data.reading} …`) : ended(data));
  worker.onerror = (event) => {
    event.preventDefault();
    ended({ error: `The engine could not be loaded or ran out of memory${event.message ? `: ${event.message}` : ""}. Reload the page to try again.`, offset: -1, broken: true });
  };
  worker.postMessage({ sqlite: beside(section.dataset.sqlite), tables });
}

function run() {
  const query = editor.value;
  if (clock) cancel("The previous query was cancelled.");
  clear();
  if (!worker) started();
  const begun = Date.now();
  let shown = "";
  say("Running …");
  clock = setInterval(() => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    if (seconds && seconds % 5 === 0 && shown !== seconds) { shown = seconds; say(`Running … ${seconds} s`); }
  }, 500);
  $(".cancel").hidden = false;
  worker.postMessage({ query });
}

function stopClock() {
  clearInterval(clock);
  clock = null;
  $(".cancel").hidden = true;
}

function cancel(words = "Cancelled.") {
  stopClock();
  worker?.terminate();
  worker = null;
  say(words);
}

function ended(answer) {
  stopClock();
  if (answer.broken) { worker.terminate(); worker = null; }
  if (answer.error !== undefined) return wrong(answer);
  result = answer;
  const rows = answer.rows.length === 1 ? "1 row" : `${number(answer.rows.length)} rows`;
  say(`${answer.more ? `The first ${rows}; the result has more rows than this page keeps` : rows}, in ${answer.seconds.toFixed(2)} s.`);
  fillTable($(".answer table"), answer);
  $(".shown").textContent = answer.rows.length > $(".answer tbody").rows.length ? `The first ${number($(".answer tbody").rows.length)} rows are shown; the CSV file has all ${number(answer.rows.length)}.` : "";
  $(".answer").hidden = false;
  offerChart();
  offerShell();
}

// Shows the error with its position, and moves the cursor there.
function wrong({ error, offset }) {
  const before = offset >= 0 ? editor.value.slice(0, offset) : "";
  const line = before.split("\n").length, column = before.length - before.lastIndexOf("\n");
  say(offset >= 0 ? `Line ${line}, column ${column}: ${error}` : error, true);
  if (offset < 0) return;
  const word = editor.value.slice(offset).match(/^([\p{L}\p{N}_]+|"[^"]*"|\S)/u)?.[0] ?? "";
  editor.focus();
  editor.setSelectionRange(offset, offset + word.length);
}

function clear() {
  result = null;
  for (const part of section.querySelectorAll(".answer, .drawn, .shell")) part.hidden = true;
}

function say(words, failed = false) {
  status.textContent = words;
  status.classList.toggle("failed", failed);
}

function offerChart() {
  const { labels, values } = drawable(result);
  const possible = labels.length && values.length && result.rows.length > 1;
  $(".drawn").hidden = !possible;
  if (!possible) return;
  const choose = (name, columns, none) => {
    const options = columns.map((at) => new Option(result.columns[at], at));
    $(`[name=${name}]`).replaceChildren(...(none ? [new Option(none, "")] : []), ...options);
  };
  choose("label", labels);
  choose("value", values);
  choose("group", labels, "nothing");
  $("[name=label]").value = labels.at(-1);
  $("[name=group]").value = labels.slice(0, -1).find((at) => new Set(result.rows.map((row) => row[at])).size > 1) ?? "";
  $("[name=value]").value = [/median/, /ratio|percent|times/, /seconds|per_second/].map((words) => values.find((at) => words.test(result.columns[at]))).find((at) => at !== undefined) ?? values[0];
  $(".drawing").replaceChildren();
  $(".draw").textContent = "Draw a chart";
}

async function draw() {
  const [label, value, group] = ["label", "value", "group"].map((name) => $(`[name=${name}]`).value);
  try {
    $(".cut").textContent = await drawResult($(".drawing"), result, { label: Number(label), value: Number(value), group: group === "" ? null : Number(group) }, about.config);
    $(".draw").textContent = "Draw again";
  } catch (error) {
    $(".cut").textContent = `The chart could not be drawn: ${error.message}`;
  }
}

function offerShell() {
  const command = shellCommand(editor.value, about.tables);
  $(".shell").hidden = command === null;
  $(".shell code").textContent = command ?? "";
  const files = named(editor.value, tables).map(({ file, url }) => Object.assign(document.createElement("a"), { href: url, download: "", textContent: file }));
  $(".shell .files").replaceChildren(...files.flatMap((link, at) => (at ? [", ", link] : [link])));
  $(".shell .beside").hidden = !files.length;
}

// Loads the query of the address; returns whether there is one.
function recall() {
  const query = new URLSearchParams(location.hash.slice(1)).get("q");
  if (query !== null) editor.value = query;
  return query !== null;
}

// Running a query puts it into the address; opening the address runs it.
function ask() {
  const hash = `#${new URLSearchParams({ q: editor.value })}`;
  if (location.hash === hash) run(); else location.hash = hash;
}

function listen() {
  $(".run").addEventListener("click", ask);
  $(".cancel").addEventListener("click", () => { cancel(); $(".run").focus(); });
  $(".csv").addEventListener("click", () => save(csv(result), `spindlemark-${about.version}.csv`));
  $(".draw").addEventListener("click", draw);
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); }
  });
  for (const button of section.querySelectorAll(".example")) {
    button.addEventListener("click", () => { editor.value = about.examples[button.value].text; ask(); });
  }
  addEventListener("hashchange", () => { if (recall()) run(); });
}

section.hidden = false;
listen();
if (recall()) run(); else editor.value = about.examples[0].text;
section.dataset.ready = "";
