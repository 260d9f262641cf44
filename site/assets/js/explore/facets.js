// Facets: the values of rows, the chosen ones, and how many rows each would leave.
import { MARKS, VERDICTS } from "./cells.js";

// `parts`: the value, setting and scheduler of a configuration.
export const isDefault = ({ parts }) => parts.slice(1).every((part) => part === "default");

const list = (text) => text.split(", ").filter(Boolean);
const unique = (values) => [...new Set(values)];

// A facet gives each row the numbers of its values, which are looked up once: a filter then only reads them.
function facet(rows, key, title, valuesOf, label = String) {
  const found = rows.map((row) => [valuesOf(row)].flat());
  const values = unique(found.flat().filter((value) => value !== null));
  const numbers = new Map(values.map((value, v) => [value, v]));
  return { key, title, values: values.map(String), labels: values.map(label), of: found.map((own) => own.map((value) => numbers.get(value) ?? -1)), chosen: new Set() };
}

// The title of a library: the workload as measured here, or what a study calls it.
function titleOf(rows) {
  const titles = new Map();
  for (const { group } of rows) {
    if (group.source === "measured" && !titles.has(group.library)) titles.set(group.library, group.workload || "all");
  }
  return (library) => titles.get(library) ?? (library || "all");
}

// All facets of the rows; one with a single value is left out. `parts`: titles of the parts of a configuration's name.
export function facetsOf(rows, parts) {
  const emulated = new Set(rows.filter(({ group }) => group.emulated).map(({ group }) => group.testbed));
  const titles = new Map(rows.map(({ group }) => [group.testbed, group.device]));
  const days = new Map(rows.flatMap(({ group }) => list(group.session).map((name, k) => [name, list(group.days)[k]])));
  const all = [
    facet(rows, "library", "Workload", (row) => row.group.library, titleOf(rows)),
    facet(rows, "source", "Source", (row) => row.group.source, (source) => (source === "measured" ? "measured here" : `study ${source}`)),
    ...parts.map(({ key, title }, k) => facet(rows, key, title, (row) => row.subject.parts[k])),
    facet(rows, "testbed", "Device", (row) => row.group.testbed, (bed) => titles.get(bed) + (emulated.has(bed) ? " (emulated)" : "")),
    facet(rows, "session", "Session", (row) => list(row.group.session), (name) => days.get(name)),
    facet(rows, "family", "Family", (row) => row.group.family, (family) => family.replaceAll("_", " ")),
    facet(rows, "tier", "Tier", (row) => row.first.tier, (tier) => `Tier ${tier}`),
    facet(rows, "verdict", "Verdict", (row) => row.first.verdict, (found) => VERDICTS[found][1]),
    facet(rows, "mark", "Marks", (row) => (row.first.marks.length ? row.first.marks.map(([name]) => name) : "plain"), (name) => (name === "plain" ? "no mark" : MARKS.find(([mark]) => mark === name)[0])),
    facet(rows, "status", "Status", (row) => row.first.status),
  ];
  return all.filter((each) => each.values.length > 1);
}

// Rows that match, and per facet the count of each value among rows that match all other facets.
export function select(rows, facets) {
  const found = [];
  const counts = facets.map((f) => new Uint32Array(f.values.length));
  const active = facets.map((f, k) => k).filter((k) => facets[k].chosen.size);
  for (const row of rows) {
    let misses = 0, missed = -1;
    for (const k of active) {
      if (!facets[k].of[row.i].some((v) => facets[k].chosen.has(v))) { misses++; missed = k; }
    }
    if (misses === 0) found.push(row);
    if (misses > 1) continue;
    for (let k = 0; k < facets.length; k++) {
      if (misses === 0 || k === missed) for (const v of facets[k].of[row.i]) if (v >= 0) counts[k][v]++;
    }
  }
  return { rows: found, counts };
}

// A drop-down list of checkboxes per facet; returns a function that shows new counts and how many are chosen.
export function drawFacets(form, facets) {
  form.replaceChildren();
  const shown = facets.map((f) => {
    const details = form.appendChild(Object.assign(document.createElement("details"), { className: "facet", name: "facet" }));
    const summary = details.appendChild(document.createElement("summary"));
    const set = details.appendChild(document.createElement("fieldset"));
    Object.assign(set.appendChild(document.createElement("legend")), { className: "visually-hidden", textContent: f.title });
    const boxes = f.values.map((value, v) => {
      const label = set.appendChild(document.createElement("label"));
      const box = label.appendChild(Object.assign(document.createElement("input"), { type: "checkbox", name: f.key, value }));
      box.dataset.value = v;
      label.appendChild(document.createElement("span")).textContent = f.labels[v];
      return { box, count: label.appendChild(document.createElement("span")) };
    });
    return { summary, boxes };
  });
  return (counts) => facets.forEach((f, k) => {
    const chosen = [...f.chosen].map((v) => f.labels[v]);
    shown[k].summary.textContent = chosen.length === 1 ? `${f.title}: ${chosen[0]}` : f.title + (chosen.length ? ` (${chosen.length})` : "");
    shown[k].summary.classList.toggle("active", chosen.length > 0);
    shown[k].boxes.forEach(({ box, count }, v) => {
      box.checked = f.chosen.has(v);
      const text = counts[k][v].toLocaleString("en");
      if (count.textContent !== text) count.textContent = text;
    });
  });
}
