// Of what stands on a page for each game, what the chosen one has is shown; without scripts all of it lies folded. Numbers of
// seats that the game isn't for can't be chosen, and one that was gives way to the nearest.
const seat = () => {
  const game = document.querySelector("[name=game]:checked");
  const least = Number(game?.dataset.least ?? 0), most = Number(game?.dataset.most ?? 99);
  const seats = [...document.querySelectorAll("[name=seats]")];
  for (const x of seats) x.disabled = x.value < least || x.value > most;
  const fit = seats.filter((x) => !x.disabled);
  if (fit.length && seats.some((x) => x.checked && x.disabled))
    (seats.find((x) => x.checked).value < least ? fit[0] : fit.at(-1)).checked = true;
};
const show = () => {
  seat();
  const chosen = document.querySelector("[name=game]:checked")?.value;
  for (const x of document.querySelectorAll("[data-of-game]")) x.hidden = Boolean(chosen) && x.dataset.ofGame !== chosen;
};
document.addEventListener("change", show);
show();
