// The replay viewer: links, slider and choices of replay.html fetch the page's changing parts (part=1) in place of a new page; the
// entries before and after the shown one are prefetched. Keys: Home, ←, →, End; space starts and stops autoplay.
{
  const MOST_KEPT = 40;
  const kept = new Map(); // address -> promise of its text
  const ready = new Map(); // address -> the entries before and after, parsed: each can be put in once
  const said = document.createElement("div");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  document.body.append(said);
  let playing = false;
  let timer = 0;
  let pressed = 0;
  let wanted = ""; // the address asked for last: slower answers to earlier ones are dropped
  const one = (selector) => document.querySelector(selector);

  const load = (address) => {
    if (!kept.has(address)) {
      const part = new URL(address);
      part.searchParams.set("part", "1");
      const text = fetch(part).then((answer) => {
        if (!answer.ok || answer.redirected) throw new Error(answer.status);
        return answer.text();
      });
      text.catch(() => kept.delete(address));
      kept.set(address, text);
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
    }
    return kept.get(address);
  };

  const stop = () => {
    playing = false;
    clearTimeout(timer);
    wake();
  };
  const next = () => {
    const way = one("a[data-step=next]");
    if (!playing || !way) return stop();
    go(way.href);
  };

  // What a new part must be given: it comes from the server without what scripts and the reader have done.
  let speed = "";
  const wake = () => {
    const bar = one(".autoplay");
    bar.hidden = false;
    one(".to-moment output").hidden = false;
    one(".to-moment .small-button").hidden = true; // a change shows itself
    bar.querySelector("button").textContent = playing ? bar.dataset.stop : bar.dataset.play;
    if (speed) one("#speed").value = speed;
  };
  const centre = () => {
    const [line, log] = [one(".events [aria-current]"), one(".events")];
    if (line) log.scrollTop = line.offsetTop - log.offsetTop - (log.clientHeight - line.offsetHeight) / 2;
  };

  const parse = (text) => new DOMParser().parseFromString(text, "text/html");
  const put = (page) => {
    page.querySelectorAll("main link[rel=stylesheet]").forEach((sheet) => sheet.remove()); // the head has it
    const focused = document.activeElement;
    const again = focused?.id ? `#${CSS.escape(focused.id)}` : focused?.dataset?.step ? `[data-step=${focused.dataset.step}]` : focused?.matches?.("[data-run]") ? "[data-run]" : "";
    const scrolled = [".board", ".hand", ".question", "[data-centre]"].map((name) => [name, one(name)?.scrollTop, one(name)?.scrollLeft]);
    const open = [...document.querySelectorAll("[data-fold]")].map((fold) => [fold.dataset.fold, fold.open]);
    document.title = page.title;
    one("header.bar").replaceWith(page.querySelector("header.bar"));
    one("main").className = page.querySelector("main").className;
    one("main").replaceChildren(...page.querySelector("main").childNodes);
    for (const [name, was] of open) if (one(`[data-fold=${name}]`)) one(`[data-fold=${name}]`).open = was;
    said.textContent = `${one("#then").textContent}. ${one(".told-then").textContent.trim().replace(/\s+/g, " ")}`;
    wake();
    // Before it is painted, when the layout is computed anyway.
    requestAnimationFrame(() => {
      for (const [name, top, left] of scrolled) one(name)?.scrollTo(left, top);
      one(".board .lit")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      centre();
      if (again) (one(again) || one("a[data-step]"))?.focus({ preventScroll: true });
    });
  };

  const ahead = () => {
    for (const way of ["next", "prev"]) {
      const link = one(`a[data-step=${way}]`);
      if (link) load(link.href).then((text) => ready.set(link.href, parse(text)), () => {});
    }
  };
  const go = async (address) => {
    clearTimeout(timer);
    wanted = address;
    try {
      const text = await load(address);
      if (wanted !== address) return;
      put(ready.get(address) || parse(text));
      ready.clear();
      history.replaceState(null, "", address);
      ahead();
      if (playing) timer = setTimeout(next, Number(one("#speed").value));
    } catch {
      location.assign(address);
    }
  };

  const asked = (form) => {
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) address.searchParams.set(name, value);
    return address.href;
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-run]")) {
      if (playing) return stop();
      playing = true;
      return next();
    }
    const link = event.target.closest("main a");
    if (!link || link.pathname !== location.pathname || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    stop();
    go(link.href);
  });
  document.addEventListener("input", (event) => {
    if (event.target.id === "to-entry") one(".to-moment output").textContent = event.target.value;
  });
  document.addEventListener("change", (event) => {
    if (event.target.id === "speed") speed = event.target.value;
    else if (event.target.form?.matches(".to-moment")) {
      stop();
      go(asked(event.target.form));
    }
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".to-moment")) return;
    event.preventDefault();
    stop();
    go(asked(event.target));
  });
  // Not while something has the focus that these keys move or press.
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, .board, .hand, .events")) return;
    const way = { Home: "first", ArrowLeft: "prev", ArrowRight: "next", End: "last" }[event.key];
    if (way) {
      const link = one(`a[data-step=${way}]`);
      if (!link) return;
      event.preventDefault();
      if (event.repeat && Date.now() - pressed < 90) return;
      pressed = Date.now();
      stop();
      go(link.href);
    } else if (event.key === " " && !event.target.closest?.("button, summary")) {
      event.preventDefault();
      one("[data-run]").click();
    }
  });
  document.addEventListener("visibilitychange", () => document.hidden && stop());
  wake();
  centre();
  ahead();
}
