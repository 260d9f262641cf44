// Facets: the values of rows, the chosen ones, and how many rows each would leave.
import { MARKS, VERDICTS } from "./columns.js";

// `parts`: the value, setting and scheduler of a configuration; `data.parts` has their titles.
export const isDefault = ({ parts }) => parts.slice(1).every((part) => part === "default");

// Each facet gives a row the numbers of its values; a facet with a single value is left out.
export function facetsOf(data) {
  const parts = data.subjects.map((s) => s.parts);
  const named = data.parts.map((part, k) => ({ ...part, values: [...new Set(parts.map((p) => p[k]))] }));
  const families = [...new Set(data.groups.map((g) => g.family))];
  const familyOf = data.groups.map((g) => families.indexOf(g.family));
  const testbeds = [...new Set(data.groups.map((g) => g.testbed))];
  const libraries = [...new Set(data.groups.map((g) => g.library))];
  const titles = libraries.map((library) => {
    const own = data.groups.filter((g) => g.library === library);
    const here = own.filter((g) => g.source === "measured");
    return here.length ? here[0].workload || "all" : own.length > 1 ? library : own[0].title;
  });
  const emulation = (name) => (data.groups.some((g) => g.testbed === name && g.emulated) ? `${name} (emulated)` : name);
  const sources = [...new Set(data.groups.map((g) => g.source))];
  const sourceOf = data.groups.map((g) => sources.indexOf(g.source));
  const testbedOf = data.groups.map((g) => testbeds.indexOf(g.testbed));
  const libraryOf = data.groups.map((g) => libraries.indexOf(g.library));
  const tiers = [...new Set(data.tier.filter((t) => t !== null))].sort((a, b) => a - b);
  const make = facet(data.group.length);
  const all = [
    make("library", "Workload", libraries, titles, (i) => [libraryOf[data.group[i]]]),
    make("source", "Source", sources, sources.map((s) => (s === "measured" ? "measured here" : `study ${s}`)), (i) => [sourceOf[data.group[i]]]),
    ...named.map(({ key, title, values }, k) => {
      const of = parts.map((p) => values.indexOf(p[k]));
      return make(key, title, values, values, (i) => [of[data.subject[i]]]);
    }),
    make("testbed", "Testbed", testbeds, testbeds.map(emulation), (i) => [testbedOf[data.group[i]]]),
    make("family", "Family", families, families.map((f) => f.replaceAll("_", " ")), (i) => [familyOf[data.group[i]]]),
    make("tier", "Tier", tiers.map(String), tiers.map((t) => `Tier ${t}`), (i) => [tiers.indexOf(data.tier[i])]),
    make("verdict", "Verdict", data.verdicts, data.verdicts.map((name) => VERDICTS[name][1]), (i) => [data.verdict[i] ?? -1]),
    make("mark", "Marks", ["plain", ...MARKS.map(([name]) => name)], ["no mark", ...MARKS.map(([name]) => name)],
      (i) => (data.marks[i] ? MARKS.map((_, bit) => (data.marks[i] & (1 << bit) ? bit + 1 : -1)) : [0])),
    make("status", "Status", data.statuses, data.statuses, (i) => [data.status[i]]),
  ];
  return all.filter((f) => f.values.length > 1);
}

// The values of every row are looked up once: a filter then only reads them.
const facet = (rows) => (key, title, values, labels, of) => ({
  key, title, values, labels, of: Array.from({ length: rows }, (_, i) => of(i)), chosen: new Set() });

// Rows of `order` that match, and per facet the count of each value among rows that match all other facets.
export function select(order, facets) {
  const rows = [];
  const counts = facets.map((f) => new Uint32Array(f.values.length));
  const active = facets.map((f, k) => k).filter((k) => facets[k].chosen.size);
  for (const i of order) {
    let misses = 0, missed = -1;
    for (const k of active) {
      if (!facets[k].of[i].some((v) => facets[k].chosen.has(v))) { misses++; missed = k; }
    }
    if (misses === 0) rows.push(i);
    if (misses > 1) continue;
    for (let k = 0; k < facets.length; k++) {
      if (misses === 0 || k === missed) for (const v of facets[k].of[i]) if (v >= 0) counts[k][v]++;
    }
  }
  return { rows, counts };
}

// Checkboxes in `form`, one fieldset per facet; returns a function that shows new counts.
export function drawFacets(form, facets) {
  const shown = facets.map((f) => {
    const set = form.appendChild(document.createElement("fieldset"));
    set.appendChild(document.createElement("legend")).textContent = f.title;
    return f.values.map((value, v) => {
      const label = set.appendChild(document.createElement("label"));
      const box = label.appendChild(Object.assign(document.createElement("input"), { type: "checkbox", name: f.key, value }));
      box.dataset.value = v;
      label.appendChild(document.createElement("span")).textContent = f.labels[v];
      return { box, count: label.appendChild(document.createElement("span")) };
    });
  });
  return (counts) => facets.forEach((f, k) => shown[k].forEach(({ box, count }, v) => {
    box.checked = f.chosen.has(v);
    const text = counts[k][v].toLocaleString("en");
    if (count.textContent !== text) count.textContent = text;
  }));
}
