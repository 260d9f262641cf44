// The planner: requirements of the chosen media, next to limits and measured rates; the address keeps the choice.
import "./copy.js";
import { number } from "./numbers.js";

const HOUR = 3600;
const section = document.querySelector("#planner");
const form = document.querySelector(".planner");
const inputs = [...form.querySelectorAll("select, input")];
const out = (name) => section.querySelector(`[data-out="${name}"]`);
const field = (name) => inputs.find((input) => input.name === name);

// A number of a field inside its bounds, and whole where its steps are; its default where there is no number.
function value(input) {
  const given = Number(input.value);
  const sound = input.value !== "" && Number.isFinite(given) ? given : Number(input.defaultValue);
  const inside = Math.min(Math.max(sound, Number(input.min)), Number(input.max));
  return input.step === "1" ? Math.round(inside) : inside;
}

const plain = (value) => Number(value).toLocaleString("en");

// Marks each field whose number cannot be used, and says what is used instead.
function showReplaced() {
  const texts = inputs.filter((input) => input.type === "number").map((input) => {
    const used = value(input), sound = input.closest("[hidden]") || (input.value !== "" && Number(input.value) === used);
    input.ariaInvalid = String(!sound);
    if (sound) return "";
    const name = input.labels[0].firstChild.textContent.trim(), kind = input.step === "1" ? "a whole number" : "a number";
    return `${name} must be ${kind} from ${plain(input.min)} to ${plain(input.max)}: calculated with ${plain(used)}.`;
  });
  out("replaced").textContent = texts.filter(Boolean).join(" ");
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

// The copies of the chosen library; those of others are hidden.
function showSettings(rate) {
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = group.dataset.group !== field("library").value;
    for (const row of group.querySelectorAll("tbody tr")) showTimes(row, rate);
  }
}

// How many times the need a row's low end is.
function showTimes(row, rate) {
  const times = rate ? Number(row.dataset.low) / rate : null, cell = row.querySelector("[data-need]");
  cell.textContent = times === null ? "–" : `${number(times, "1")}×`;
  cell.className = times === null ? "num" : times >= 1 ? "num enough" : "num short";
}

// The tables of the lowest measured rate that is not below the need.
function showStreams({ kind, streams, rate }) {
  const every = [...document.querySelectorAll(".sustained")];
  if (kind === "pictures") return;
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
}

// How many times the need a device's test held: streams of at least the rate by their number, others by their bytes.
function timesHeld({ kind, low, rate }, { streams, rate: need }) {
  return kind === "streams" && need / streams <= Number(rate) ? Number(low) / streams : (Number(low) * Number(rate)) / need;
}

const LEAST = 1.25; // the margin that is called enough
const FIT = [[LEAST, "enough", "fine"], [1, "", "tight"], [0, "short", "too slow"]];
const fit = (times) => FIT.find(([least]) => times >= least);

// Fills in the table of devices; for each device the headroom of the nearest test of streams, or else the smaller of reading and filling.
function showDevices(wanted) {
  return [...document.querySelectorAll(".devices tbody tr")].map((row) => {
    const held = [...row.querySelectorAll("[data-held]")].map((each) => {
      const times = wanted.rate ? timesHeld({ kind: each.dataset.held, ...each.dataset }, wanted) : null;
      const out = each.querySelector("[data-times]");
      out.hidden = times === null;
      if (times !== null) [out.textContent, out.className] = [`${number(times, "1")}×`, fit(times)[1]];
      return { kind: each.dataset.held, rate: Number(each.dataset.rate), name: each.dataset.name, times };
    });
    const streams = nearest(held.filter(({ kind }) => kind === "streams"), wanted.rate / wanted.streams);
    return { title: row.dataset.title, measured: Boolean(streams), ...(streams ?? held.reduce((a, b) => (b.times < a.times ? b : a))) };
  });
}

// The test of streams that says most of streams of a rate: that of the lowest rate that is not below it, or else of the highest.
function nearest(tests, rate) {
  const sorted = tests.toSorted((a, b) => a.rate - b.rate);
  return sorted.find((test) => test.rate >= rate) ?? sorted.at(-1);
}

function sentence(devices, { kind, streams }) {
  if (kind === "pictures") return "Pictures have no data rate: see the space that they take.";
  if (!devices.length) return "No device was measured long enough to compare with this need.";
  const each = devices.map(({ title, times, name, measured }) => `On ${title}: ${fit(times)[2]}, ${number(times, "1")} times the need (${name}${measured || streams < 2 ? "" : ", one program at a time"})`);
  return `${each.join(". ")}.`;
}

function update() {
  const wanted = need();
  for (const label of form.querySelectorAll("[data-for]")) label.hidden = label.dataset.for !== wanted.kind;
  showReplaced();
  out("rate").textContent = number(wanted.rate, "B/s");
  out("space").textContent = number(wanted.space, "B");
  out("file").textContent = number(wanted.file, "B");
  showLimits(wanted);
  for (const row of document.querySelectorAll(".shares tbody tr")) showTimes(row, wanted.rate);
  if (field("library")) showSettings(wanted.rate);
  showStreams(wanted);
  out("sentence").textContent = sentence(showDevices(wanted), wanted);
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
    else if (input && Number.isFinite(Number(text)) && text !== "") input.value = text;
  }
}

recall();
section.hidden = false;
for (const cell of document.querySelectorAll("[data-need]")) cell.hidden = false;
form.addEventListener("input", () => { update(); remember(); lead(); });
update();
lead();
