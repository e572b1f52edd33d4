// Comfort on a map: a click or Enter on a place picks it in the form, and counts that must add up are added while one types.
// Everything works without: the same choices are in the form, and the server counts again.

const says = document.querySelector("[data-map-status]");
const hint = document.querySelector("[data-map-hint]");

// Every input or option of a form that stands for this place.
const standIns = (id) =>
  [...document.querySelectorAll(".options form input[type=radio], .options form option")].filter((x) => x.value === id);

const isPicked = (x) => (x instanceof HTMLOptionElement ? x.selected : x.checked);
const opened = (x) => !x.closest("details") || x.closest("details").open;

const pick = (hex) => {
  const found = standIns(hex.dataset.choice);
  const x = found.find(opened) || found[0];
  if (!x) return;
  const control = x instanceof HTMLOptionElement ? x.closest("select") : x;
  const fold = control.closest("details");
  if (fold) fold.open = true;
  if (x instanceof HTMLOptionElement) control.value = x.value;
  else x.checked = true;
  control.dispatchEvent(new Event("change", { bubbles: true }));
  control.dispatchEvent(new Event("input", { bubbles: true }));
  if (says) says.textContent = says.dataset.picked.replace("#", hex.querySelector("title").textContent);
};

const hexes = [...document.querySelectorAll("[data-choice]")].filter((hex) => standIns(hex.dataset.choice).length);

const mark = () => {
  for (const hex of hexes) {
    const on = standIns(hex.dataset.choice).some((x) => isPicked(x) && opened(x));
    hex.classList.toggle("picked", on);
    hex.setAttribute("aria-pressed", String(on));
  }
};

for (const hex of hexes) {
  hex.classList.add("choice", "legal");
  hex.setAttribute("role", "button");
  hex.setAttribute("tabindex", "0");
  hex.addEventListener("click", () => pick(hex));
  hex.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick(hex);
  });
}
if (hexes.length) {
  if (hint) hint.hidden = false;
  document.addEventListener("change", mark);
  document.addEventListener("toggle", mark, true);
  mark();
}

for (const pool of document.querySelectorAll("[data-pool]")) {
  const form = pool.closest("form");
  const words = pool.dataset;
  const shares = [...form.querySelectorAll("[data-share]")];
  const spent = [...form.querySelectorAll("[data-spent]")];
  const count = () => {
    let rest = Number(words.pool);
    for (const share of shares) rest -= Number(share.value) || 0;
    const sent = spent.reduce((sum, input) => sum + (Number(input.value) || 0), 0);
    const short = Math.max(-rest, sent - rest, 0);
    pool.textContent =
      words.rest.replace("#", Math.max(rest, 0)) +
      (sent ? " " + words.left.replace("#", Math.max(rest - sent, 0)) : "") +
      (short ? " " + words.short.replace("#", short) : "");
    pool.classList.toggle("wrong", short > 0);
  };
  form.addEventListener("input", count);
  form.addEventListener("change", count);
  count();
}

// Where the map is moved inside its box, it begins at the place that matters: the battle's, or one's own castle.
for (const box of document.querySelectorAll("[data-centre]")) {
  const place = box.querySelector(`[data-value="${CSS.escape(box.dataset.centre)}"]`);
  if (!place || box.scrollWidth <= box.clientWidth) continue;
  const [outer, inner] = [box.getBoundingClientRect(), place.getBoundingClientRect()];
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
}
