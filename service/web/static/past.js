// The arrow keys go through the log, but not while something that scrolls sideways has the focus.
document.addEventListener("keydown", (event) => {
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!way || event.altKey || event.ctrlKey || event.metaKey || document.activeElement?.closest(".board, .hand, input, select")) return;
  document.querySelector(`a[rel=${way}]`)?.click();
});
