// Where the map is moved inside its box, it begins at the place that matters: the battle's, or one's own castle.
for (const box of document.querySelectorAll("[data-centre]")) {
  const place = box.querySelector(`[data-slot="${CSS.escape(box.dataset.centre)}"]`);
  if (!place || box.scrollWidth <= box.clientWidth) continue;
  const [outer, inner] = [box.getBoundingClientRect(), place.getBoundingClientRect()];
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
}
