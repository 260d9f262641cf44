// The form for custom weights. It only combines numbers that were computed with the findings.
import { unpack } from "./unpack.js";
import { MISSING, percent, ratio, shareInWords } from "./numbers.js";
import { read, weighDraws, weighVerdicts, write } from "./weigh.js";

export function offerWeights(section) {
  const inputs = [...section.querySelectorAll("input[type=range]")];
  const declared = Object.fromEntries(inputs.map((input) => [input.name, Number(input.dataset.declared)]));
  const weigh = section.dataset.kind === "draws" ? weighDraws : weighVerdicts;
  let known = null;

  const current = () => Object.fromEntries(inputs.map((input) => [input.name, Number(input.value)]));

  function put(weights) {
    for (const input of inputs) {
      input.value = weights[input.name];
      input.nextElementSibling.textContent = input.value;
    }
  }

  function remember(weights) {
    const address = new URL(location);
    if (write(weights) === write(declared)) address.searchParams.delete("w");
    else address.searchParams.set("w", write(weights));
    // Colon and comma are legal in a query; leaving them readable makes the address easy to edit.
    history.replaceState(null, "", address.href.replaceAll("%3A", ":").replaceAll("%2C", ","));
  }

  async function show() {
    known ??= await (await unpack(section.dataset.source)).json();
    render(section, weigh(known, current()));
  }

  section.addEventListener("input", (event) => {
    if (!event.target.matches("input[type=range]")) return;
    event.target.nextElementSibling.textContent = event.target.value;
    remember(current());
    show();
  });
  section.querySelector(".reset").addEventListener("click", () => {
    put(declared);
    remember(declared);
    show();
  });
  for (const hidden of section.querySelectorAll("input[hidden], output[hidden], button[hidden]")) hidden.hidden = false;
  const asked = new URL(location).searchParams.get("w");
  if (asked) {
    section.querySelector("details").open = true;
    put(read(asked, declared));
    show();
  }
}

function render(section, found) {
  const verdict = section.querySelector(".verdict");
  if (!found) {
    verdict.textContent = "Every weight is zero: there is nothing to weigh.";
    return;
  }
  const rows = [...section.querySelectorAll("tr[data-subject]")].filter((row) => row.dataset.subject in found.configurations);
  const of = (row) => found.configurations[row.dataset.subject];
  const chance = (row) => (found.verdict ? 0 : of(row).share);
  rows.sort((a, b) => chance(b) - chance(a) || sixDigits(of(a).score) - sixDigits(of(b).score) || (a.dataset.subject < b.dataset.subject ? -1 : 1));
  for (const row of rows) {
    const { share, score, verdict: mark } = of(row);
    row.parentElement.append(row);
    const shown = row.querySelector("[data-share]");
    if (shown) {
      shown.textContent = share === null ? MISSING : percent(share);
      row.querySelector(".meter rect:last-child").setAttribute("width", Math.round((share ?? 0) * 100));
    }
    row.querySelector("[data-score]").textContent = ratio(score);
    const drawn = mark ? section.querySelector(`template[data-mark=${mark}]`).content.cloneNode(true) : "";
    row.querySelector("[data-verdict]").replaceChildren(drawn);
  }
  verdict.textContent = sentence(section, found, rows);
}

// The conclusion with these weights, in the sentences of the page.
function sentence(section, found, rows) {
  if (!found.verdict) {
    const best = rows[0].dataset.subject;
    return section.dataset.best.replace("{name}", best).replace("{share}", shareInWords(found.configurations[best].share));
  }
  const others = rows.map((row) => row.dataset.subject).filter((subject) => found.configurations[subject].verdict === found.verdict);
  const name = found.verdict.replace(/_(.)/, (_, letter) => letter.toUpperCase());
  return section.dataset[name].replace("{first}", found.first).replace("{others}", others.join(" and "));
}

// Scores as the findings round them, so that equal ones are ordered by name there and here.
const sixDigits = (score) => Math.round(score * 1e6);
