// Permalinks: `cite/#code` redirects to the part, `cite/?show#code` shows how to cite it.
import "./copy.js";
import { fillParts } from "./packed-parts.js";

const box = document.getElementById("chosen");

// The address of this version: below the site's public address if known, else below the address of this page.
function versionAddress({ version, site, root }) {
  const here = new URL(site ?? root, location.href);
  return here.pathname.endsWith(`/${version}/`) ? here : new URL(`${version}/`, here);
}

function fill(id, text) {
  document.querySelector(`#${id} code`).textContent = text;
}

function show(part) {
  const { version, released } = box.dataset;
  const base = versionAddress(box.dataset);
  const link = part.querySelector("a");
  const title = link.textContent;
  const address = `${base}cite/#${part.id}`;
  const whole = document.querySelector('[aria-labelledby="version"] code').textContent;
  part.closest("details").open = true;
  link.setAttribute("aria-current", "true");
  box.querySelector(".says").replaceChildren(
    `${part.dataset.page}: `, link.cloneNode(true), `, version ${version} of ${released}`);
  fill("chosen-citation", `“${part.dataset.page}: ${title}” (${part.dataset.kind}), ${released}. In: ${whole} ${address}`);
  fill("chosen-address", address);
  const picture = document.getElementById("chosen-picture");
  picture.hidden = !part.dataset.picture;
  if (part.dataset.picture) {
    const file = new URL(part.dataset.picture, base).href;
    const name = `${part.dataset.page}: answer of Spindlemark ${version}`;
    const shown = Object.assign(document.createElement("img"), { src: box.dataset.root + part.dataset.picture, alt: name });
    picture.querySelector("p").replaceChildren(shown);
    const inert = document.implementation.createHTMLDocument(); // which fetches no image: the address may be of another server
    const frame = Object.assign(inert.createElement("a"), { href: address });
    frame.append(Object.assign(inert.createElement("img"), { src: file, alt: name, width: 640 }));
    fill("chosen-picture", frame.outerHTML);
  }
  box.hidden = false;
  box.scrollIntoView();
  // While still loading, a browser scrolls to the part itself once more.
  addEventListener("load", () => setTimeout(() => box.scrollIntoView()), { once: true });
}

function follow() {
  const part = box && document.getElementById(location.hash.slice(1));
  if (!part?.dataset.kind) return;
  if (location.search === "?show") show(part);
  else location.replace(part.querySelector("a").href);
}

addEventListener("hashchange", follow);
fillParts().then(follow);
