// The page of downloads: compressed tables, saved as a spreadsheet reads them.
import "./copy.js";
import { save } from "./save.js";
import { unpack } from "./unpack.js";

for (const button of document.querySelectorAll("button.unpack")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      save(await (await unpack(button.value)).text(), button.value.split("/").pop().replace(/\.gz$/, ""));
    } catch (error) {
      button.textContent = `Failed: ${error.message}`;
    }
  });
}
