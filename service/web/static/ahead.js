// While a form is filled in, what it would do stands beside it: the house is asked whenever something in it has changed, and its
// words are put where they belong: what bears data-card to the row of that number, the rest above the buttons. A row that has its
// card and isn't being written is folded to it. Without scripts, Look ahead says the same.
//   data-ahead  where to ask; data-of: the option whose form it is; data-change, data-fold: the words on a card's button
//   data-steps  numbers of the form get buttons for one more and one fewer
//   data-cells  of rows: the cell that says what a row is about, then of each of its values the cells that it wants; the others are
//               hidden, and empty. Beside the form, data-stall with its option holds what can be picked for it: it goes into it
//   data-fits   what can be chosen after the rows that are whole, for the deed of data-of (board.js)
//   data-fault  the number of a row that can't be played
//   data-flag   the number of a row, with data-leg "from/to": plans.js sets arms on that Move's ribbon
for (const box of document.querySelectorAll("[data-ahead]")) {
  const form = [...document.querySelectorAll("[data-part=question] .options form")].find((f) => f.elements.option?.value === box.dataset.of);
  if (!form) continue;
  form.querySelector(":scope > .row:last-of-type").before(box);
  let asked = 0;
  let last = "";
  let timer = null;
  let touched = null; // the row that one writes in: it is not folded under one's hand

  const rows = () => [...form.querySelectorAll("[data-row]")];
  const stall = document.querySelector(`[data-stall="${box.dataset.of}"]`);
  const [about, ...kinds] = (box.dataset.cells || "").split(" ").filter(Boolean);
  const wants = new Map(kinds.map((kind) => [kind.split(":")[0], kind.split(":")[1].split(",")]));
  const shape = () => {
    for (const cell of about ? form.querySelectorAll("[data-row] > .cells > *") : []) {
      const own = cell.querySelector("[name]");
      const name = own.name.split("__")[2];
      const kind = cell.parentElement.querySelector(`[name$="__${about}"]`).value;
      cell.hidden = name !== about && !(wants.get(kind) || [...wants.values()][0].slice(0, 1)).includes(name);
      if (cell.hidden) own.value = "";
    }
  };
  const put = () => {
    const fold = form.closest("details");
    if (fold?.open) form.prepend(stall);
    else fold?.closest(".options").before(stall);
  };
  if (stall) {
    form.closest("details")?.addEventListener("toggle", put);
    put();
  }
  form.addEventListener("input", shape);
  form.addEventListener("change", shape);
  shape();
  const fold = (row, open) => {
    row.classList.toggle("open", open);
    const button = row.querySelector("[data-card] .card-button");
    if (!button) return;
    button.textContent = open ? box.dataset.fold : box.dataset.change;
    button.setAttribute("aria-expanded", String(open));
  };
  const deed = document.querySelector(`[data-deed~="${box.dataset.of}"][data-fits]`);
  const fitted = deed?.dataset.fits;
  const lay = (found) => {
    if (deed) deed.dataset.fits = found.querySelector("[data-fits]")?.dataset.fits ?? fitted;
    found.querySelectorAll("[data-fits]").forEach((x) => x.remove());
    form.querySelectorAll("[data-card]").forEach((x) => x.remove());
    flags.splice(0, flags.length, ...[...found.querySelectorAll("[data-flag]")].map((x) => ({ ...x.dataset })));
    rows().forEach((row, i) => {
      const own = [...found.querySelectorAll(`[data-card="${i + 1}"]`)];
      const whole = own.length > 0;
      row.classList.toggle("faulty", Boolean(found.querySelector(`[data-fault="${i + 1}"]`)));
      row.classList.toggle("carded", whole);
      row.classList.toggle("asks", own.some((x) => x.hasAttribute("data-asks")));
      for (const card of own.reverse()) row.querySelector("legend").after(card);
      if (!whole) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet card-button";
      button.addEventListener("click", () => {
        const open = !row.classList.contains("open");
        touched = open ? row : null;
        rows().forEach((other) => fold(other, other === row && open));
        if (open) row.querySelector(".cells :is(input, select)")?.focus();
      });
      row.querySelector("[data-card]").append(button);
      fold(row, row === touched);
    });
    found.querySelectorAll("[data-card], [data-flag]").forEach((x) => x.remove());
    box.replaceChildren(...found.childNodes);
    if (deed) mark();
    else document.dispatchEvent(new Event("marked"));
  };
  const look = async () => {
    const body = new URLSearchParams(new FormData(form));
    body.delete("key");
    const said = body.toString();
    if (said === last) return;
    last = said;
    const mine = ++asked;
    try {
      const answer = await fetch(box.dataset.ahead, { method: "POST", body });
      if (mine !== asked) return;
      const text = answer.status === 200 ? await answer.text() : "";
      if (mine === asked) lay(new DOMParser().parseFromString(text, "text/html").body);
    } catch {
      last = ""; // away for a while; it is asked again with the next change
    }
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(look, 200);
  };
  const touch = (event) => {
    if (!event.isTrusted && event.type === "input") touched = null; // picked on the board: there the number is set, too
    const row = event.isTrusted && event.target.closest?.(".cells")?.closest("[data-row]");
    if (!row || row === touched) return;
    touched = row;
    rows().forEach((other) => fold(other, other === row));
  };
  // Numbers are stepped where they stand.
  for (const x of "steps" in box.dataset ? form.querySelectorAll(".field > input[type=number]") : []) {
    const label = form.querySelector(`label[for="${CSS.escape(x.id)}"]`)?.textContent.trim() || "";
    const steps = [-1, 1].map((by) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = by > 0 ? "+" : "−";
      button.setAttribute("aria-label", `${label}: ${by > 0 ? step.dataset.more : step.dataset.fewer}`);
      button.addEventListener("click", () => {
        x.value = Math.min(Math.max((Number(x.value) || 0) + by, Number(x.min)), Number(x.max));
        x.dispatchEvent(new Event("input", { bubbles: true }));
      });
      return button;
    });
    const line = document.createElement("div");
    line.className = "stepped";
    x.before(line);
    line.append(steps[0], x, steps[1]);
  }
  form.addEventListener("focusin", touch);
  form.addEventListener("input", touch);
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  soon();
}
