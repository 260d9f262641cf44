// A raw record: unpack the files of an experiment in the browser and show the one that the address names.
import "./copy.js";
import { save } from "./save.js";
import { records } from "./unpack.js";

const asked = new URLSearchParams(location.search);
const pack = /^[0-9a-f]{64}$/.exec(asked.get("pack") ?? "")?.[0];
const file = asked.get("file") ?? "";
const section = document.querySelector("#record");
const $ = (selector) => section.querySelector(selector);
const state = document.querySelector(".state");

async function sha256(text) {
  if (!crypto.subtle) return "only shown over https";
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function link(other) {
  const item = document.createElement("li");
  item.append(Object.assign(document.createElement("a"), { href: `?pack=${pack}&file=${encodeURIComponent(other)}`, textContent: other }));
  return item;
}

async function show() {
  state.textContent = pack ? "Loading" : "The address names no record. Each experiment's page links to its records.";
  if (!pack) return;
  try {
    const found = await records(pack);
    if (!Object.hasOwn(found, file)) throw new Error(`the experiment has no file ${file}`);
    $(".save").addEventListener("click", () => save(found[file], file, "application/json"));
    $(".all").addEventListener("click", () => save(JSON.stringify(found), `${pack}.json`, "application/json"));
    $("#file").textContent = file;
    $(".text").textContent = found[file];
    $(".sum").textContent = await sha256(found[file]);
    const order = new Intl.Collator("en", { numeric: true });
    $(".others").replaceChildren(...Object.keys(found).sort(order.compare).map(link));
    section.hidden = false;
    state.textContent = "";
  } catch (error) {
    state.textContent = `This record cannot be shown: ${error.message}. Reload the page, or start from the experiment's page.`;
  }
}

show();
