// Search: every word must be in the title; titles that begin with a word come first. The address keeps the words.
import "./copy.js";
import { unpack } from "./unpack.js";

const MOST = 50;
const section = document.querySelector("#search");
const input = section.querySelector("input");
const { root } = section.dataset;
let entries = null;

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const score = (title) => words.filter((word) => title.split(/[^a-z0-9.]+/).includes(word)).length;
  return entries.map((entry, at) => ({ ...entry, at, own: `${entry.title} ${entry.kind} ${entry.path}`.toLowerCase() }))
    .filter(({ own }) => words.every((word) => own.includes(word)))
    .sort((a, b) => score(b.own) - score(a.own) || a.at - b.at);
}

function item({ title, path, kind }) {
  const row = document.createElement("li");
  row.append(Object.assign(document.createElement("a"), { href: root + path, textContent: title }), " ",
    Object.assign(document.createElement("span"), { className: "aside", textContent: kind }));
  return row;
}

function show() {
  const found = find(input.value);
  section.querySelector(".found").replaceChildren(...found.slice(0, MOST).map(item));
  const many = found.length > MOST ? `, of which ${MOST} are shown` : "";
  section.querySelector(".count").textContent = input.value.trim() ? `${found.length.toLocaleString("en")} found${many}` : "";
  history.replaceState(null, "", input.value.trim() ? `?q=${encodeURIComponent(input.value.trim())}` : location.pathname);
}

async function start() {
  entries = await (await unpack(`${root}search.json.gz`)).json();
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("input", show);
  section.hidden = false;
  show();
  input.focus();
  section.dataset.ready = "";
}

start().catch((error) => { section.hidden = false; section.querySelector(".count").textContent = `The search could not be loaded: ${error.message}`; });
