// A page whose content is a compressed file, and whose frame all such pages of its version share: unpack both, then run the
// scripts of the page.
import { packed } from "./unpack.js";

async function show() {
  const { frame, main, root } = document.body.dataset;
  const [around, content] = await Promise.all([packed(frame, root), packed(main, root)]);
  const body = document.adoptNode(new DOMParser().parseFromString(around, "text/html").body);
  body.querySelector("main").innerHTML = content;
  document.body.replaceWith(body);
  for (const script of body.dataset.scripts.split(" ").filter(Boolean)) await import(new URL(script, import.meta.url).href);
  if (location.hash) location.replace(location.href); // to the part that the address names
}

show().catch((error) => { document.querySelector(".state").textContent = `This page could not be loaded: ${error.message}. Reload it.`; });
