// Large parts of a page are compressed files: put them in their places.
import { packed } from "./unpack.js";

async function fill(place) {
  try {
    place.innerHTML = await packed(place.dataset.packed, place.dataset.root);
  } catch (error) {
    place.querySelector(".state").textContent = `This part could not be loaded: ${error.message}. Reload the page.`;
  }
}

// Resolves when every part is in its place.
export async function fillParts() {
  const places = [...document.querySelectorAll("[data-packed]")];
  await Promise.all(places.map(fill));
  if (places.length && location.hash) location.replace(location.href); // to the part that the address names
  document.documentElement.dataset.unpacked = "";
}
