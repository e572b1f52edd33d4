// Where a map is moved inside its box, it begins at the place that matters: the battle's, the one that is asked about, one's own.
for (const box of document.querySelectorAll("[data-centre]")) {
  const code = CSS.escape(box.dataset.centre);
  const place = box.querySelector(`[data-slot="${code}"], [data-place="${code}"]`);
  if (!place || (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight)) continue;
  const [outer, inner] = [box.getBoundingClientRect(), place.getBoundingClientRect()];
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
  const board = box.closest(".board"); // the box may be higher than the board shows; scrollIntoView would scroll the page, too
  if (board) board.scrollTop += Math.max(0, place.getBoundingClientRect().bottom - board.getBoundingClientRect().bottom);
}
