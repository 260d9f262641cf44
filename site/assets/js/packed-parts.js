// Large parts of a page are compressed files: put them in their places.
import { unpack } from "./unpack.js";

async function fill(place) {
  try {
    place.innerHTML = await (await unpack(place.dataset.packed)).text();
  } catch (error) {
    place.querySelector(".state").textContent = `This part could not be loaded: ${error.message}. Reload the page.`;
  }
}

// Resolves when every part is in its place.
export async function fillParts() {
  await Promise.all([...document.querySelectorAll("[data-packed]")].map(fill));
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  document.documentElement.dataset.unpacked = "";
}
