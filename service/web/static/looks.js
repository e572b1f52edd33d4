// Help where one looks: what has a title on the map, beside it or in the hand shows its words at once on hover, on focus and by a
// tap, and a place of the map what it is worth and does. From the map itself the arrow keys go from place to place, and so they do
// among what a lord has, and among cards, where each of them is one stop. Without scripts the titles are there, and the lists in words.
const help = document.createElement("div");
help.className = "mm-help";
help.setAttribute("role", "status");
help.hidden = true;
document.body.append(help);

// A browser's own hint would come late, small, and never by a tap.
for (const x of document.querySelectorAll(":is(.mm, .mm-hand) [title]")) {
  x.dataset.told = x.title;
  if (x.matches("li") && !x.textContent.includes(x.title)) x.setAttribute("aria-description", x.title);
  x.removeAttribute("title");
}
for (const hex of document.querySelectorAll(".hexmap .hex")) {
  const title = hex.querySelector(":scope > title");
  if (!title) continue;
  hex.setAttribute("aria-label", title.textContent);
  title.remove();
}
const HELD = "[data-told], .hexmap .hex";
const wordsOf = (x) => (x.matches(".hex") ? [x.getAttribute("aria-label"), x.querySelector("desc")?.textContent] : [x.querySelector("strong, .mm-name")?.textContent, x.dataset.told]);
const groups = [...document.querySelectorAll(".mm-lord, .mm-hand, .mm-battle .mm-cards")].map((group) => {
  const items = [...group.querySelectorAll("[data-told]")].filter((x) => !x.matches("[tabindex], [role=button]") && !x.querySelector("a, [tabindex]"));
  items.forEach((x, i) => (x.tabIndex = i ? -1 : 0));
  return items;
});
const walk = (event) => {
  const items = groups.find((one) => one.includes(document.activeElement));
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  const to = by && items?.[items.indexOf(document.activeElement) + by];
  if (!to) return Boolean(by && items);
  document.activeElement.tabIndex = -1;
  to.tabIndex = 0;
  to.focus({ focusVisible: true });
  return true;
};
let shown = null;
let waiting = 0;
const hide = () => {
  clearTimeout(waiting);
  shown = null;
  help.hidden = true;
};
const place = (x) => {
  const [at, box] = [x.getBoundingClientRect(), help.getBoundingClientRect()];
  const left = Math.min(Math.max(at.left + at.width / 2 - box.width / 2, 6), innerWidth - box.width - 6);
  const over = at.top - box.height - 6;
  help.style.left = `${left}px`;
  help.style.top = `${over > 50 ? over : Math.min(at.bottom + 6, innerHeight - box.height - 6)}px`;
};
const show = (x) => {
  clearTimeout(waiting);
  const [name, told] = wordsOf(x).map((text) => (text || "").trim().replace(/\s+/g, " "));
  if (!told && !name) return;
  shown = x;
  const strong = document.createElement("strong");
  strong.textContent = name;
  help.replaceChildren(...(name ? [strong, " "] : []), told === name ? "" : told);
  help.hidden = false;
  place(x);
};
const held = (target) => target.closest?.(HELD) || null;

document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse") return;
  const x = held(event.target);
  if (x === shown) return;
  hide();
  if (x) waiting = setTimeout(show, 350, x);
});
document.addEventListener("pointerdown", hide);
// What a tap chooses is told by the question.
document.addEventListener("click", (event) => {
  const x = held(event.target);
  if (event.pointerType !== "mouse" && event.detail && x && !event.target.closest(".can, .chosen, a[href]")) show(x);
});
document.addEventListener("focusin", (event) => {
  const x = held(event.target) || event.target.querySelector?.(":scope > .hex, :scope > .now[data-told]");
  hide();
  if (x && event.target.matches(":focus-visible")) show(x);
});
document.addEventListener("scroll", () => shown && place(shown), true);
document.addEventListener("keydown", (event) => {
  if (["Escape", "Enter", " ", "Tab"].includes(event.key)) hide();
  if (walk(event)) return event.preventDefault();
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const field = document.activeElement?.closest(".mm-field");
  if (!way || !field || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const all = [...field.querySelectorAll(".hex")];
  const middle = (hex) => (({ left, top, width, height }) => [left + width / 2, top + height / 2])(hex.querySelector(".mm-line").getBoundingClientRect());
  const begin = all.find((hex) => hex.dataset.slot === field.dataset.centre) || all[0];
  const from = shown && all.includes(shown) ? shown : document.activeElement.closest(".hex") || document.activeElement.querySelector(":scope > .hex") || null;
  const [x, y] = middle(from || begin);
  const ahead = all.map((hex) => {
    const [dx, dy] = [middle(hex)[0] - x, middle(hex)[1] - y];
    const [along, aside] = [dx * way[0] + dy * way[1], Math.abs(dx * way[1]) + Math.abs(dy * way[0])];
    return { hex, cost: along > 4 ? along + 2 * aside : Infinity };
  }).reduce((best, one) => (one.cost < best.cost ? one : best), { hex: null, cost: Infinity });
  const to = from ? ahead.hex : begin;
  if (!to) return;
  to.scrollIntoView({ block: "nearest", inline: "nearest" });
  requestAnimationFrame(() => requestAnimationFrame(() => show(to)));
});
