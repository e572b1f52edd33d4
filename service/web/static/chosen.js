// Shows only the parts of the page for the chosen game; without scripts all of them are folded. Disables numbers of seats that the
// game doesn't allow, and moves the choice to the nearest allowed one.
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
