// Help for what has a title on map, side panels and hand: shown on hover, focus and tap. Arrow keys go from place to place of the map,
// and among a lord's things and the cards, which are one tab stop each. Without scripts the titles are there.
const help = document.createElement("div");
help.className = "mm-help";
help.setAttribute("role", "status");
help.hidden = true;
document.body.append(help);

// Replaces the browser's tooltips: they come late, are small, and need a mouse.
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
// A tap that picks shows no help.
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
  const middle = (hex) => (({ left, top, width, height }) => [left + width / 2, top + height / 2])(hex.querySelector(".mm-outline").getBoundingClientRect());
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

// Where everything can be picked on board and hand, a sentence says what is chosen and the button what it does; the lists are folded.
// The board gives the words, in an element with data-said, the ids of the options:
//   data-fold    label of the folded lists             data-back  label of the button that undoes the last pick
//   data-first   shown while nothing is chosen         data-go    the submit button: # is what is chosen, or how many go
//   data-number  the field of how many go              data-short  what to do if more go than there are
//   data-rest    the button while only other numbers are changed    data-stay  and while nothing is chosen
for (const form of document.querySelectorAll("[data-part=question] > .options form")) {
  const words = document.querySelector(`[data-said~="${CSS.escape(form.elements.option?.value || "")}"]`)?.dataset;
  const row = form.querySelector(":scope > .row:last-of-type");
  const button = row?.querySelector("button:not([formaction])");
  if (!words || !button) continue;
  const label = button.textContent;
  const there = (value) => document.querySelector(`:is([data-part=board], [data-part=hand]) [data-value="${CSS.escape(value)}"]`);
  const codeOf = (x) => (x.type === "checkbox" || x.closest(".count") ? x.name.slice(x.name.lastIndexOf("__") + 2) : x.value);
  const valuesOf = (x) => (x instanceof HTMLSelectElement ? [...x.options].map((o) => o.value).filter(Boolean) : x.type === "number" && !x.closest(".count") ? [] : [codeOf(x)]);
  const boxes = [...form.querySelectorAll(":scope > .field, :scope > fieldset")].filter((box) =>
    [...box.querySelectorAll("input, select")].every((x) => valuesOf(x).every(there)));
  if (!boxes.length) continue;

  const lists = document.createElement("details");
  lists.className = "by-hand";
  const called = document.createElement("summary");
  called.textContent = words.fold;
  lists.append(called, ...boxes);
  row.before(lists);
  // Unfold an invalid field.
  lists.addEventListener("invalid", () => (lists.open = true), true);
  const told = document.createElement("div");
  told.className = "mm-chosen";
  told.setAttribute("aria-live", "polite");
  form.querySelector(".field, fieldset, .pool, .by-hand").before(told);

  // The same as Escape.
  const back = document.createElement("button");
  back.type = "button";
  back.className = "quiet take-back";
  back.textContent = words.back;
  back.addEventListener("click", () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
  row.insertBefore(back, row.querySelector(".lasting"));

  const inside = () => boxes.flatMap((box) => [...box.querySelectorAll("input, select")]);
  const shares = () => inside().filter((x) => x.dataset.share !== undefined);
  const moved = (x) => Number(x.value) !== Number(x.dataset.usual);
  const nameOf = (x) => (x.closest(".pick")?.querySelector("span") || form.querySelector(`label[for="${CSS.escape(x.id)}"]`))?.firstChild?.textContent.trim();
  // Picked [value, label] pairs, repeated by number.
  const picks = () => inside().flatMap((x) => {
    if (x instanceof HTMLSelectElement) return x.value ? [[x.value, x.selectedOptions[0].textContent.trim()]] : [];
    if (x.type === "radio" || x.type === "checkbox") return x.checked ? [[codeOf(x), nameOf(x)]] : [];
    return x.closest(".count") ? Array(Number(x.value) || 0).fill([codeOf(x), nameOf(x)]) : [];
  });
  const line = (strong, text = "") => {
    const p = document.createElement("p");
    p.className = "mm-aim";
    const b = document.createElement("strong");
    b.textContent = strong;
    p.append(b, text);
    return p;
  };
  let [said, aimed] = ["", false];
  const fresh = () => {
    const number = words.number && form.elements[`f_${words.number}`];
    const chosen = picks();
    // Without a target nobody goes.
    if (number && aimed && !chosen.length && Number(number.value)) number.value = 0;
    aimed = chosen.length > 0;
    const anew = shares().filter(moved);
    back.hidden = !(picked.get(form) || []).some((one) => one.way.on());
    const go = number ? Number(number.value) || 0 : chosen.map(([, name]) => name).join(", ");
    button.textContent = chosen.length ? (words.go ? words.go.replace("#", go) : label) : (anew.length ? words.rest : words.stay) || label;
    button.classList.toggle("primary", Boolean(chosen.length || anew.length || !words.stay));
    form.classList.toggle("anew", anew.length > 0);
    for (const x of form.querySelectorAll("[data-there]")) x.textContent = Number(form.querySelector("[data-pool]")?.dataset.pool) - shares().reduce((sum, s) => sum + Number(s.value), 0);
    const uses = number ? [] : chosen.map(([value, name]) => [name, there(value)?.closest("[data-uses] [data-told]")?.dataset.told || ""]).filter(([, use]) => use);
    const pool = form.querySelector(".pool.wrong[data-short]");
    const lines = [
      ...(pool ? [[`${pool.textContent.trim()} `, words.short || ""]] : []),
      ...uses.map(([name, use]) => [`${name}: `, use]),
      ...anew.map((x) => [`${nameOf(x)}: `, `${x.dataset.usual} → ${x.value}`]),
      ...(chosen.length || anew.length || !words.first ? [] : [["", words.first]]),
    ];
    if (JSON.stringify(lines) === said) return;
    said = JSON.stringify(lines);
    told.replaceChildren(...lines.map((one) => line(...one)));
  };
  form.addEventListener("input", fresh);
  form.addEventListener("change", fresh);
  document.addEventListener("marked", fresh);
  fresh();
}
