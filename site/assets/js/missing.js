// Page not found: former addresses of raw records lead to their experiment, those of other files to the page that links to them.
import "./copy.js";

const FIRST = "filesystem_lifecycle"; // its pages have addresses without its name
const found = /^(.*\/)raw\/([^/]+)\/([^/]+)\/([^/]+)\/[^/]+\/[^/]+\.json$/.exec(location.pathname);
if (found) {
  const [, version, testbed, family, experiment] = found;
  location.replace(`${version}experiment/${testbed}/${family === FIRST ? "" : `${family}/`}${experiment.toLowerCase()}/#records`);
}
const FORMER = [
  [/^(.*\/)download\/[^/]+$/, "data/#files"],
  [/^(.*\/)machine\/[^/]+\.zip$/, "machine/"],
  [/^(.*\/study\/\d+\/)(?:table|figure)-[^/]+\.csv$/, "tables/"],
  [/^(.*\/study\/\d+\/)[^/]+\.(?:yaml|json|csv)$/, ""],
];
const former = FORMER.find(([address]) => address.test(location.pathname));
if (former) location.replace(former[0].exec(location.pathname)[1] + former[1]);

// A page that another version lacks: offer that of the newest version.
async function offer() {
  const site = new URL("..", import.meta.url); // this script is in the folder assets/ of the site
  const [, own, page] = /^(?:(\d{4}\.\d{2}(?:\.\d+)?|unreleased)\/)?(.*)$/.exec(location.pathname.slice(site.pathname.length));
  const { versions } = await (await fetch(new URL("versions.json", site))).json();
  const newest = versions[0]?.version;
  if (!newest || newest === own || ["", "404.html"].includes(page)) return;
  const same = new URL(`${newest}/${page}`, site).href;
  if (!(await fetch(same, { method: "HEAD" })).ok) return;
  const shown = document.querySelector("#same");
  Object.assign(shown.querySelector("a"), { href: same, textContent: `${newest}/${page}` });
  shown.hidden = false;
}

offer();
