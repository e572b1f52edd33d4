// A finished game in one file (templates/pages/replay_file.html): verifies it by proof.js, unpacks the boards, steps through them.
// Keys: Home, ←, →, End; space starts and stops autoplay.
document.addEventListener("DOMContentLoaded", async () => {
  const one = (selector) => document.querySelector(selector);
  const text = (id) => document.getElementById(`writ-${id}`).textContent;
  const lines = (id) => (text(id) ? text(id).split("\n") : []);
  const words = JSON.parse(text("words"));
  const filled = (sentence, facts) => sentence.replace(/\{(\w+)\}/g, (whole, name) => facts[name] ?? whole);

  one("#no-script").hidden = true;

  // --- is it what was played? ---
  const verdict = one("#verdict");
  const judge = (good, why) => {
    verdict.textContent = good ? words.holds : words.fails;
    verdict.className = `verdict ${good ? "good" : "bad"}`;
    const told = one(good ? "#sum" : "#fault");
    told.hidden = false;
    told.textContent = why;
  };
  const verified = async () => {
    verdict.textContent = words.checking;
    const found = await Proof.verify(lines("log"), lines("draws"), words.formats);
    judge(found.holds, filled(found.holds ? words.sum : words.faults[found.code], found.holds ? found : { line: found.line, ...found.facts }));
  };
  verdict.setAttribute("role", "status");
  verified().catch((problem) => judge(false, String(problem)));

  // --- boards ---
  const unpacked = async () => {
    const packed = Uint8Array.from(atob(text("boards").replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  };
  let boards;
  try {
    boards = await unpacked();
  } catch {
    one("#no-boards").hidden = false;
    return;
  }
  const last = boards.moments.length - 1;
  const html = (pieces) => pieces.map((i) => boards.pieces[i]).join("\n");
  const slider = one("#to-entry");
  const log = one(".events");
  const chapters = [...document.querySelectorAll(".chapters .heading a")].map((link) => [Number(link.hash.slice(2)), link.textContent]);
  const said = document.createElement("div");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  document.body.append(said);
  let now = -1;
  let timer = 0;

  const light = (codes) => {
    const lit = new Set(codes);
    for (const part of document.querySelectorAll("[data-value], [data-place], [data-seat]")) {
      const { value, place, seat } = part.dataset;
      if (part.closest("[data-part=board], [data-part=hand]") && [value, place, seat].some((code) => lit.has(code))) part.classList.add("lit");
    }
  };
  const centre = () => {
    const line = log.querySelector("[aria-current]");
    if (line) log.scrollTop = line.offsetTop - log.offsetTop - (log.clientHeight - line.offsetHeight) / 2;
    for (const box of document.querySelectorAll("[data-centre]")) {
      const place = box.querySelector(".lit") || box.querySelector(`[data-slot="${CSS.escape(box.dataset.centre)}"], [data-place="${CSS.escape(box.dataset.centre)}"]`);
      if (!place || (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight)) continue;
      const [outer, inner] = [box.getBoundingClientRect(), place.getBoundingClientRect()];
      box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
      box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
    }
  };
  const show = (n, spoken = true) => {
    const to = Math.max(0, Math.min(last, n));
    if (to === now) return;
    now = to;
    const moment = boards.moments[now];
    const board = one(".board");
    // Read before anything changes and set after everything has: each time in between, the whole page would be laid out anew.
    const [top, left] = [board.scrollTop, board.scrollLeft];
    one("#then").textContent = moment.heading;
    one("#played").textContent = moment.played;
    one(".told-then").innerHTML = html(moment.told);
    one("#held").innerHTML = html(moment.hand);
    one(".hand").hidden = !moment.hand.length;
    one("main").classList.toggle("with-hand", moment.hand.length > 0);
    board.innerHTML = html(moment.board);
    light(moment.lit);
    const chapter = chapters.findLast(([from]) => from <= now)?.[1];
    one("#chapter").textContent = chapter ? ` · ${chapter}` : "";
    slider.value = now;
    slider.setAttribute("aria-valuetext", chapter ? `${moment.heading}, ${chapter}` : moment.heading);
    one(".to-moment output").textContent = now;
    for (const button of document.querySelectorAll("[data-step]")) {
      if (["first", "prev"].includes(button.dataset.step) ? now === 0 : now === last) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
    let line;
    for (const other of log.children) {
      other.classList.remove("new");
      other.removeAttribute("aria-current");
      if (Number(other.dataset.n) <= now) line = other;
    }
    line?.classList.add("new");
    line?.setAttribute("aria-current", "true");
    if (spoken) said.textContent = `${moment.heading}. ${one(".told-then").textContent.trim().replace(/\s+/g, " ")}`;
    board.scrollTo(left, top);
    requestAnimationFrame(centre);
  };
  const ways = { first: () => 0, prev: () => now - 1, next: () => now + 1, last: () => last };

  const run = one("[data-run]");
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    if (run.textContent !== run.dataset.play) run.textContent = run.dataset.play; // a change would cost `show` one more computation of styles
  };
  const on = () => {
    show(now + 1);
    if (now === last) return stop();
    timer = setTimeout(on, Number(one("#speed").value));
  };
  run.addEventListener("click", () => {
    if (timer) return stop();
    run.textContent = run.dataset.stop;
    on();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-step]");
    const link = event.target.closest("a[href^='#n']");
    if (!button && !link) return;
    event.preventDefault();
    stop();
    show(button ? ways[button.dataset.step]() : Number(link.hash.slice(2)));
  });
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  // Not while something has the focus that these keys move or press.
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, .board, .hand, .events")) return;
    const way = { Home: "first", ArrowLeft: "prev", ArrowRight: "next", End: "last" }[event.key];
    if (way) {
      event.preventDefault();
      stop();
      show(ways[way]());
    } else if (event.key === " " && !event.target.closest?.("button, summary, a")) {
      event.preventDefault();
      run.click();
    }
  });
  document.addEventListener("visibilitychange", () => document.hidden && stop());
  one("#steps").hidden = one("#controls").hidden = false;
  show(Number(location.hash.match(/^#n(\d+)$/)?.[1] || 0), false);
});
