// A card of a march offers only Lords who can go with its group and reachable places (data-choices, which ahead.js updates after each
// change). Without an answer of the server everything can be chosen, as without scripts.
document.addEventListener("marked", () => {
  const plan = document.querySelector("[data-plan~=move]");
  const choices = choicesOf(plan);
  let at = 0; // rows that are empty aren't counted
  for (const row of document.querySelectorAll(".f-lordcard")) {
    const cells = (filled(row) && choices[at++]) || choices.at(-1);
    const offered = (cell, code) => !cells || cells.get(cell)?.includes(code);
    const goes = [...row.querySelectorAll('[name*="__lords__"]')];
    for (const x of goes) x.closest("label").hidden = !x.checked && !offered("lords", x.name.split("__lords__")[1]);
    row.querySelector(".f-goes").classList.toggle("alone", goes.some((x) => x.checked) && goes.filter((x) => !x.closest("label").hidden).length < 2); // not `hidden`: the board reads it
    for (const leg of row.querySelectorAll(".f-leg")) {
      const select = leg.querySelector("select");
      const cell = select.name.split("__").at(-1);
      for (const o of select.options) o.hidden = Boolean(o.value) && !o.selected && !offered(cell, o.value);
      leg.hidden = !select.value && cells && !cells.get(cell)?.length;
    }
  }
  const going = [...document.querySelectorAll('.f-lordcard [name*="__lords__"]:checked')].map((x) => x.name.split("__lords__")[1]);
  for (const line of document.querySelectorAll(".f-stays li")) line.hidden = going.includes(line.querySelector("[data-value]")?.dataset.value);
});
