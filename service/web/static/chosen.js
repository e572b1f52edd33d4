// Of what stands on a page for each game, what the chosen one has is shown; without scripts all of it lies folded.
const show = () => {
  const chosen = document.querySelector("[name=game]:checked")?.value;
  for (const x of document.querySelectorAll("[data-of-game]")) x.hidden = Boolean(chosen) && x.dataset.ofGame !== chosen;
};
document.addEventListener("change", show);
show();
