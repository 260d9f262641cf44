// Static drawings become interactive on first use; only then is the chart library loaded, from this site.
import { unpack } from "./unpack.js";
let library = null;

function loadLibrary(from) {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(from.dataset.vega, import.meta.url).href; // next to this script
    script.integrity = from.dataset.vegaIntegrity;
    script.addEventListener("load", () => resolve(window.vegaEmbed));
    script.addEventListener("error", () => reject(new Error(`cannot load ${script.src}`)));
    document.head.append(script);
  });
  return library;
}

// Draws a spec in `place`, below an element that knows where the library is; returns the Vega view.
export async function embedded(place, spec) {
  const embed = await loadLibrary(place.closest("[data-vega]"));
  const fresh = document.createElement("div");
  const { view } = await embed(fresh, spec, {
    ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: showTooltip, mode: "vega-lite",
  });
  place.replaceChildren(fresh);
  return view;
}

// Replaces the drawing in `holder` by an interactive chart and returns the Vega view.
async function activate(holder) {
  const [, spec] = await Promise.all([
    loadLibrary(holder.closest("[data-vega]")), unpack(holder.dataset.spec).then((answer) => answer.json())]);
  const view = await embedded(holder.querySelector(".drawing"), spec);
  holder.querySelector(".explore").remove();
  holder.classList.add("live");
  return view;
}

// Calls `ready(view, holder)` once a chart is interactive.
export function offerCharts(ready = () => {}) {
  for (const holder of document.querySelectorAll(".chart[data-spec]")) {
    const button = holder.querySelector(".explore");
    let started = false;
    const start = async () => {
      if (started) return;
      started = true;
      button.disabled = true;
      try {
        const focused = holder.contains(document.activeElement);
        ready(await activate(holder), holder);
        if (focused) holder.querySelector(".drawing").focus();
      } catch (error) {
        button.disabled = started = false;
        button.textContent = "The chart could not be loaded: try again";
        console.error(error);
      }
    };
    button.hidden = false;
    button.addEventListener("click", start);
    holder.querySelector(".drawing").addEventListener("pointerdown", start);
  }
}

// Vega's own tooltip sets style attributes, which the page's security policy forbids; this one sets properties.
let box = null;
function showTooltip(handler, event, item, value) {
  box ??= document.body.appendChild(Object.assign(document.createElement("div"), { id: "vg-tooltip-element" }));
  box.classList.toggle("visible", Boolean(value));
  if (!value) return;
  const table = document.createElement("table");
  for (const [key, text] of Object.entries(value)) {
    const row = table.insertRow();
    Object.assign(row.insertCell(), { className: "key", textContent: key });
    row.insertCell().textContent = text;
  }
  box.replaceChildren(table);
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
  box.style.top = `${event.clientY + height + 20 > innerHeight ? event.clientY - height - 10 : event.clientY + 14}px`;
}
