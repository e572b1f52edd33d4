// While a form is filled in, a forecast of it stands beside it. Every change posts the form to the server, debounced; the request
// before it is aborted, and a response is shown only while the form still holds what was sent. Parts of the page that a response would
// leave as they are aren't touched, so nothing flickers or loses the focus. Without scripts, Look ahead says the same.
//   data-ahead  where to ask; data-of: the option whose form it is
//   data-into   of a part of the response: the name (data-laid) of the element that it fills, in the row that data-card numbers, if any;
//               data-laid that no part fills is emptied. What has no place goes into the box
//   data-asks   of such a part: its row gets the class `asks`
//   data-choices  what each row can take; data-unbegun of the plan: where nothing is begun. The form is busy until it is known
//   data-steps  numbers of the form get buttons for one more and one fewer
//   data-by     a button that adds so many to the number beside it (.stepped), or sets it to data-most: `all`
const stepBy = (line, by) => {
  const x = line.querySelector("input");
  const most = Math.min(Number(x.max), Number(line.querySelector("[data-most]")?.dataset.most ?? Infinity));
  const n = by === "all" ? most : Math.max(Number(x.min), Math.min((Number(x.value) || 0) + Number(by), most));
  x.value = n || !x.placeholder ? n : "";
  fireChange(x);
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-by]");
  if (button) stepBy(button.closest(".stepped"), button.dataset.by);
});
for (const box of document.querySelectorAll("[data-ahead]")) {
  const form = box.closest("form") || [...document.querySelectorAll("[data-part=question] .options form")].find((f) => f.elements.option?.value === box.dataset.of);
  if (!form) continue;
  if (!form.contains(box)) form.querySelector(":scope > .row:last-of-type").before(box);
  let request = null; // AbortController of the newest request
  let sent = ""; // the form as the newest request sent it
  let timer = null;
  let waiting = null; // timer of the newest request's response

  const plan = document.querySelector(`[data-plan~="${box.dataset.of}"][data-choices]`);
  const asks = plan?.dataset.unbegun !== undefined;
  const begun = () => [...form.querySelectorAll("[data-row]")].filter((row) => filled(row)); // the server doesn't count the others
  let beside = box.innerHTML; // the HTML of what has no place
  const lay = (found) => {
    if (asks) plan.dataset.choices = found.querySelector("[data-choices]")?.dataset.choices ?? plan.dataset.unbegun;
    found.querySelectorAll("[data-choices]").forEach((x) => x.remove());
    const own = begun();
    const places = new Map([...form.querySelectorAll("[data-laid]"), ...document.querySelectorAll("[data-part=board] [data-laid]")].map((x) => [x, null]));
    for (const part of found.querySelectorAll("[data-into]")) {
      const name = `[data-laid="${part.dataset.into}"]`;
      const row = part.dataset.card ? own[part.dataset.card - 1] : null;
      const place = part.dataset.card ? row?.querySelector(name) : form.querySelector(name) || document.querySelector(`[data-part=board] ${name}`);
      if (!place) continue;
      places.set(place, part);
      part.closest("svg:not([data-into] *)")?.remove();
      part.remove();
    }
    for (const [place, part] of places) {
      if (place.innerHTML.trim() !== (part?.innerHTML.trim() ?? "")) place.replaceChildren(...(part?.childNodes ?? []));
      place.closest("[data-row]")?.classList.remove("asks");
    }
    for (const [place, part] of places) if (part?.dataset.asks !== undefined) place.closest("[data-row]")?.classList.add("asks");
    const html = found.innerHTML.trim();
    if (html !== beside) box.replaceChildren(...found.childNodes);
    beside = html;
    if (plan) mark();
    else document.dispatchEvent(new Event("marked"));
  };
  const filledIn = () => {
    const body = new URLSearchParams(new FormData(form));
    body.delete("key");
    return body.toString();
  };
  let known = filledIn(); // the form that data-choices is about
  const settle = (said) => {
    known = said;
    if (!asks) return;
    form.removeAttribute("aria-busy");
    mark();
    goOn();
  };
  // No response: the forecast of an older form goes, everything can be picked, and the server refuses.
  const without = () => {
    lay(document.createElement("body"));
    if (asks) plan.dataset.choices = "";
    settle(filledIn());
  };
  const RETRY = 3000;
  const PATIENCE = 5000; // for a response; one that comes later is still shown
  const look = async () => {
    const said = filledIn();
    if (said === sent) return;
    sent = said;
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    clearTimeout(waiting);
    waiting = setTimeout(without, PATIENCE);
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
    clearTimeout(waiting);
    // A response to what the form no longer holds is dropped; the form is sent again.
    const old = said !== filledIn();
    if (old || failed) {
      sent = "";
      soon(old ? DELAY : RETRY);
    }
    if (old) return;
    if (failed) return without();
    lay(new DOMParser().parseFromString(text, "text/html").body);
    settle(said);
  };
  const DELAY = 200;
  const soon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(look, delay);
  };
  // Numbers are stepped where they stand.
  for (const x of "steps" in box.dataset ? form.querySelectorAll(".field > input[type=number]") : []) {
    const label = form.querySelector(`label[for="${CSS.escape(x.id)}"]`)?.textContent.trim() || "";
    const line = document.createElement("div");
    line.className = "stepped";
    x.before(line);
    line.append(
      ...[-1, 0, 1].map((by) => {
        if (!by) return x;
        const button = stepButton(label, by);
        button.dataset.by = by;
        return button;
      }),
    );
  }
  const changed = (event) => {
    if (asks && filledIn() !== known) form.setAttribute("aria-busy", "true");
    else if (asks) settle(known);
    soon(asks && !event.isTrusted ? 0 : DELAY); // picked on the board
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  if (form.closest("details")?.open) soon(DELAY);
  else form.closest("details")?.addEventListener("toggle", () => soon(DELAY));
}
