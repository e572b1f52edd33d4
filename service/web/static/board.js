// The board is an input of the form: a click, Enter or Space on an element with data-value picks that value in the next field,
// Escape undoes the last pick. Without scripts the form has the same values, and links fill it in.
const question = document.querySelector("[data-part=question]");
const pieces = [...document.querySelectorAll(":is([data-part=board], [data-part=hand], [data-stall]) [data-value]")]; // a stall: what is for sale, beside the question
const forms = question ? [...question.querySelectorAll(".options form")].filter((f) => !f.closest(".offers")) : [];
const asides = question ? [...question.querySelectorAll(".offers .options form")] : []; // forms of open offers
const picked = new Map(); // form -> picks on the board, oldest first
// The status line of the question, and that of the open offers.
const beside = document.querySelector("[data-step-beside]");
const step = document.querySelector("[data-step]") || beside;
const say = (text) => {
  const here = (asides.includes(current()) && beside) || step;
  for (const one of [step, beside]) {
    if (!one) continue;
    one.hidden = !text || one !== here;
    one.textContent = one === here ? text : "";
  }
  if (here === beside && text) current()?.querySelector(":scope > .row:last-of-type")?.prepend(beside);
};

const phrase = (kind, what = "") => step?.dataset[kind].replace("#", what) || "";
const sayPicked = (what, then, ready = "", gone = "") => say(`${phrase("picked", what)}${gone} ${then ? phrase("next", then.label) : ready}`);

const svgElement = (name, attributes, ...inside) => {
  const x = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) x.setAttribute(key, value);
  x.append(...inside);
  return x;
};
// A button for one more or one fewer, by 1 or -1.
const stepButton = (label, by) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = by > 0 ? "+" : "−";
  button.setAttribute("aria-label", `${label}: ${phrase(by > 0 ? "more" : "fewer")}`);
  return button;
};
const fireChange = (x) => ["input", "change"].forEach((kind) => x.dispatchEvent(new Event(kind, { bubbles: true })));

// A value may have parts: `blaye/b`, a village and a family. With data-parts on the board a part picks the value that contains it
// and shares the most parts with the chosen ones.
const compound = Boolean(document.querySelector("[data-part=board] [data-parts]"));
const partsOf = (value) => (compound && /[/+]/.test(value) ? value.split(/[/+]/) : []);
class Ways extends Map {
  holding(part) {
    this.mixed ??= compound && [...this.keys()].some((value) => partsOf(value).length);
    return this.mixed ? [...this].filter(([value]) => partsOf(value).includes(part)) : [];
  }
  has(code) {
    return super.has(code) || this.holding(code).length > 0;
  }
  get(code) {
    const all = super.has(code) ? [] : this.holding(code);
    if (!all.length) return super.get(code);
    const now = [...this].filter(([, way]) => way.on()).flatMap(([value]) => partsOf(value));
    const shared = ([value]) => partsOf(value).filter((part) => now.includes(part)).length;
    return (all.find(([, way]) => way.on()) || all.reduce((best, one) => (shared(one) > shared(best) ? one : best)))[1];
  }
}

// The fields of a form, in order: name, label, and `ways`: value -> functions that read, set and clear it.
const fieldsOf = (form) => {
  const found = new Map();
  const field = (name, label) => {
    if (!found.has(name)) found.set(name, { name, label, ways: new Ways() });
    return found.get(name);
  };
  const heard = (x) => {
    fireChange(x);
    // Scroll the chosen input into view, between the head of the form and its button.
    const [box, row] = [x.closest("label") || x, form.querySelector(":scope > .row:last-of-type")].map((y) => y?.getBoundingClientRect());
    if (!row || !box.height || !question?.contains(form)) return;
    const [under, over] = [box.bottom + 18 - row.top, question.getBoundingClientRect().top + 18 - box.top];
    if (under > 0 || over > 0) question.scrollTop += under > 0 ? under : -over;
  };
  const legend = (x) => (x.closest("fieldset")?.querySelector("legend")?.firstChild?.textContent || "").trim();
  const words = (x) => (x.closest("label")?.querySelector("span")?.firstChild?.textContent || "").trim();
  for (const x of form.elements) {
    if (!x.name?.startsWith("f_") || x.closest("[hidden]")) continue;
    if (x.type === "radio") {
      const f = field(x.name, legend(x));
      f.ways.set(x.value, { label: words(x), on: () => x.checked, set: () => ((x.checked = true), heard(x)), clear: () => ((x.checked = false), heard(x)) });
    } else if (x instanceof HTMLSelectElement) {
      const f = field(x.name, (form.querySelector(`label[for="${CSS.escape(x.id)}"]`)?.textContent || legend(x)).trim());
      f.one_of_many = Boolean(x.closest(".pair"));
      f.optional = x.dataset.optional !== undefined;
      for (const o of x.options) {
        if (o.value) f.ways.set(o.value, { label: o.textContent.trim(), on: () => x.value === o.value, set: () => ((x.value = o.value), heard(x)), clear: () => ((x.value = ""), heard(x)) });
      }
    } else if (x.type === "checkbox" || (x.type === "number" && x.closest(".pick"))) {
      const at = x.name.lastIndexOf("__");
      const f = field(x.name.slice(0, at), legend(x));
      f.several = true;
      f.optional = x.closest("fieldset")?.dataset.optional !== undefined;
      f.most = Number(x.closest("fieldset")?.dataset.upTo || Infinity);
      f.all = x.closest("fieldset")?.dataset.all !== undefined; // there is nothing to choose: all of it has to be picked
      const n = () => Number(x.value) || 0;
      const way =
        x.type === "checkbox"
          ? { on: () => x.checked, set: () => ((x.checked = true), heard(x)), clear: () => ((x.checked = false), heard(x)) }
          : { on: () => n() > 0, more: () => n() < Number(x.max), set: () => ((x.value = Math.min(n() + 1, Number(x.max))), heard(x)), clear: () => ((x.value = Math.max(n() - 1, 0)), heard(x)) };
      way.label = words(x);
      way.n = x.type === "checkbox" ? () => Number(x.checked) : n;
      f.ways.set(x.name.slice(at + 2), way);
    }
  }
  for (const f of found.values()) f.filled = () => [...f.ways.values()].some((w) => w.on());
  return [...found.values()];
};

// How the board draws an option (plans.js). Places from which one sets out, or at which a number is set, open its form too.
const plans = [...document.querySelectorAll("[data-plan]")];
const plansOf = (form) => (asides.includes(form) ? [] : plans).filter((plan) => plan.dataset.plan.split(" ").includes(form.elements.option?.value));

// Where the choices of a row depend on earlier rows, the server computes them: data-choices is `lords=Arthur,Henri;to=blaye,sigy` for
// each row that is begun, then for one more; data-far is the message for what can't be chosen. ahead.js updates both after each pick.
const choicesOf = ({ dataset }) => {
  const rows = (dataset.choices || "").split(" ").filter(Boolean);
  return rows.map((row) => new Map(row.split(";").map((cell) => cell.split("=")).map(([name, codes]) => [name, codes.split(",").filter(Boolean)])));
};
const chosenIn = (f) => [...(f?.ways || [])].filter(([, way]) => way.on()).map(([code]) => code);
const begunRow = (form, row) => [...form.elements].some((x) => x.name?.startsWith(row) && x.value !== "" && (!["checkbox", "radio"].includes(x.type) || x.checked));
const narrow = (form, found) => {
  for (const plan of plansOf(form).filter((plan) => plan.dataset.choices)) {
    const choices = choicesOf(plan);
    const rows = Number(form.elements[`f_${plan.dataset.each}__rows`]?.value || 0);
    let at = 0; // rows that are empty aren't counted
    for (let n = 1; n <= rows; n++) {
      const row = `f_${plan.dataset.each}__${n}__`;
      const cells = (begunRow(form, row) && choices[at++]) || choices.at(-1);
      for (const [name, codes] of cells) {
        const f = found.find((one) => one.name === row + name);
        f?.ways.forEach((way, code) => way.on() || codes.includes(code) || f.ways.delete(code));
      }
    }
  }
  return found;
};
// Fields that depend on another one: data-hinges is the kind of the form, that field, and those that depend on it; data-to lists
// what fits each of its values: `blaye=b,c sigy=d`.
const hinged = (form, found) => {
  for (const { dataset } of document.querySelectorAll("[data-part=board] [data-hinges]")) {
    const [kind, on, ...those] = dataset.hinges.split(" ");
    if (form.elements.kind?.value !== kind) continue;
    const lists = new Map(dataset.to.split(" ").filter(Boolean).map((pair) => pair.split("=")).map(([code, list]) => [code, list.split(",")]));
    const [there] = chosenIn(found.find((f) => f.name === `f_${on}`));
    for (const f of found.filter((one) => those.includes(one.name.slice(2)))) f.ways.forEach((way, code) => way.on() || lists.get(there)?.includes(code) || f.ways.delete(code));
  }
  return found;
};
const fields = (form) => hinged(form, narrow(form, fieldsOf(form))); // rows come and go, so nothing is cached

// A piece joins the last row until that has a target, then begins a row of its own.
const rowOf = (form) => {
  const plan = plansOf(form).find((one) => one.dataset.far);
  const n = plan && Number(form.elements[`f_${plan.dataset.each}__rows`]?.value || 0);
  return n ? { plan, name: (cell) => `f_${plan.dataset.each}__${n}__${cell}`, cells: plan.dataset.path.split(" ") } : null;
};
const joins = (form, code, found) => {
  const row = rowOf(form);
  if (!row) return false;
  const [group, to] = row.cells.map((cell) => found.find((f) => f.name === row.name(cell)));
  return Boolean(group && !to?.filled() && group.ways.has(code) && !group.ways.get(code).on());
};
const begins = (form, code, found) => {
  const row = rowOf(form);
  const add = row && form.querySelector("[data-rows] > [data-do=add]:not(:disabled)");
  if (!add) return null;
  const sent = (f) => f.name.endsWith(`__${row.cells[0]}`) && f.ways.get(code)?.on();
  const free = choicesOf(row.plan).at(-1)?.get(row.cells[0]).includes(code);
  return free && !found.some(sent) && found.find((f) => f.name === row.name(row.cells[1]))?.filled() ? add : null;
};
// The stops on the way to what the last row's group can reach in several steps (`trail=sigy,sigy+st_ciers` of data-choices).
const trailTo = (form, code) => {
  const row = rowOf(form);
  const trails = row && begunRow(form, row.name("")) ? choicesOf(row.plan).at(-2)?.get("trail") : null;
  return trails?.map((trail) => trail.split("+")).find((trail) => trail.at(-1) === code) || null;
};
const follow = (form, x, stops) => {
  const row = rowOf(form);
  const [first, ...more] = row.cells.slice(1).map((cell) => form.elements[row.name(cell)]).filter(Boolean);
  const go = (way) => {
    [first, ...more].forEach((leg, i) => (leg.value = way[i] || ""));
    fireChange(first);
  };
  const way = { label: nameOf(x), on: () => true, clear: () => go([]) };
  const before = (picked.get(form) || []).filter((one) => ![first, ...more].some((leg) => leg.name === one.f));
  picked.set(form, [...before, { x, way, f: first.name }]);
  go(stops);
  inTurn(() => form, () => sayPicked(nameOf(x), null, phrase("ready")));
};
const spotIn = (form, code) => plansOf(form).find((plan) => plan.dataset.path.split(" ")[0] === `@${code}`);
let spot = null; // the plan whose number is set on the board now
let begun = null; // the form that a pick opened

const fold = (form) => form.closest("details");
const closes = (form) => fold(form) && fold(form).dataset.stands === undefined && (forms.length > 1 || asides.includes(form));
const countsOnBoard = (form) => plansOf(form).some((plan) => plan.dataset.number); // it has a number that is set on the board
let latest = null; // the fold that was opened last
// The form that is being filled in: of those that are open and in view the one that was opened last, else the first.
const current = () => {
  const open = [...forms, ...asides].filter((form) => fold(form)?.open && !form.closest("details:not([open])"));
  const filling = open.filter((form) => fields(form).some((f) => f.ways.size) || countsOnBoard(form));
  return filling.find((form) => fold(form) === latest) || filling[0] || null;
};
const opened = (fold) => {
  const form = fold.matches?.(".at-any-time, details.option") && asides.find((one) => fold.contains(one) && one.closest("details").open);
  if (form) latest = form.closest("details");
  else if (fold.matches?.("details.option")) latest = fold;
};
document.querySelectorAll(".at-any-time[open]").forEach(opened);
if (latest && new URLSearchParams(location.search).has("offer")) latest.scrollIntoView({ block: "start" }); // a link led to it
// Opening a verb focuses its first field, except on touch screens, where a keyboard would cover the board.
const enter = (fold) => {
  if (!fold.matches?.("details.option") || document.activeElement?.parentElement !== fold || !matchMedia("(pointer: fine)").matches) return;
  [...fold.querySelectorAll("select, textarea, input:not([type=hidden])")].find(seenOf)?.focus();
};
document.addEventListener("toggle", (event) => event.target.open && (opened(event.target), enter(event.target)), true);

// The field to pick next: the first empty one with values on the board.
const codes = new Set(pieces.map((x) => x.dataset.value));
// Fields picked only in the hand (data-in-hand), only outside it (data-off-hand), or not at all (data-unseen).
const lies = document.querySelector("[data-part=board] [data-in-hand]")?.dataset || {};
const [inHand, offHand, unseen] = [lies.inHand, lies.offHand, lies.unseen].map((names) => (names || "").split(" "));
const fits = (f, x) => {
  const name = f.name.slice(2);
  if (!f.ways.has(x.dataset.value) || unseen.includes(name)) return false;
  return !(x.closest("[data-part=hand]") ? offHand : inHand).includes(name);
};
const onBoard = (f) => pieces.some((x) => fits(f, x));
// The form of the offer that a card of the hand plays.
const played = (x) => asides.find((form) => form.elements.kind?.value === x.dataset.plays) || null;
// Selects in pairs (thing, place) are picked one after the other, even if they are prefilled.
const untold = (form, f) => f.one_of_many && !(picked.get(form) || []).some((one) => one.f === f.name);
const next = (form) => fields(form).find((f) => onBoard(f) && (!f.filled() || untold(form, f)));

const seenOf = (x) => x.getClientRects().length > 0;
const asked = new Set(pieces.filter((x) => forms.some((form) => fieldsOf(form).some((f) => f.ways.has(x.dataset.value)) || spotIn(form, x.dataset.value))));
const mark = () => {
  const form = current();
  const aside = asides.includes(form);
  const wanted = form ? next(form) : null;
  const found = form ? fields(form) : [];
  const open = found.filter(onBoard);
  const all = form ? [] : forms.map((one) => [one, fields(one)]);
  const row = form && rowOf(form);
  // Of equal pieces mark as many as are chosen: the picked ones, then the first.
  const chosenNow = new Set();
  for (const code of form ? codes : []) {
    const all = pieces.filter((x) => x.dataset.value === code && (seenOf(x) || x.closest("[data-stall]"))); // a chosen line is hidden
    const n = Math.max(0, ...open.map((f) => f.ways.get(code)).filter((way) => way?.on()).map((way) => way.n?.() ?? 1));
    // A thing may be shown on the map, in the form and next to it: mark it in each.
    for (const where of ["svg", "[data-stall]", ":not(svg, svg *, [data-stall] *)"]) {
      const alike = all.filter((x) => (where.startsWith(":") ? x.matches(where) : x.closest(where)));
      const touched = (picked.get(form) || []).map((one) => one.x).filter((x) => alike.includes(x));
      [...new Set([...touched.reverse(), ...alike])].slice(0, n).forEach((x) => chosenNow.add(x));
    }
  }
  for (const x of pieces) {
    const code = x.dataset.value;
    const chosen = chosenNow.has(x);
    // In an offer an optional field doesn't block the ones after it.
    const now = wanted && !(aside && wanted.optional) ? [wanted] : row ? [] : open;
    const can = form
      ? now.some((f) => fits(f, x)) || Boolean(spotIn(form, code)?.dataset.number) || joins(form, code, found) || Boolean(begins(form, code, found) || trailTo(form, code))
      : all.some(([f, own]) => own.some((g) => g.ways.has(code)) || spotIn(f, code)) || Boolean(played(x));
    x.classList.toggle("can", can && !chosen);
    x.classList.toggle("chosen", chosen);
    // A piece that the question has no use for is a button only while an offer can take it.
    if (!asked.has(x)) answering(x, can || chosen || Boolean(played(x)));
    // The fields it is chosen in, for CSS: `for decoy`.
    if (chosen) x.dataset.in = open.filter((f) => f.ways.get(code)?.on()).map((f) => f.name.split("__").at(-1).replace(/^f_/, "")).join(" ");
    else delete x.dataset.in;
    x.classList.toggle("from", Boolean(form && plansOf(form).some((plan) => plan.dataset.path.startsWith(`@${code} `) || (plan === spot && plan.dataset.path === `@${code}`))));
    if (x.getAttribute("role") === "button") x.setAttribute("aria-pressed", String(chosen));
  }
  document.querySelector("main")?.classList.toggle("choosing", Boolean(form) && open.length > 0);
  for (const back of question?.querySelectorAll("[data-esc]") || []) {
    const its = back.closest("form");
    back.hidden = !(closes(its) || picked.get(its)?.length || (spot && its === form));
  }
  document.dispatchEvent(new Event("marked"));
};
const answering = (x, takes) => {
  if (takes) x.setAttribute("role", "button");
  else for (const name of ["role", "aria-pressed"]) x.removeAttribute(name);
  if (x.hasAttribute("href")) return;
  if (takes) x.setAttribute("tabindex", "0");
  else x.removeAttribute("tabindex");
};

const saidOf = (x) => {
  const said = x.cloneNode(true);
  said.querySelectorAll("[aria-hidden=true]").forEach((one) => one.remove());
  return said.textContent;
};
const nameOf = (x) => (x.getAttribute("aria-label") || x.querySelector("title")?.textContent || saidOf(x).trim() || x.getAttribute("title") || x.dataset.value).trim().replace(/\s+/g, " ").split(/[.;] /)[0].slice(0, 60); // only the name at the beginning of a title

// The form's label for a pick.
const calledOf = (x, way) => way.label || nameOf(x);

// In a full field a prefilled value makes room, else the oldest pick. Returns the message about it.
const makeRoom = (form, f) => {
  if (!f.several || [...f.ways.values()].reduce((sum, way) => sum + way.n(), 0) < f.most) return "";
  const done = picked.get(form) || [];
  const own = (way) => done.filter((one) => one.way.label === way.label && one.f === f.name).length;
  const first = done.find((one) => one.f === f.name);
  const gone = [...f.ways.values()].find((way) => way.n() > own(way)) || first.way;
  if (first?.way.label === gone.label) done.splice(done.indexOf(first), 1);
  gone.clear();
  return ` ${phrase("undone", gone.label)}`;
};

// After a change of a stop, clears later stops that can't follow it.
const mend = (form, name) => {
  const row = rowOf(form);
  const cells = row ? row.cells.map(row.name) : [];
  let gone = false;
  for (const later of cells.slice(cells.indexOf(name) + 1 || cells.length)) {
    const codes = choicesOf(row.plan).at(-2)?.get(later.split("__").at(-1));
    const stop = fieldsOf(form).find((f) => f.name === later);
    for (const code of chosenIn(stop)) {
      gone ||= Boolean(codes) && !codes.includes(code);
      if (gone) stop.ways.get(code).clear();
    }
  }
};

// While the server computes the choices, the form is busy (ahead.js): picks and their messages are queued.
const queued = [];
const isBusy = (form) => form?.getAttribute("aria-busy") === "true";
const inTurn = (form, act) => {
  queued.push([form, act]); // form: which, when its turn comes
  goOn();
};
const goOn = () => {
  while (queued.length && !isBusy(queued[0][0]())) queued.shift()[1]();
};
// A submit waits for queued picks.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!queued.length || !isBusy(form)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  inTurn(() => form, () => form.requestSubmit(submitter));
}, true);

// A thing that several lists can take is put into the first, with the next pick into the second, and then out again. data-by-turns
// names the lists, alternatives separated by `/`: the one whose second list can take the thing.
const chains = (document.querySelector("[data-by-turns]")?.dataset.byTurns || "").split("/").map((chain) => chain.split(" "));
const turnsOf = (taking) => {
  const named = (name) => taking.find((f) => f.name === `f_${name}`);
  const chain = chains.find((one) => one[1] && named(one[1])) || chains.find((one) => one.some(named)) || [];
  const found = chain.map(named).filter(Boolean);
  return found.length === taking.length ? found : [];
};
const turn = (form, x, all) => {
  const code = x.dataset.value;
  const at = all.findIndex((f) => f.ways.get(code).on());
  const done = (picked.get(form) || []).filter((one) => one.x !== x);
  if (at >= 0) all[at].ways.get(code).clear();
  const f = all[at + 1];
  const told = (one) => `${one.label} ${one.ways.get(code).label}`;
  if (!f) {
    picked.set(form, done);
    return say(phrase("undone", told(all[at])));
  }
  const way = f.ways.get(code);
  way.set();
  picked.set(form, [...done, { x, way, f: f.name }]);
  const more = all[at + 2];
  say(`${phrase("picked", told(f))} ${more ? phrase("again", more.label) : ""}`);
};

// Options that a pick opens only if no other one takes it.
const pickedLast = (document.querySelector("[data-picked-last]")?.dataset.pickedLast || "").split(" ");
const guess = (takes) => forms.find((f) => takes(f) && !pickedLast.includes(f.elements.option?.value)) || forms.find(takes);
// The verb that plays a card without naming it (data-verb: the first that can be chosen now).
const verbOf = (x) => {
  const ids = (x.closest("[data-verb]")?.dataset.verb || "").split(" ").filter(Boolean);
  return ids.map((id) => document.getElementById(`verb-${id}`)).find((verb) => verb && seenOf(verb) && !verb.closest(".shut")) || null;
};

const pick = (x) => {
  choose(x);
  mark();
};
const choose = (x) => {
  const code = x.dataset.value;
  const takes = (f) => fields(f).some((g) => g.ways.has(code));
  let form = current();
  // If a pick doesn't fit the form that an earlier pick opened, another form that takes all picks replaces it.
  if (form && form === begun && !takes(form) && !spotIn(form, code)) {
    const so_far = picked.get(form) || [];
    const other = forms.find((f) => takes(f) && so_far.every((one) => fields(f).some((g) => g.ways.has(one.x.dataset.value))));
    if (other) {
      so_far.forEach((one) => one.way.clear());
      picked.set(form, []);
      fold(form).open = false;
      fold(other).open = true;
      begun = form = other;
      so_far.forEach((one) => pick(one.x));
    }
  }
  const verb = form ? null : verbOf(x);
  if (verb) {
    if (verb.closest("details.option")) verb.closest("details.option").open = true;
    verb.focus();
    verb.scrollIntoView({ block: "nearest" });
    say(phrase("next", (verb.querySelector(".whole") || verb).textContent.trim()));
    return;
  }
  if (!form) {
    form = guess(takes) || forms.find((f) => spotIn(f, code));
    begun = form;
  }
  // A card that can be played at any time opens its offer.
  if (played(x) && !(form && (takes(form) || spotIn(form, code)))) {
    latest = fold(played(x));
    latest.closest(".at-any-time").open = true;
    latest.open = true;
    latest.scrollIntoView({ block: "nearest" });
    sayPicked(latest.querySelector("summary").textContent.trim(), next(played(x)));
    return;
  }
  if (!form) return;
  const add = begins(form, code, fields(form));
  if (add) {
    add.click();
    x.focus();
  }
  const taking = fields(form).filter((f) => fits(f, x));
  spot = null;
  const by_turns = turnsOf(taking);
  if (by_turns.length) {
    if (fold(form)) fold(form).open = true;
    return turn(form, x, by_turns);
  }
  if (!taking.length && !trailTo(form, code)) {
    const plan = spotIn(form, code);
    const far = rowOf(form)?.plan.dataset.far;
    if (!plan && x.name === "rows") return x.form.requestSubmit(x); // it begins a row on the server, where the board can't yet
    if (!plan && far) say(far.replace("#", nameOf(x)));
    if (!plan) return;
    if (fold(form)) fold(form).open = true;
    if (plan.dataset.number) spot = plan;
    sayPicked(nameOf(x), spot ? null : next(form));
    return;
  }
  const wanted = next(form);
  const trail = !(wanted && fits(wanted, x)) && !taking.some((g) => g.ways.get(code).on()) && trailTo(form, code);
  if (trail) return follow(form, x, trail);
  const f = taking.find((g) => !g.filled()) || taking.find((g) => untold(form, g)) || taking.find((g) => g.ways.get(code).on()) || taking.find((g) => g.several) || taking.at(-1);
  const way = f.ways.get(code);
  if (fold(form)) fold(form).open = true;
  const done = picked.get(form) || [];
  // The first click confirms a prefilled value, the second clears it.
  if (way.on() && !way.more?.() && (f.all || (!f.several && !done.some((one) => one.way.on() && one.f === f.name)))) {
    if (!f.all) picked.set(form, [...done, { x, way, f: f.name }]);
    sayPicked(calledOf(x, way), next(form), phrase("ready"));
  } else if (way.on() && !way.more?.()) {
    while (way.on()) way.clear();
    picked.set(form, done.filter((one) => one.x !== x));
    say(phrase("undone", calledOf(x, way)));
  } else {
    const gone = makeRoom(form, f);
    way.set();
    picked.set(form, [...done, { x, way, f: f.name }]);
    const tell = () => {
      mend(form, f.name);
      const then = next(form);
      sayPicked(calledOf(x, way), then, phrase("ready"), gone);
      if (!then) form.querySelector("button:not([hidden]):not([tabindex])")?.scrollIntoView({ block: "nearest" });
    };
    if (isBusy(form)) queued.unshift([() => form, tell]);
    else tell();
  }
};

for (const x of pieces) {
  const plays = played(x);
  if (asked.has(x)) answering(x, true);
  else if (!plays && !asides.some((form) => fieldsOf(form).some((f) => f.ways.has(x.dataset.value)))) continue;
  const act = (event) => {
    if (x.getAttribute("role") !== "button" && !plays) return;
    event.preventDefault();
    inTurn(current, () => pick(x));
  };
  x.addEventListener("click", (event) => event.metaKey || event.ctrlKey || act(event));
  x.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && act(event));
}

// Back, by Escape or its button: leaves a confirmation, else undoes the last pick, else closes the verb.
const goBack = () => {
  const confirmed = document.querySelector(".confirm [data-back]");
  if (confirmed) return confirmed.click();
  const form = current();
  if (!form) return;
  queued.length = 0;
  const done = picked.get(form) || [];
  const last = spot ? null : done.pop();
  if (spot) {
    spot = null;
    say("");
  } else if (last) {
    last.way.clear();
    picked.set(form, done);
    say(phrase("undone", calledOf(last.x, last.way)));
  } else if (closes(form)) {
    fold(form).open = false;
    fold(form).querySelector("summary").focus();
    say("");
  }
  mark();
};
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  const menu = document.querySelector(".bar details[open]");
  if (!menu) return goBack();
  menu.open = false;
  menu.querySelector("summary").focus();
});
question?.addEventListener("click", (event) => {
  const back = event.target.closest("[data-esc]");
  if (!back) return;
  event.preventDefault();
  latest = fold(back.closest("form"));
  goBack();
});
// A long list of radio buttons folds to the chosen one after a pick on the board or in another field, so that the next field is in
// view. Focus unfolds it.
const LONG = 3;
for (const form of forms) {
  for (const list of form.querySelectorAll("fieldset:has(> .pick > [type=radio])")) {
    if (list.querySelectorAll("[type=radio]").length < LONG) continue;
    form.addEventListener("change", (event) => {
      const goes_on = !list.contains(document.activeElement) && (!event.isTrusted || !list.contains(event.target));
      list.classList.toggle("folded", goes_on && Boolean(list.querySelector(":checked")));
    }, true);
    list.addEventListener("focusin", () => list.classList.remove("folded"));
  }
}

// A switch of kinds (GAME/switch.html) and the choice below it follow each other: changing the kind keeps the place, if possible.
for (const list of document.querySelectorAll(".switched")) {
  const choices = [...list.querySelectorAll(":scope > .pick > [type=radio]")];
  const parts = (x) => x.value.split(":");
  list.closest("form").addEventListener("change", () => {
    const chosen = choices.find((x) => x.checked);
    const side = chosen && list.querySelector(`.kinds [value="${CSS.escape(parts(chosen)[0])}"]`);
    if (side) side.checked = true;
  });
  list.querySelector(".kinds").addEventListener("change", (event) => {
    event.stopPropagation();
    const chosen = choices.find((x) => x.checked);
    if (!chosen) return;
    const [, seat, place] = parts(chosen);
    const alike = choices.filter((x) => parts(x)[0] === event.target.value && parts(x)[1] === seat);
    const other = alike.find((x) => parts(x)[2] === place) || alike[0];
    if (other) other.checked = true;
    else chosen.checked = false;
    fireChange(other || chosen);
  });
}

if (pieces.length) {
  document.addEventListener("change", mark);
  document.addEventListener("toggle", mark, true);
  mark();
}

// A line of the log highlights what it names on board and hand on hover, focus or touch.
const lit = new Map(); // line -> what it lights
for (const line of document.querySelectorAll("[data-lights]")) {
  const named = new Set(line.dataset.lights.split(" "));
  const things = [...document.querySelectorAll(":is([data-part=board], [data-part=hand]) :is([data-value], [data-seat], [data-place])")];
  const own = things.filter((x) => [x.dataset.value, x.dataset.seat, x.dataset.place].some((code) => named.has(code)));
  if (own.length) lit.set(line, own);
}
const light = (line) => {
  document.querySelectorAll(".lit").forEach((x) => x.classList.remove("lit"));
  (lit.get(line) || []).forEach((x) => x.classList.add("lit"));
};
// Lines share one tab stop (roving tabindex): arrow keys go from line to line.
const lines = [...document.querySelectorAll(".events > li:not(.until)")];
const stops = lines.map((line) => line.querySelector("a.then") || line);
lines.forEach((line, i) => {
  stops[i].tabIndex = i ? -1 : 0;
  line.addEventListener("pointerenter", () => light(line));
  line.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && light(null));
  line.addEventListener("focusin", () => light(line));
  line.addEventListener("focusout", () => light(null));
  line.addEventListener("keydown", (event) => {
    const other = stops[i + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] || stops.length)];
    if (!other) return;
    event.preventDefault();
    stops[i].tabIndex = -1;
    other.tabIndex = 0;
    other.focus();
  });
});

// What is new since the last visit gets a ribbon on the board, with the day of the newest line if there is room. Seats get none: they
// are in every line.
const freshDays = new Map();
for (const line of document.querySelectorAll(".events .new[data-lights]"))
  for (const code of line.dataset.lights.split(" ")) if (!freshDays.has(code)) freshDays.set(code, line.dataset.day || "");
const freshWords = document.querySelector(".events")?.dataset.fresh;
// Places a ribbon at a name: of the positions around it the one that covers least of what the chart keeps clear (data-keep-clear),
// placed ribbons included.
const keptClear = new Map(); // chart -> what is to stay clear
const clearOf = (svg) => {
  const what = svg.dataset.keepClear;
  if (!keptClear.has(svg)) keptClear.set(svg, what ? [...svg.querySelectorAll(what)].map((x) => [x, x.getBoundingClientRect()]) : []);
  return keptClear.get(svg);
};
const hung = (svg, name, wide, high) => {
  const [box, seen] = [name.getBBox(), name.getBoundingClientRect()];
  const unit = seen.width / box.width || 1;
  const [foot, side] = [box.y + box.height - 3, box.y + (box.height - high) / 2];
  const [from, middle, to] = [box.x, box.x + box.width / 2, box.x + box.width];
  const spots = [middle - wide / 2, from, to - wide, from - wide / 2, to - wide / 2].map((x) => [x, foot]);
  spots.push([to + 2, side], [from - wide - 2, side], [middle - wide / 2, foot + high * 0.7]);
  const covered = ([x, y]) => {
    const [left, top] = [seen.left + (x - box.x) * unit, seen.top + (y - box.y) * unit];
    const [right, bottom] = [left + wide * unit, top + high * unit];
    return clearOf(svg).reduce((sum, [one, r]) => {
      const [w, h] = [Math.min(right, r.right) - Math.max(left, r.left), Math.min(bottom, r.bottom) - Math.max(top, r.top)];
      return one !== name && w > 0 && h > 0 ? sum + w * h : sum;
    }, 0);
  };
  const costs = spots.map(covered);
  return spots[costs.indexOf(Math.min(...costs))];
};
for (const x of document.querySelectorAll("[data-part=board] :is([data-value], [data-place])")) {
  const code = x.dataset.place || x.dataset.value;
  const day = freshDays.get(code);
  const around = x.parentElement.closest(".fresh");
  if (day === undefined || code.length < 2 || around) continue; // one mark a place
  x.classList.add("fresh");
  const wide = x.getBoundingClientRect().width;
  const svg = x.ownerSVGElement;
  if (!svg) {
    const named = x.querySelector(".fresh-name") || x;
    if (day && wide > 90 && x.offsetHeight > 60) named.dataset.fresh = day;
    continue;
  }
  const under = x.querySelector("[data-fresh-under]"); // a name under which it hangs, small, where what stands above is not to be covered
  const box = (under || x).getBBox();
  const beside = x.querySelector("[data-fresh-beside]"); // a name that shares its line with the ribbon
  const line = beside?.getBBox();
  const s = under ? 0.8 * Math.max(1, box.width / under.getBoundingClientRect().width) : Math.min(line ? 1 : 1.1, box.width / 60);
  const title = svgElement("title", {}, day ? `${freshWords}: ${day}` : freshWords);
  const at = (w, h) => (under ? hung(svg, under, w, h) : null);
  const keep = (one) => under && clearOf(svg).push([one, one.getBoundingClientRect()]);
  if (!day || s < 0.8 || wide < 48) {
    const corner = line ? [line.x + line.width + 1, line.y + 1] : box.width < 40 ? [box.x + box.width - 6, box.y - 6] : null;
    const [left, top] = at(12 * s, 20 * s) || corner || [box.x + box.width * 0.58, box.y + box.height * 0.06];
    const d = `M${left} ${top}h${12 * s}v${20 * s}l${-6 * s} ${-5 * s}l${-6 * s} ${5 * s}z`;
    const mark = svgElement("path", { class: "fresh-mark", d }, title);
    x.append(mark);
    keep(mark);
    continue;
  }
  const said = svgElement("text", { "font-size": 14 * s }, day);
  const mark = svgElement("g", { class: "fresh-day" }, title, said);
  x.append(mark);
  const length = said.getComputedTextLength();
  const shared = line ? line.width + 5 * s : 0;
  const pad = (line ? 6 : 9) * s;
  const half = (length + shared) / 2 + pad;
  const [left, top] = at(half * 2, 19 * s) || [box.x + box.width / 2 - half, line ? line.y - 1 : box.y + box.height * 0.06];
  said.setAttribute("x", left + half + shared / 2);
  if (line) {
    beside.setAttribute("x", left + pad + line.width / 2);
    beside.before(mark);
  }
  said.setAttribute("y", line ? beside.getAttribute("y") : top + 14 * s);
  const d = `M${left} ${top}h${half * 2}l${-5 * s} ${9.5 * s}l${5 * s} ${9.5 * s}h${-half * 2}l${5 * s} ${-9.5 * s}z`;
  said.before(svgElement("path", { d }));
  keep(mark);
}

// Updates the rest of a shared sum while numbers are typed; the server counts again.
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
    words.stays = Math.max(rest - sent, 0);
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

// Keeps an order a permutation: choosing a thing swaps it with the one in that place. An element with data-in-order shows the order.
for (const field of document.querySelectorAll("[data-part=question] [data-order]")) {
  const places = [...field.querySelectorAll("select")];
  const lying = document.querySelector(`[data-in-order="${CSS.escape(field.dataset.order)}"]`);
  let before = places.map((x) => x.value);
  const lay = () => {
    const left = [...(lying?.children || [])];
    for (const x of places) {
      const at = left.findIndex((one) => one.dataset.code === x.value);
      if (at >= 0) lying.append(...left.splice(at, 1));
    }
  };
  field.addEventListener("change", (event) => {
    const at = places.indexOf(event.target);
    const other = places.find((x, i) => i !== at && x.value === event.target.value);
    if (other) other.value = before[at];
    before = places.map((x) => x.value);
    lay();
  });
  lay();
}

// On a narrow screen the question is a sheet: its grip pulls it up, and so does opening a verb.
const grip = question?.querySelector(".grip");
if (grip) {
  const button = document.createElement("button");
  button.type = "button";
  const set = (up) => {
    question.classList.toggle("up", up);
    button.setAttribute("aria-expanded", String(up));
    button.setAttribute("aria-label", up ? grip.dataset.sheetLess : grip.dataset.sheet);
  };
  button.addEventListener("click", () => set(!question.classList.contains("up")));
  grip.append(button);
  // It doesn't cover the board while that is used for choosing.
  const onTheBoard = (fold) => [...fold.querySelectorAll("form")].some((form) => fields(form).some(onBoard) || countsOnBoard(form));
  const wanting = (fold) => fold?.matches?.("details.option, .at-any-time") && fold.open && !fold.parentElement.closest("details:not([open])");
  const fight = document.querySelector("[data-part=board] [data-fight]"); // a fight stays in view
  // Scrolls the opened verb to the top of the sheet, and the first thing it can take into view, if none is.
  const seen = (x) => {
    const box = x.getBoundingClientRect();
    const hit = box.width && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return Boolean(hit && x.contains(hit));
  };
  const bring = (fold) => {
    if (!grip.offsetParent) return;
    question.scrollTop += fold.querySelector("summary").getBoundingClientRect().top - question.getBoundingClientRect().top - grip.offsetHeight;
    mark();
    const aims = pieces.filter((x) => x.classList.contains("can"));
    if (!aims.length || aims.some(seen)) return;
    aims[0].scrollIntoView({ block: "nearest", inline: "center" });
    const box = aims[0].closest("[data-part=board]");
    if (!box) return;
    const above = box.getBoundingClientRect().top;
    box.scrollTop += aims[0].getBoundingClientRect().top - above - box.clientHeight / 3;
    if (fight) box.scrollTop += Math.min(0, fight.getBoundingClientRect().top - above);
  };
  question.addEventListener("toggle", (event) => {
    if (!wanting(event.target)) return;
    const aside = event.target.closest(".at-any-time");
    if (fight || (event.target !== aside && onTheBoard(event.target))) {
      if (aside && !fight && question.classList.contains("up")) {
        set(false);
        question.addEventListener("transitionend", () => bring(event.target), { once: true }); // there is something to scroll only then
      }
      bring(event.target);
    } else set(true);
  }, true);
  // It starts low, unless it shows an error, a deck or a confirmation that would be cut off.
  set(false);
  const asking = question.querySelector(".confirm");
  const hidden = asking && asking.getBoundingClientRect().bottom > question.getBoundingClientRect().bottom;
  set(!fight && Boolean(hidden || question.querySelector("[role=alert], [data-deck]")));
  // While a confirmation is open, its effect on the board is in view.
  if (asking) document.querySelector("[data-part=board] :is(.still-ghost, .leaves)")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The rules open in a dialog over the page; without scripts they are a page.
const ways = [...document.querySelectorAll("[data-rules]")];
const drawer = document.createElement("dialog");
drawer.className = "drawer";
let filling = null; // one request, however often it is pressed meanwhile
const fillDrawer = async (address) => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.status);
  const rules = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  // Ids must be unique in the page: prefix those of the rules.
  for (const x of rules.querySelectorAll("[id]")) x.id = `rules-${x.id}`;
  for (const x of rules.querySelectorAll("[aria-labelledby]")) x.setAttribute("aria-labelledby", x.getAttribute("aria-labelledby").replace(/(\S+)/g, "rules-$1"));
  for (const x of rules.querySelectorAll("a[href^='#']")) x.setAttribute("href", `#rules-${x.getAttribute("href").slice(1)}`);
  const inside = document.createElement("div");
  inside.append(...rules.childNodes);
  const form = document.createElement("form");
  form.method = "dialog";
  const close = document.createElement("button");
  close.textContent = ways.find((way) => way.dataset.close).dataset.close;
  form.append(close);
  drawer.append(form, inside);
  const title = inside.querySelector("h1");
  if (title) {
    title.id ||= "rules-title";
    drawer.setAttribute("aria-labelledby", title.id);
  }
  document.body.append(drawer);
};
for (const way of ways) {
  way.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    try {
      await (filling ||= fillDrawer(way.href));
      if (!drawer.open) drawer.showModal();
    } catch {
      location.assign(way.href);
    }
  });
}
drawer.addEventListener("click", (event) => event.target === drawer && drawer.close());

// A click outside an open menu of the bar closes it.
document.addEventListener("click", (event) => {
  for (const one of document.querySelectorAll(".bar details[open]:not(.chat)")) if (!one.contains(event.target)) one.open = false;
});

// Removes the button that takes the last answer back once its time is over.
const undo = document.querySelector("form.undo");
const noUndo = () => undo?.remove();
if (undo) setTimeout(noUndo, 1000 * Number(undo.dataset.seconds));

// Polls whether the page is out of date, and shows a line with a link; the page itself stays.
const moved = document.querySelector(".moved[data-mark]");
if (moved) {
  const EVERY = 5000;
  const { mark: now, at, news, show, table } = moved.dataset;
  const look = async () => {
    if (document.visibilityState === "visible") {
      try {
        const answer = await fetch(at, { headers: { Accept: "application/json" } });
        if (answer.status === 401 || answer.status === 403 || answer.redirected) return;
        const told = answer.ok ? await answer.json() : { mark: now };
        if (told.back === false) noUndo();
        if (told.mark !== now) {
          const words = document.createElement("p");
          words.textContent = news;
          const way = document.createElement("a");
          way.className = "button small-button";
          way.href = table;
          way.textContent = show;
          moved.append(words, way);
          return;
        }
      } catch {
        // offline; retried
      }
    }
    setTimeout(look, EVERY);
  };
  setTimeout(look, EVERY);
}
