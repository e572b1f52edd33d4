// Keeps unsent input of the question's forms in sessionStorage when another form is sent or the page is left, and restores it when the
// same question is shown to the same seat. Without scripts offers open in a new window instead.
{
  const section = document.querySelector("[data-part=question]");
  const KEPT = `typed ${location.pathname.split("/")[2]} ${section.dataset.sits}`;
  const BACK = `back ${KEPT}`;
  const forms = [...section.querySelectorAll("form")].filter((form) => form.elements.option && form.elements.serial);
  const idOf = (form) => ["serial", "kind", "option"].map((name) => form.elements[name].value).join(" ");
  const typedIn = (form) => [...new FormData(form)].filter(([name]) => name.startsWith("f_"));
  const asShown = new Map(forms.map((form) => [form, JSON.stringify(typedIn(form))]));
  // An answer that waits for confirmation counts as unsent: on the way back it is restored.
  const back = section.querySelector("[data-back]");
  if (back) {
    back.search = "";
    for (const form of forms) if (form.closest("details.option[open]") && Number(form.elements.serial.value) >= 0) asShown.delete(form);
    const asked = back.closest("form").elements;
    back.addEventListener("click", () => sessionStorage.setItem(BACK, [asked.serial.value, asked.kind.value, asked.answer.value.split(" ")[0]].join(" ")));
  }

  // Input typed before this script loaded is newer than the kept one.
  const texts = 'input:not([type=radio], [type=checkbox], [type=hidden]), textarea';
  const early = new Set(forms.flatMap((form) => [...form.querySelectorAll(texts)]).filter((x) => x.value !== x.defaultValue));
  const refill = (form, pairs) => {
    const given = new Map(pairs);
    for (const rows of form.querySelectorAll("[data-rows]")) {
      const wanted = Number(given.get(`${rows.dataset.rows}__rows`));
      const add = rows.querySelector(":scope > [data-do=add]");
      while (add && !add.disabled && rows.querySelectorAll(":scope > [data-row]").length < wanted) add.click();
    }
    for (const x of form.elements) {
      if (!x.name.startsWith("f_") || x.type === "hidden") continue;
      const ticked = ["radio", "checkbox"].includes(x.type);
      if (early.has(x)) continue;
      const before = ticked ? x.checked : x.value;
      if (ticked) x.checked = pairs.some(([name, value]) => name === x.name && value === x.value);
      else if (given.has(x.name)) x.value = given.get(x.name);
      if (before === (ticked ? x.checked : x.value)) continue;
      fireChange(x);
    }
  };

  for (const form of forms) form.removeAttribute("target");
  const kept = JSON.parse(sessionStorage.getItem(KEPT) || "{}");
  if (!back) sessionStorage.removeItem(KEPT); // a confirmation replaces the form
  const focused = document.activeElement;
  for (const form of forms) {
    const fold = form.closest("details.option");
    const others = [...section.querySelectorAll(`details.option[name="${fold?.getAttribute("name")}"][open]`)];
    // A link that prefills a form, and an answer to confirm, take precedence.
    if (!kept[idOf(form)] || (others.length && others[0] !== fold) || (fold?.open && location.search)) continue;
    refill(form, kept[idOf(form)]);
    if (fold) fold.open = true;
  }
  if (document.activeElement !== focused) document.activeElement.blur();
  // Back from a confirmation: focus its verb.
  const verb = forms.find((form) => idOf(form) === sessionStorage.getItem(BACK));
  sessionStorage.removeItem(BACK);
  // Drop the hash of a link, so that a reload starts at the top.
  if (location.hash.startsWith("#verb-")) history.replaceState(history.state, "", location.pathname + location.search);
  (verb?.closest("details.option")?.querySelector("summary") || verb?.querySelector("button"))?.focus();

  let sent = null;
  document.addEventListener("submit", (event) => {
    sent = event.target;
    // A verb without fields would discard another form's input: preview it first.
    const begun = (form) => form !== sent && idOf(form).startsWith(`${sent.elements.serial?.value} `) && JSON.stringify(typedIn(form)) !== asShown.get(form);
    if (forms.includes(sent) && !typedIn(sent).length && forms.some(begun)) sent.action = sent.action.replace(/\/answer$/, "/preview");
    if (/\/(preview|odds)$/.test(event.submitter?.hasAttribute("formaction") ? event.submitter.formAction : sent.action)) sent = null; // looked at
  });
  addEventListener("pagehide", () => {
    const left = forms.filter((form) => form !== sent && JSON.stringify(typedIn(form)) !== asShown.get(form));
    if (left.length) sessionStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(left.map((form) => [idOf(form), typedIn(form)]))));
    sent = null;
  });
}
