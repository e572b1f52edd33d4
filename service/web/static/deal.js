// An exchange: ticked things move onto the felt between the two hands (data-felt), others back (data-held). Things that the chosen
// partner doesn't have (data-of: who does) are hidden unless ticked.
for (const deal of document.querySelectorAll("[data-deal]")) {
  const form = deal.closest("form");
  const order = [...deal.querySelectorAll("[data-held] > .f-tile, [data-felt] > .f-tile")];
  const tiles = new Map(order.map((tile) => [tile, tile.parentElement.dataset.held || tile.parentElement.dataset.felt]));
  const laid = (input) => (input.type === "checkbox" ? input.checked : Number(input.value) > 0);
  const fit = () => {
    const chosen = deal.querySelector("[data-partner] :is(:checked, select)")?.value;
    for (const [tile, name] of tiles) {
      const input = tile.querySelector("input");
      const on = laid(input);
      tile.hidden = !on && Boolean(chosen && tile.dataset.of) && !tile.dataset.of.split(" ").includes(chosen);
      const place = deal.querySelector(`[data-${on ? "felt" : "held"}="${name}"]`);
      if (tile.parentElement === place) continue;
      const focused = document.activeElement === input;
      const after = order.slice(order.indexOf(tile) + 1).find((one) => one.parentElement === place);
      place.insertBefore(tile, after || null);
      if (focused) input.focus({ preventScroll: true });
    }
    const called = deal.querySelector("[data-partner] input:checked")?.closest("label").textContent.trim();
    for (const head of called ? deal.querySelectorAll("[data-gives], [data-has]") : []) head.textContent = (head.dataset.gives || head.dataset.has).replace("#", called);
  };
  form.addEventListener("change", fit);
  fit();
}
