// Filters the answers of machines by processor, kernel and device, and counts the visible ones. The address keeps the filter.
const form = document.querySelector(".chosen");

if (form) {
  const blocks = [...document.querySelectorAll("tbody[data-device]")].map((block) => ({
    block, statement: block.querySelector("[data-statement]"), whole: block.querySelector("[data-statement]").textContent,
    rows: [...block.querySelectorAll("tr[data-processor]")].map((row) => ({
      row, processor: [row.dataset.processor], kernel: JSON.parse(row.dataset.kernel), device: [block.dataset.device],
      first: JSON.parse(row.dataset.first), ranked: JSON.parse(row.dataset.ranked) })),
  }));
  const selects = [...form.querySelectorAll("select")];

  // The configuration that leads on most of the visible machines that measured it and have a conclusive answer.
  const counted = (rows) => {
    const decided = rows.filter((r) => r.first.length);
    const held = [...new Set(decided.flatMap((r) => r.first))].map((name) => ({
      name, on: decided.filter((r) => r.first.includes(name)).length,
      of: decided.filter((r) => r.ranked.includes(name)).length }));
    const [best] = held.sort((a, b) => b.on - a.on || a.of - b.of);
    return best ? `In this selection, ${best.name} leads on ${best.on} of ${best.of} machines with a conclusive answer.` : "In this selection, no machine has a conclusive answer.";
  };

  const update = () => {
    const chosen = selects.filter((s) => s.value);
    let shown = 0;
    for (const { block, statement, whole, rows } of blocks) {
      const left = rows.filter((r) => chosen.every((s) => r[s.name].includes(s.value)));
      for (const r of rows) r.row.hidden = !left.includes(r);
      block.hidden = !left.length;
      shown += block.hidden ? 0 : 1;
      statement.textContent = left.length === rows.length ? whole : counted(left);
    }
    form.querySelector("output").textContent = `${shown} of ${blocks.length} questions`;
    const words = new URLSearchParams(chosen.map((s) => [s.name, s.value]));
    history.replaceState(null, "", `${location.pathname}${chosen.length ? `?${words}` : ""}${location.hash}`);
  };

  const wanted = new URLSearchParams(location.search);
  for (const select of selects) {
    if ([...select.options].some((o) => o.value === wanted.get(select.name))) select.value = wanted.get(select.name);
  }
  form.hidden = false;
  form.addEventListener("change", update);
  update();
}
