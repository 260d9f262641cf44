// The form that weighs the tasks anew. What it shows comes from draws that were computed with the findings.
import { percent, ratio, shareInWords } from "./numbers.js";
import { read, weigh, write } from "./weigh.js";

export function offerWeights(section) {
  const inputs = [...section.querySelectorAll("input[type=range]")];
  const declared = Object.fromEntries(inputs.map((input) => [input.name, Number(input.dataset.declared)]));
  let draws = null;

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
    draws ??= await (await fetch(section.dataset.draws)).json();
    render(section, weigh(draws, current()));
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
  const rows = [...section.querySelectorAll("tr[data-subject]")].filter((row) => row.dataset.subject in found);
  const of = (row) => found[row.dataset.subject];
  rows.sort((a, b) => of(b).share - of(a).share || sixDigits(of(a).score) - sixDigits(of(b).score) || (a.dataset.subject < b.dataset.subject ? -1 : 1));
  for (const row of rows) {
    row.parentElement.append(row);
    row.querySelector("[data-share]").textContent = percent(of(row).share);
    row.querySelector("[data-score]").textContent = ratio(of(row).score);
    row.querySelector(".meter rect:last-child").setAttribute("width", Math.round(of(row).share * 100));
  }
  const first = rows[0].dataset.subject;
  verdict.textContent = section.dataset.template.replace("{subject}", first).replace("{share}", shareInWords(found[first].share));
}

// Scores as the findings round them, so that equal ones are ordered by name there and here.
const sixDigits = (score) => Math.round(score * 1e6);
