// The steppers of a purchase ask the server for the form with a row more or less, as without scripts, and it is put in place of the one
// that is there. A village on the chart opens its tiles.
{
  const form = document.querySelector("[data-stall-of]").closest("form");
  const press = async (button) => {
    const body = new URLSearchParams(new FormData(form));
    body.set(button.name, button.value);
    form.setAttribute("aria-busy", "true");
    const open = [...form.querySelectorAll(".f-site[open]")].map((x) => x.id);
    try {
      const answer = await fetch(button.formAction, { method: "POST", body });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-stall-of]")?.closest("form");
      if (!answer.ok || !fresh) throw new Error(answer.statusText);
      form.replaceChildren(...fresh.childNodes);
      const [here, there] = [document, page].map((one) => one.querySelector("[data-laid=course]"));
      if (here && there) here.replaceChildren(...there.childNodes);
      for (const site of form.querySelectorAll(".f-site")) site.open = open.includes(site.id);
      const again = form.querySelector(`button[value="${CSS.escape(button.value)}"]:not(:disabled)`);
      (again || form.querySelector(`#${CSS.escape(open[0] || "none")} button:not(:disabled)`) || form.querySelector("summary, .primary")).focus();
    } catch {
      const here = document.createElement("input"); // the server is asked as without scripts
      Object.assign(here, { type: "hidden", name: button.name, value: button.value });
      form.append(here);
      form.action = button.formAction;
      form.submit();
    }
    form.removeAttribute("aria-busy");
  };
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name !== "rows") return;
    event.preventDefault();
    if (!form.hasAttribute("aria-busy")) press(event.submitter);
  });
  document.querySelector("[data-part=board]").addEventListener("click", (event) => {
    const village = event.target.closest(".f-village[data-value]");
    const site = village && form.closest("details").open && document.getElementById(`buy-${village.dataset.value}`);
    if (!site) return;
    event.preventDefault();
    form.querySelectorAll(".f-site").forEach((x) => (x.open = x === site));
    site.scrollIntoView({ block: "nearest" });
    site.querySelector("button:not(:disabled)")?.focus();
  });
}
