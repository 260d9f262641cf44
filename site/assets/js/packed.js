// A page whose body is a compressed file: unpack it, then run the scripts of the page.
import { unpack } from "./unpack.js";

const { scripts } = document.body.dataset;

async function show() {
  const text = await (await unpack("body.html.gz")).text();
  document.body.replaceWith(document.adoptNode(new DOMParser().parseFromString(text, "text/html").body));
  for (const script of scripts.split(" ").filter(Boolean)) await import(new URL(script, import.meta.url).href);
  if (location.hash) location.replace(location.href); // to the part that the address names
  document.documentElement.dataset.unpacked = "";
}

show().catch((error) => { document.querySelector(".state").textContent = `This page could not be loaded: ${error.message}. Reload it.`; });
