// Shows the position of this version among all published ones. The list is at the site's root, so pages of a release need no
// change for newer ones. Without scripts, links lead to that root.
const switcher = document.querySelector(".switch[data-versions]");
const root = new URL(".", new URL(switcher.dataset.versions, location.href));
const own = switcher.dataset.version;
const SHOWN = 8;

function element(name, properties, ...parts) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...parts);
  return made;
}

const link = (path, text) => element("a", { href: new URL(path, root).href }, text);

// The address of this page below the root of its version, with what a reader has chosen on it.
function ownPage() {
  const home = switcher.querySelector("[aria-current]").href;
  return location.href.startsWith(home) ? location.href.slice(home.length) : "";
}

// A link to another version leads to the same page there; where that version has none, to its home page.
async function keepPage(event) {
  const home = event.target.closest("a")?.href;
  if (!home || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const same = new URL(ownPage(), home);
  const found = await fetch(same, { method: "HEAD" }).then((answer) => answer.ok, () => false);
  location.assign(found ? same : home);
}

// The newest versions, and this one however old it is.
function offer(versions) {
  const [here, all] = switcher.querySelector("ul").children;
  const names = versions.map((each) => each.version);
  const shown = names.filter((name, place) => place < SHOWN || name === own);
  for (const name of shown) (name === own ? all.before(here) : all.before(element("li", {}, link(`${name}/`, name))));
  for (const item of switcher.querySelectorAll("li:not(:last-child) a")) item.addEventListener("click", keepPage);
}

function warn(versions) {
  const at = versions.findIndex((each) => each.version === own);
  if (at < 1) return;
  const aside = element("aside", { className: "banner" }, element("div", { className: "wide" }, element("strong", {}, "Outdated."),
    ` This is version ${own} of ${versions[at].released}; the newest release is `, link(`${versions[0].version}/`, versions[0].version),
    `. See the `, link(`${versions[0].version}/versions/${own}/`, `changes since ${own}`), "."));
  aside.setAttribute("aria-label", "Status of this version");
  document.querySelector("main").before(aside);
}

// On the page of versions: adds newer versions, which it cannot know, and links to the changes between any two.
function complete(list, versions) {
  const at = versions.findIndex((each) => each.version === own);
  for (const { version, released, statement } of versions.slice(0, Math.max(at, 0)).reverse()) {
    list.prepend(element("li", {}, element("h3", {}, link(`${version}/`, version)), element("p", {}, `Released ${released}.`),
      element("details", { className: "says" }, element("summary", {}, "Measurements"), element("p", {}, statement)),
      element("p", {}, link(`${version}/versions/${own}/`, `Differences between ${version} and ${own}`))));
  }
  const newest = [...list.querySelectorAll("h3")].find((heading) => heading.firstElementChild?.textContent === versions[0]?.version);
  newest?.append(" ", element("span", { className: "status ok" }, "newest"));
  if (versions.length > 1) offerPairs(document.querySelector(".pair"), versions.map((each) => each.version), Math.max(at, 0));
}

function offerPairs(section, names, at) {
  const [old, later] = section.querySelectorAll("select"), go = section.querySelector("a");
  for (const select of [old, later]) select.append(...names.map((name, place) => element("option", { value: place }, name)));
  [old.value, later.value] = at < names.length - 1 ? [at + 1, at] : [at, at - 1];
  const show = () => {
    const [first, second] = [Number(old.value), Number(later.value)].sort((a, b) => b - a);
    go.href = new URL(first === second ? `${names[first]}/` : `${names[second]}/versions/${names[first]}/`, root).href;
    go.textContent = first === second ? `Version ${names[first]}` : `What changed from ${names[first]} to ${names[second]}`;
  };
  for (const select of [old, later]) select.addEventListener("change", show);
  show();
  section.hidden = false;
}

async function start() {
  const { versions } = await (await fetch(new URL(switcher.dataset.versions, location.href))).json();
  offer(versions);
  warn(versions);
  const list = document.querySelector(".releases");
  if (list) complete(list, versions);
}

start();
