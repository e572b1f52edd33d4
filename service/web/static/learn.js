// Puts a lesson's note on the place on board or hand that it speaks of, with its tail on it. Without scripts, and on a wide screen
// where there is no room over or under the place, it stays in the question; a click on it puts it back there.
{
  const note = document.querySelector(".lesson-note[data-speaks-of]");
  const GAP = 22; // the tail's length
  const code = CSS.escape(note?.dataset.speaksOf || "");
  const pieces = code ? [...document.querySelectorAll(`:is([data-part=board], [data-part=hand]) :is([data-value="${code}"], [data-slot="${code}"], [data-place="${code}"])`)] : [];
  const target = pieces.find((one) => one.getBoundingClientRect().width);
  const question = document.querySelector("[data-part=question]");
  const place = () => {
    note.classList.add("afloat");
    const sheet = question.getBoundingClientRect();
    const narrow = sheet.left < 1;
    const room = { top: document.querySelector("[data-part=bar]").getBoundingClientRect().bottom, bottom: narrow ? sheet.top : innerHeight, right: narrow ? innerWidth : sheet.left };
    const on = target?.getBoundingClientRect();
    const under = on && on.top - GAP - note.offsetHeight < room.top;
    const fight = narrow && on && document.querySelector("[data-fight]")?.getBoundingClientRect();
    const top = on && (under ? on.bottom + GAP : on.top - GAP - note.offsetHeight);
    const hides = fight && top < fight.bottom && top + note.offsetHeight > fight.top;
    const fits = on && !hides && on.top > room.top - 8 && on.bottom < innerHeight && (!under || on.bottom + GAP + note.offsetHeight < room.bottom);
    // On a phone it never pushes the verbs down or hides a battle: what has no place of its own lies over the board's top.
    const loose = !fits && narrow && sheet.top > room.top + note.offsetHeight;
    note.classList.toggle("afloat", Boolean(fits) || loose);
    note.classList.toggle("under", Boolean(fits) && under);
    note.classList.toggle("loose", loose);
    if (loose) {
      note.style.left = "8px";
      note.style.top = `${room.top + 8}px`;
    }
    if (!fits) return;
    const middle = on.left + on.width / 2;
    const left = Math.max(8, Math.min(middle - note.offsetWidth / 2, room.right - note.offsetWidth - 8));
    note.style.left = `${left}px`;
    note.style.top = `${top}px`;
    document.body.style.setProperty("--veil", `${room.top}px ${innerWidth - room.right}px ${innerHeight - room.bottom}px 0`);
    document.body.style.setProperty("--at", `${middle}px ${on.top + on.height / 2 - room.top}px`);
    document.body.style.setProperty("--hole", `${Math.max(on.width, on.height) * 0.6}px`);
    note.style.setProperty("--tail", `${Math.max(18, Math.min(middle - left, note.offsetWidth - 18))}px`);
  };
  const moved = () => requestAnimationFrame(place);
  const begin = () => {
    target?.classList.add("noted");
    target?.scrollIntoView({ block: "nearest", inline: "nearest" });
    place();
    addEventListener("resize", moved);
    addEventListener("scroll", moved, { capture: true, passive: true });
  };
  const back = () => {
    removeEventListener("resize", moved);
    removeEventListener("scroll", moved, { capture: true });
    note.classList.remove("afloat", "under", "loose");
  };
  if (note) {
    addEventListener("load", begin);
    note.addEventListener("click", back);
  }
}
