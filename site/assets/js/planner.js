// The planner: requirements of the chosen media, next to limits and measured rates; the address keeps the choice.
import "./copy.js";
import { number } from "./numbers.js";

const HOUR = 3600;
const section = document.querySelector("#planner");
const form = section.querySelector(".plan");
const inputs = [...form.querySelectorAll("select, input")];
const out = (name) => section.querySelector(`[data-out="${name}"]`);
const field = (name) => inputs.find((input) => input.name === name);

// A number of a field inside its bounds; its default where nothing sensible is there.
function value(input) {
  const given = Number(input.value);
  const sound = input.value !== "" && Number.isFinite(given) ? given : Number(input.defaultValue);
  return Math.min(Math.max(sound, Number(input.min)), Number(input.max));
}

// Bytes per second and bytes of the choice; one stream is taken as one file.
function need() {
  const chosen = field("media").selectedOptions[0];
  const each = Number(chosen.dataset.value);
  if (chosen.dataset.kind === "pictures") {
    return { kind: "pictures", rate: null, file: each, space: each * value(field("pictures")) };
  }
  const streams = value(field("streams")), seconds = value(field("hours")) * HOUR;
  return { kind: "streams", streams, rate: each * streams, file: each * seconds, space: each * streams * seconds };
}

function showLimits({ file, space }) {
  for (const row of document.querySelectorAll(".limits tbody tr")) {
    const broken = [file > Number(row.dataset.file) && "a file is too large", space > Number(row.dataset.whole) && "the total is too large for one filesystem"];
    const cell = row.querySelector("[data-need]");
    cell.textContent = broken.filter(Boolean).join("; ") || "fits";
    cell.className = broken.some(Boolean) ? "short" : "enough";
  }
}

// Settings whose low end is at least the need, in the chosen library; others are hidden.
function showSettings(rate) {
  let enough = [], total = 0;
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = group.dataset.group !== field("library").value;
    for (const row of group.querySelectorAll("tbody tr")) {
      const times = showTimes(row, rate);
      if (!group.hidden) { total++; if (times >= 1) enough.push(row.querySelector("th").textContent.trim()); }
    }
  }
  return { enough, total };
}

// How many times the need a row's low end is; null where nothing has a rate.
function showTimes(row, rate) {
  const times = rate ? Number(row.dataset.low) / rate : null, cell = row.querySelector("[data-need]");
  cell.textContent = times === null ? "–" : `${number(times, "1")}×`;
  cell.className = times === null ? "num" : times >= 1 ? "num enough" : "num short";
  return times;
}

// The tables of the lowest measured rate that is not below the need; the first of them, a real machine's before an emulated one.
function showStreams({ kind, streams, rate }) {
  const every = [...document.querySelectorAll(".sustained")];
  if (kind === "pictures" || !every.length) return null;
  const least = Math.min(...every.map((group) => Number(group.dataset.rate)).filter((measured) => measured >= rate / streams));
  const own = every.filter((group) => Number(group.dataset.rate) === least);
  for (const group of every) group.hidden = own.length > 0 && !own.includes(group);
  for (const group of own) {
    for (const row of group.querySelectorAll("tbody tr")) {
      const cell = row.querySelector("[data-need]"), enough = Number(row.dataset.low) >= streams;
      cell.textContent = enough ? "sustained" : "too many";
      cell.className = enough ? "enough" : "short";
      for (const link of row.querySelectorAll("[data-link]")) link.textContent = link.dataset.link ? number(streams * Number(link.dataset.link), "bit/s") : "–";
    }
  }
  return own[0] ?? false;
}

function streamsSentence(group, streams) {
  if (group === null) return ` For ${number(streams, "1", "count")} concurrent streams this is only a hint, because they are not measured here.`;
  if (!group) return " No stream with such a high rate was measured.";
  const rows = [...group.querySelectorAll("tbody tr")];
  const enough = rows.filter((row) => Number(row.dataset.low) >= streams).map((row) => row.querySelector("th").textContent.trim());
  return ` With concurrent streams of ${group.dataset.rateText} on testbed ${group.dataset.testbed}, ${enough.length} of ${rows.length} configurations sustained ${number(streams, "1", "count")}${enough.length ? `: ${enough.slice(0, 8).join(", ")}${enough.length > 8 ? " and others" : ""}` : ""}.`;
}

function sentence(found, { kind, streams }, group) {
  if (kind === "pictures") return "Pictures have no data rate; the rates below show how fast libraries of them were copied.";
  if (!found.total) return "There are no measured copies.";
  const many = streams > 1 ? streamsSentence(group, streams) : "";
  return `${found.enough.length} of ${found.total} configurations copied at least that fast, one copy at a time, by the low end of the interval${found.enough.length ? `: ${found.enough.slice(0, 8).join(", ")}${found.enough.length > 8 ? " and others" : ""}` : ""}.${many}`;
}

function update() {
  const wanted = need();
  for (const label of form.querySelectorAll("[data-for]")) label.hidden = label.dataset.for !== wanted.kind;
  out("rate").textContent = number(wanted.rate, "B/s");
  out("space").textContent = number(wanted.space, "B");
  out("file").textContent = number(wanted.file, "B");
  showLimits(wanted);
  for (const row of document.querySelectorAll(".shares tbody tr")) showTimes(row, wanted.rate);
  out("sentence").textContent = sentence(field("library") ? showSettings(wanted.rate) : { enough: [], total: 0 }, wanted, showStreams(wanted));
}

// The choices that differ from the default, as the address keeps them.
function chosen() {
  const query = new URLSearchParams();
  for (const input of inputs) {
    const usual = input.options ? ([...input.options].find((option) => option.defaultSelected) ?? input.options[0]).value : input.defaultValue;
    if (input.value !== usual && !input.closest("[hidden]")) query.set(input.name, input.value);
  }
  return query;
}

function remember() {
  const query = chosen();
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

// Links to planners of other testbeds keep the requirements, but not the library.
function lead() {
  const query = chosen();
  query.delete("library");
  for (const link of document.querySelectorAll(".planners a")) link.search = query;
}

function recall() {
  for (const [name, text] of new URLSearchParams(location.search)) {
    const input = field(name);
    if (input?.options && ![...input.options].some((option) => option.value === text)) continue;
    if (input?.options) input.value = text;
    else if (input && Number.isFinite(Number(text)) && text !== "") { input.value = text; input.value = value(input); }
  }
}

recall();
section.hidden = false;
for (const cell of document.querySelectorAll("[data-need]")) cell.hidden = false;
form.addEventListener("input", () => { update(); remember(); lead(); });
update();
lead();
