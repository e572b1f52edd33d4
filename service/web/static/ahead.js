// While a form is filled in, a forecast of it stands beside it. Every change sends the form to the server, debounced; the request
// before it is aborted, and a response is shown only while the form still holds what was sent. Parts of the page that a response
// would leave as they are aren't touched, so nothing flickers or loses the focus. What bears data-card goes to the row of that
// number, the rest above the buttons. A row that has its card and isn't being written is folded to it. Without scripts, Look ahead
// says the same.
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
  let request = null; // AbortController of the newest request
  let sent = ""; // the form as the newest request sent it
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
  const cards = new WeakMap(); // row -> the HTML of its cards
  let beside = ""; // the HTML of the rest
  const putCards = (row, own) => {
    const html = own.map((x) => x.outerHTML).join("");
    if ((cards.get(row) || "") === html && Boolean(row.querySelector("[data-card]")) === Boolean(html)) return;
    cards.set(row, html);
    const focused = Boolean(document.activeElement?.closest("[data-card]")) && row.contains(document.activeElement);
    row.querySelectorAll("[data-card]").forEach((x) => x.remove());
    for (const card of own.reverse()) row.querySelector("legend").after(card);
    if (!html) return;
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
    if (focused) button.focus();
  };
  const lay = (found) => {
    if (deed) deed.dataset.fits = found.querySelector("[data-fits]")?.dataset.fits ?? fitted;
    found.querySelectorAll("[data-fits]").forEach((x) => x.remove());
    flags.splice(0, flags.length, ...[...found.querySelectorAll("[data-flag]")].map((x) => ({ ...x.dataset })));
    rows().forEach((row, i) => {
      const own = [...found.querySelectorAll(`[data-card="${i + 1}"]`)];
      row.classList.toggle("faulty", Boolean(found.querySelector(`[data-fault="${i + 1}"]`)));
      row.classList.toggle("carded", own.length > 0);
      row.classList.toggle("asks", own.some((x) => x.hasAttribute("data-asks")));
      putCards(row, own);
      if (own.length) fold(row, row === touched);
    });
    found.querySelectorAll("[data-card], [data-flag]").forEach((x) => x.remove());
    const html = found.innerHTML.trim();
    if (html !== beside) box.replaceChildren(...found.childNodes);
    beside = html;
    if (deed) mark();
    else document.dispatchEvent(new Event("marked"));
  };
  const filledIn = () => {
    const body = new URLSearchParams(new FormData(form));
    body.delete("key");
    return body.toString();
  };
  const RETRY = 3000;
  const look = async () => {
    const said = filledIn();
    if (said === sent) return;
    sent = said;
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    let text = "";
    let failed = false;
    try {
      const answer = await fetch(box.dataset.ahead, { method: "POST", body: new URLSearchParams(said), signal });
      failed = answer.status >= 500 || answer.status === 429;
      text = answer.status === 200 && !answer.redirected ? await answer.text() : "";
    } catch {
      failed = true; // offline for a while
    }
    if (signal.aborted) return;
    // A response to what the form no longer holds is dropped; the form is sent again.
    const old = said !== filledIn();
    if (old || failed) {
      sent = "";
      soon(old ? DELAY : RETRY);
    }
    if (!old) lay(new DOMParser().parseFromString(text, "text/html").body);
  };
  const DELAY = 200;
  const soon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(look, delay);
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
  form.addEventListener("input", () => soon(DELAY));
  form.addEventListener("change", () => soon(DELAY));
  soon(DELAY);
}
