// Where board and hand are the form, the question says in a sentence what was chosen there, and its button what it does with it;
// the lists that say the same lie folded beside them, for whoever would rather choose from a list. The words are the board's:
//   data-said    the options that they are about      data-fold  what the folded lists are called      data-back  taking the last pick back
//   data-first   what is to be chosen, as long as nothing is      data-go    the button, # for what is chosen or how many go
//   data-short   what to do where more go than there are
//   data-rest    the button while knights are set anew and none go    data-stay  and while nothing is chosen at all
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
  // What can't be sent as it stands is seen to be so.
  lists.addEventListener("invalid", () => (lists.open = true), true);
  const told = document.createElement("div");
  told.className = "mm-chosen";
  told.setAttribute("aria-live", "polite");
  form.querySelector(".field, fieldset, .pool, .by-hand").before(told);

  // What Escape does, for those without such a key.
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
  // What is picked, each as often as it is.
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
    const knights = form.elements.f_knights;
    const chosen = picks();
    // Who goes nowhere doesn't set out.
    if (knights && aimed && !chosen.length && Number(knights.value)) knights.value = 0;
    aimed = chosen.length > 0;
    const anew = shares().filter(moved);
    back.hidden = !(picked.get(form) || []).some((one) => one.way.on());
    const go = knights ? Number(knights.value) || "" : chosen.map(([, name]) => name).join(", ");
    button.textContent = chosen.length ? (words.go ? words.go.replace("#", go) : label) : (anew.length ? words.rest : words.stay) || label;
    button.classList.toggle("primary", Boolean(chosen.length || anew.length || !words.stay));
    form.classList.toggle("anew", anew.length > 0);
    for (const x of form.querySelectorAll("[data-there]")) x.textContent = Number(form.querySelector("[data-pool]")?.dataset.pool) - shares().reduce((sum, s) => sum + Number(s.value), 0);
    const uses = knights ? [] : chosen.map(([value, name]) => [name, there(value)?.closest(".mm-regalia [data-told]")?.dataset.told || ""]).filter(([, use]) => use);
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
