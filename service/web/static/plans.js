// Draws the answer that is being chosen on the board: a ribbon from source to target, a ghost of the piece that is placed, the number
// with a stepper next to it. A board describes how in elements with data-plan:
//   data-plan    ids of the options
//   data-path    the stops: names of fields, or @ and a value
//   data-number  fields whose numbers are added up    data-base  what the sum starts with
//   data-adds    fields whose picks are added up      data-worth  what each value counts: `a=2 b=1`
//   data-meets   by target: the strength against it   data-plus  what the target adds to the sum
//   data-guards  by target: its defences from the outside in, as symbols of data-sprite with strengths: turret*1,castle*2
//   data-faces   by value: the symbol of data-sprite that stands for it where a board shows the force (data-sent)
//   data-button  label of the submit button while there is a number and a target: # is the number
//   data-least   by target: the number preset when it is chosen, unless the player has set one
//   data-ghost   the field whose value is drawn at the end, by that value's data-look; data-look: drawn in any case; data-lift: its
//                height above the middle
//   data-say     the sentence of both sums, # and @, or a template with data-sums-of the target, in which data-sum is the number and
//                data-count the number without data-plus; data-none: the sentence while nothing is sent
//   data-needs   by target: the number from which on it falls. Elements inside, data-of a kind of target, have the sentences:
//                data-falls, with # for the surplus and @ for the number; data-bare without a surplus; data-say for any number
//   data-most    by target: the defender's maximum, ~ in these sentences: data-sure if the number is enough for that, data-alone if
//                it is nothing
// Attributes of the layer, selectors of elements on the board:
//   data-spare   ribbons curve around these and numbers don't cover them; the number is then at the head of the ribbon
//   data-round   ribbons pass beside these, and numbers don't cover them
//   data-middle  the part of a place whose middle is its position
//   data-aside   elements beside the board that the stepper doesn't cover
// Without scripts the server draws a filled-in answer (_plans.html, data-still), which is removed here.
{
  const board = document.querySelector("[data-part=board]");
  const layer = board?.querySelector("[data-plans]");
  const parts = (text) => new Map((text || "").split(" ").filter(Boolean).map((pair) => [pair.slice(0, pair.lastIndexOf("=")), Number(pair.slice(pair.lastIndexOf("=") + 1))]));

  // What is picked in a field, each as often as it is.
  const values = (form, name) => {
    const found = [];
    for (const x of form.elements) {
      if (x.name === `f_${name}`) {
        if ((x.type !== "radio" && x.type !== "checkbox") || x.checked) found.push(x.value);
      } else if (x.name?.startsWith(`f_${name}__`)) {
        const code = x.name.slice(`f_${name}__`.length);
        const n = x.type === "checkbox" ? Number(x.checked) : Number(x.value) || 0;
        found.push(...Array(n).fill(code));
      }
    }
    return found.filter(Boolean);
  };
  const input = (form, name) => [...form.elements].find((x) => x.name === `f_${name}` && x.type === "number");
  const number = (x) => Number(x.value === "" ? x.placeholder : x.value) || 0;

  // Position of a value on the board: the middle of its element, in units of the layer.
  const piece = (code) => {
    const all = [...board.querySelectorAll(`[data-value="${CSS.escape(code)}"], [data-anchor="${CSS.escape(code)}"]`)];
    return all.find((x) => layer.ownerSVGElement?.contains(x)) || all[0];
  };
  const seat = (x) => (layer.dataset.middle && x.querySelector(layer.dataset.middle)) || x;
  const middle = (x) => {
    const box = seat(x).getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const units = ([x, y]) => {
    const at = new DOMPoint(x, y).matrixTransform(layer.getScreenCTM().inverse());
    return [at.x, at.y];
  };
  const screen = ([x, y]) => {
    const at = new DOMPoint(x, y).matrixTransform(layer.getScreenCTM());
    return [at.x, at.y];
  };

  // A ribbon through all stops: points of one quadratic Bézier curve per leg.
  const bowed = ([x1, y1], [x2, y2], bend) => {
    const [bx, by] = [(x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend];
    return Array.from({ length: 13 }, (_, n) => n / 12).map((t) => [(1 - t) ** 2 * x1 + 2 * t * (1 - t) * bx + t * t * x2, (1 - t) ** 2 * y1 + 2 * t * (1 - t) * by + t * t * y2]);
  };
  const crossed = (found, dots) => dots.filter(([x, y]) => found.some(([left, top, right, bottom]) => x > left - 5 && x < right + 5 && y > top - 5 && y < bottom + 5)).length;
  // Ways around the boxes: to a point beside one, and on from there.
  const gaps = (a, b, found) =>
    found.flatMap((box) => [box[0] - 20, box[2] + 20].map((x) => [x, (box[1] + box[3]) / 2])).map(([x, y]) => {
      const curve = ([x1, y1], by, [x2, y2]) => Array.from({ length: 13 }, (_, n) => n / 12).map((t) => [(1 - t) ** 2 * x1 + 2 * t * (1 - t) * x + t * t * x2, (1 - t) ** 2 * y1 + 2 * t * (1 - t) * by + t * t * y2]);
      return [...curve(a, a[1] + (y - a[1]) * 0.4, [x, y]), ...curve([x, y], y + (b[1] - y) * 0.6, b)];
    });
  const length = (dots) => dots.slice(1).reduce((sum, dot, i) => sum + far(dot, dots[i]), 0);
  const line = (stops, spared = [], round = []) => {
    const dots = [];
    stops.slice(1).forEach((stop, i) => {
      const from = stops[i];
      const bows = (spared.length ? [0.14, -0.14, 0.3, -0.3] : [0.14]).map((bend) => bowed(from.at, stop.at, bend));
      const best = bows.reduce((best, bow) => (crossed(spared, bow) < crossed(spared, best) ? bow : best));
      const cost = (dots) => crossed(round, dots) * 1000 + length(dots);
      dots.push(...(!crossed(round, best) ? best : [best, ...gaps(from.at, stop.at, round)].reduce((best, way) => (cost(way) < cost(best) ? way : best))));
    });
    return dots;
  };
  // Cut off both ends, so that the pieces there stay visible.
  const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  const clear = (dots, most, head) => {
    const [first, last] = [dots[0], dots.at(-1)];
    const room = Math.min(most, far(first, last) * 0.16);
    const kept = dots.filter((dot) => far(dot, first) >= room * 0.4 && far(dot, last) >= room + head);
    return kept.length > 1 ? kept : [first, [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2]];
  };
  // The point nearest to a part of the way where a number covers nothing.
  const middling = (dots, text, size, found, part = 0.5) => {
    const [half, wide] = [Math.floor(dots.length * part), text.length > 3 ? 20 + 10 * text.length : 36];
    const order = dots.map((_, i) => i).sort((i, j) => Math.abs(i - half) - Math.abs(j - half));
    return dots[order.find((i) => !covered(found, dots[i], wide, size)) ?? half];
  };
  const disc = ([x, y], text, size, kind = "plan-number") =>
    svgElement("g", { class: kind, transform: `translate(${x} ${y}) scale(${size})` },
      text.length > 3 ? svgElement("rect", { x: -9 - 5 * text.length, y: -16, width: 18 + 10 * text.length, height: 32, rx: 5 }) : svgElement("circle", { r: text.length > 2 ? 19 : 16 }),
      svgElement("text", { y: 7 }, text));

  // What stays behind at the source, on a pale shield.
  const left = ([x, y], text, size) =>
    svgElement("g", { class: "plan-left", transform: `translate(${x} ${y + 33 * size}) scale(${size})` },
      svgElement("path", { d: "M-15-17H15V1Q15 13 0 19.500Q-15 13-15 1Z" }),
      svgElement("text", { y: 9 }, text));

  // Boxes of elements that should stay visible, in units of the layer.
  const places = (selector) =>
    [...board.querySelectorAll(selector)].map((x) => {
      const box = x.getBoundingClientRect();
      return [...units([box.left, box.top]), ...units([box.right, box.bottom])];
    });
  const covered = (found, [x, y], wide, size) => {
    const [half, high] = [(wide / 2 + 8) * size, 14 * size];
    return found.reduce((sum, [left, top, right, bottom]) => {
      const [w, h] = [Math.min(x + half, right) - Math.max(x - half, left), Math.min(y + high, bottom) - Math.max(y - high, top)];
      return sum + (w > 0 && h > 0 ? w * h : 0);
    }, 0);
  };

  // Position of a number near the head of a ribbon that covers least, and its corners.
  const atHead = (dots, text, size, found) => {
    const wide = text.length > 3 ? 10 * text.length : 16;
    const tip = dots.at(-1);
    const taken = [...found, [tip[0] - 10 * size, tip[1] - 10 * size, tip[0] + 10 * size, tip[1] + 10 * size]];
    const spots = [];
    for (const back of [16, 30, 46, 64]) {
      const at = dots.findLast((dot) => far(dot, tip) >= back * size) || dots[0];
      for (const [dx, dy] of [[0, 0], [0, -26], [0, 26], [-30, 0], [30, 0]]) {
        const [x, y] = [at[0] + dx * size, at[1] + dy * size];
        spots.push({ x, y, cost: covered(taken, [x, y], wide, size) + 5 * far([x, y], tip) * size });
      }
    }
    const { x, y } = spots.reduce((a, b) => (b.cost < a.cost ? b : a));
    const [w, h] = [(wide / 2 + 10) * size, 16 * size];
    return { at: [x, y], corners: [[x - w, y - h], [x + w, y - h], [x - w, y + h], [x + w, y + h]] };
  };

  // Replaces the drawing, but keeps elements that stay equal: nothing blinks or loses the pointer.
  let drawn = null;
  const settle = (there, fresh) => {
    const old = [...there.children];
    const wanted = fresh.map((one) => {
      const at = old.findIndex((x) => x.isEqualNode(one));
      return at < 0 ? one : old.splice(at, 1)[0];
    });
    old.forEach((x) => x.remove());
    wanted.forEach((one, i) => there.children[i] === one || there.insertBefore(one, there.children[i] || null));
  };
  const steppers = document.createElement("div");
  steppers.className = "steppers";
  let shown = ""; // what the steppers are for: they stay while one steps

  const sums = (plan, form, target) => {
    const worth = parts(plan.dataset.worth);
    let [n, sent] = [Number(plan.dataset.base) || 0, Number(plan.dataset.base) || 0];
    for (const name of (plan.dataset.number || "").split(" ").filter(Boolean)) {
      const x = input(form, name);
      if (x) n += number(x);
    }
    for (const name of (plan.dataset.adds || "").split(" ").filter(Boolean)) {
      for (const code of values(form, name)) [n, sent] = [n + (worth.get(code) ?? worth.get(code.split("/")[0]) ?? 0), sent + 1];
    }
    const count = n;
    if (n) n += parts(plan.dataset.plus).get(target) || 0;
    return { n, count, goes: sent > 0, meets: parts(plan.dataset.meets).get(target) };
  };

  // The banner with the force that is sent, each with its strength.
  const sent = board?.querySelector("[data-sent]");
  const sending = [];
  const muster = (plan, form) => {
    const worth = parts(plan.dataset.worth);
    const faces = new Map(plan.dataset.faces.split(" ").filter(Boolean).map((pair) => pair.split("=")));
    const codes = (plan.dataset.adds || "").split(" ").flatMap((name) => values(form, name)).map((code) => (worth.has(code) ? code : code.split("/")[0]));
    sent.dataset.sum = codes.reduce((sum, code) => sum + (worth.get(code) ?? 0), 0);
    sending.push(
      ...codes.map((code) => {
        const medal = document.createElement("span");
        medal.className = "medal";
        const n = document.createElement("b");
        n.textContent = worth.get(code) ?? 0;
        medal.append(svgElement("svg", { class: "part" }, svgElement("use", { href: `${plan.dataset.sprite}#${faces.get(code) || "fig"}` })), n);
        return medal;
      }),
    );
  };

  // A row of the points against each defence: first cards that the defender may field, then what is there.
  const against = (plan, told, target, n) => {
    const pair = (plan.dataset.guards || "").split(" ").find((one) => one.startsWith(`${target.code}=`));
    const all = pair ? pair.slice(target.code.length + 1).split(",").filter(Boolean).map((one) => one.split("*")) : [];
    const row = told.previousElementSibling?.matches(".against") ? told.previousElementSibling : document.createElement("div");
    const key = all.length ? `${pair} ${n}` : "";
    if (row.dataset.of === key) return;
    const past = Math.max(0, n - all.reduce((sum, [, worth]) => sum + Number(worth), 0));
    const spare = Math.min(past, parts(plan.dataset.most).get(target.code) ?? past);
    let left = n - past;
    const guard = (points, inside, kind = "") => {
      const box = document.createElement("span");
      box.className = `guard ${kind}`;
      const arrows = document.createElement("i");
      arrows.textContent = "▼".repeat(points);
      box.append(arrows, inside);
      return box;
    };
    row.className = `against ${piece(target.code)?.closest("[data-seat]")?.className.match(/tint-\w+/)?.[0] || ""}`;
    row.dataset.of = key;
    row.setAttribute("aria-hidden", "true");
    row.replaceChildren(
      ...Array.from({ length: key ? Math.min(spare, 5) : 0 }, (_, i) => {
        const card = document.createElement("b");
        card.textContent = i === 4 && spare > 5 ? `×${spare}` : "";
        return guard(1, card, "may");
      }),
      ...all.map(([id, worth]) => {
        const points = Math.min(left, Number(worth));
        left -= points;
        return guard(points, svgElement("svg", { class: "part" }, svgElement("use", { href: `${plan.dataset.sprite}#${id}` })), `${id}${points < worth ? " holds" : ""}`);
      }),
    );
    if (!row.isConnected) told.before(row);
  };

  // Draws ribbon and ghost. Returns the target, if a number is to be set there.
  const drawPlan = (plan, form, size) => {
    const stops = [];
    for (const token of plan.dataset.path.split(" ")) {
      const code = token.startsWith("@") ? token.slice(1) : values(form, token)[0];
      const x = code && piece(code);
      if (x) stops.push({ code, at: units(middle(x)), fixed: token.startsWith("@") });
    }
    const wanted = plan.dataset.path.split(" ").length;
    const target = stops.at(-1);
    if (!target) return null;
    const { n, count, goes, meets } = sums(plan, form, target.code);
    const look = plan.dataset.look || (plan.dataset.ghost && looking(values(form, plan.dataset.ghost)[0])?.dataset.look);
    if (look) {
      // Never taller than its place, which is flat where a phone has no room for it.
      const side = Math.min(58 * size, piece(target.code).getBoundingClientRect().height / layer.getScreenCTM().a);
      const there = drawn.querySelectorAll(`.plan-ghost[data-at="${CSS.escape(target.code)}"]`).length;
      const [x, y] = [target.at[0] + there * side * 0.7, target.at[1] - (Number(plan.dataset.lift) || 0) * size];
      if (side) drawn.append(svgElement("g", { class: "plan-ghost", "data-at": target.code },
        svgElement("circle", { cx: x, cy: y, r: side * 0.62 }),
        svgElement("use", { href: look, x: x - side / 2, y: y - side / 2, width: side, height: side })));
    }
    if (stops.length > 1) {
      const room = Number(layer.dataset.room) || 20;
      const spared = layer.dataset.spare ? places(layer.dataset.spare) : [];
      const round = layer.dataset.round ? places(layer.dataset.round) : [];
      const dots = clear(line(stops, spared, round), room, 16 * size);
      const d = "M" + dots.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      const text = meets === undefined ? String(n) : `${n} : ${meets}`;
      const half = far(dots[0], dots.at(-1)) < 110 * size ? dots[0] : middling(dots, text, size, round);
      const head = spared.length && n ? atHead(dots, text, size, spared) : null;
      target.way = [...dots, ...(head?.corners || [])];
      drawn.append(svgElement("g", { class: "plan" },
        svgElement("path", { class: "plan-under", d }),
        svgElement("path", { class: "plan-over", d, "marker-end": "url(#plan-head)" }),
        svgElement("path", { class: "plan-stitch", d }),
        ...(n || goes ? [disc(head?.at || half, text, size)] : []))); // also a force of strength 0
      const stay = form.querySelector("[data-pool]")?.dataset.stays;
      if (stops[0].fixed && stay && n) drawn.append(left(stops[0].at, stay, size));
    } else if (plan.dataset.path.startsWith("@") && wanted === 1 && plan.dataset.number) {
      const x = input(form, plan.dataset.number);
      const more = x ? number(x) - Number(x.dataset.usual || x.defaultValue || 0) : 0;
      if (more) drawn.append(disc([target.at[0] + 27 * size, target.at[1] + 30 * size], more > 0 ? `+${more}` : `−${-more}`, size * 0.8, "plan-number plan-change"));
    }
    const button = plan.dataset.button && form.querySelector(":scope > .row:last-of-type > button");
    if (button) {
      button.dataset.label ||= button.textContent;
      button.textContent = n && stops.length > 1 ? plan.dataset.button.replace("#", n) : button.dataset.label;
    }
    const told = form.querySelector(`[data-told-of="${plan.dataset.path}"]`) || telling(form, plan);
    if (told) {
      if (plan.dataset.guards) against(plan, told, stops.length > 1 ? target : {}, n);
      const wanted_sums = n && stops.length > 1 ? document.querySelector(`template[data-sums-of="${CSS.escape(target.code)}"]`) : null;
      const set = stops.length > 1 || (wanted === 1 && !plan.dataset.number); // at one place what is added counts at once
      const words = n || goes ? plan.dataset.say : plan.dataset.none;
      const text = words && meets !== undefined && set ? falling(plan, target.code, n) || words.replace("#", n).replace("@", meets) : (stops.length > 1 && sayings(plan, target.code)?.say) || "";
      if (wanted_sums) {
        if (told.dataset.of !== target.code) told.replaceChildren(wanted_sums.content.cloneNode(true));
        told.dataset.of = target.code;
        for (const x of told.querySelectorAll("[data-sum]")) x.textContent = n;
        for (const x of told.querySelectorAll("[data-count]")) x.textContent = count;
      } else if (told.dataset.of || told.textContent !== text) {
        delete told.dataset.of;
        told.textContent = text;
      }
    }
    const whole = stops.length > 1 || (wanted === 1 && spot === plan);
    return whole ? target : null;
  };
  const sayings = (plan, code) => plan.querySelector(`[data-of="${CSS.escape(code.split(":")[0])}"]`)?.dataset;
  // The sentence about a target that falls.
  const falling = (plan, code, n) => {
    const spare = n - parts(plan.dataset.needs).get(code);
    const words = sayings(plan, code);
    const most = parts(plan.dataset.most).get(code) ?? Infinity;
    const said = words && spare >= 0 ? (!most && words.alone) || (spare && spare >= most && words.sure) || (spare ? words.falls : words.bare) : "";
    return said.replace("@", n).replace("#", spare).replace("~", most);
  };
  const looking = (code) => code && document.querySelector(`[data-value="${CSS.escape(code)}"] [data-look]`);
  const telling = (form, plan) => {
    const whole = document.querySelector("template[data-sums-of]");
    if (!plan.dataset.say && !plan.querySelector("[data-of]") && !whole) return null;
    const told = document.createElement("div");
    told.className = "hint told-sum";
    told.dataset.toldOf = plan.dataset.path;
    told.setAttribute("aria-live", "polite");
    // A sentence is next to the button, which stays in view; a template comes first in the form.
    if (whole) form.querySelector("fieldset, .field, .pool")?.before(told);
    else form.querySelector(".row:last-of-type")?.prepend(told);
    return told;
  };

  const stepper = (x, label, several) => {
    const box = document.createElement("div");
    box.className = "stepper";
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", label);
    const count = document.createElement("output");
    const buttons = [-1, 1].map((by) => {
      const button = stepButton(label, by);
      button.addEventListener("click", () => turn(x, by));
      return button;
    });
    const fresh = () => {
      count.textContent = number(x);
      buttons[0].disabled = number(x) <= Number(x.min);
      buttons[1].disabled = number(x) >= Number(x.max);
    };
    box.append(buttons[0], count, buttons[1]);
    if (several) {
      const said = document.createElement("span");
      said.textContent = label;
      said.setAttribute("aria-hidden", "true");
      box.append(said);
    }
    box.fresh = fresh;
    box.input = x;
    return box;
  };
  const turn = (x, by) => {
    const n = Math.min(Math.max(number(x) + by, Number(x.min)), Number(x.max));
    if (n === number(x) && x.value !== "") return;
    x.value = n;
    fireChange(x);
  };
  const labelOf = (form, x) => (form.querySelector(`label[for="${CSS.escape(x.id)}"]`)?.firstChild?.textContent || x.closest("label")?.textContent || "").trim();

  // Places the steppers next to the target, off the ribbon and inside the visible board.
  let beside = null;
  const lay = () => {
    if (!beside || !steppers.isConnected) return;
    const [x, y] = screen(beside.at);
    const whole = board.getBoundingClientRect();
    const seen = (board.querySelector("[data-plans-box]") || board).getBoundingClientRect();
    const [wide, high] = [steppers.offsetWidth, steppers.offsetHeight];
    const [right, bottom] = [Math.min(seen.right, innerWidth), Math.min(seen.bottom, whole.bottom, innerHeight)];
    const way = (beside.way || []).map(screen);
    // Other targets stay visible, and above all the chosen one.
    const places = [...board.querySelectorAll("[data-value].can")].map((x) => seat(x).getBoundingClientRect()).filter((box) => box.width);
    const aim = beside.code && piece(beside.code);
    const told = layer.dataset.aside ? [...board.querySelectorAll(layer.dataset.aside)].map((x) => x.getBoundingClientRect()).filter((box) => box.width) : [];
    const share = (box, left, top) => {
      const [w, h] = [Math.min(box.right, left + wide) - Math.max(box.left, left), Math.min(box.bottom, top + high) - Math.max(box.top, top)];
      if (w <= 0 || h <= 0) return 0;
      return (w * h) / (box.width * box.height) + (w > box.width / 2 && h > box.height / 2 ? 2 : 0);
    };
    const read = layer.dataset.spare ? [...board.querySelectorAll(layer.dataset.spare)].map((x) => x.getBoundingClientRect()) : [];
    const all = (boxes, left, top) => boxes.reduce((sum, box) => sum + share(box, left, top), 0);
    const covered = (left, top) => 2 * all(places, left, top) + (aim ? 6 * share(seat(aim).getBoundingClientRect(), left, top) : 0) + 3 * all(told, left, top) + 0.25 * all(read, left, top);
    const spots = [];
    for (const far of [18, 48, 84, 130, 190]) {
      for (let turn = 0; turn < 24; turn++) {
        const angle = Math.PI * (0.25 + turn / 12);
        const [cx, cy] = [x + Math.cos(angle) * (far + wide / 2), y + Math.sin(angle) * (far + high / 2)];
        const left = Math.min(Math.max(cx - wide / 2, seen.left + 4), right - wide - 4);
        const top = Math.min(Math.max(cy - high / 2, seen.top + 4), bottom - high - 4);
        const off = ([a, b]) => Math.hypot(Math.max(left - a, 0, a - left - wide), Math.max(top - b, 0, b - top - high));
        spots.push({ left, top, clear: Math.min(30, ...way.map(off)) + (off([x, y]) > 10 ? 0 : -30) - 30 * covered(left, top) - far / 4 });
      }
    }
    const best = spots.reduce((a, b) => (b.clear > a.clear + 1 ? b : a));
    steppers.style.left = `${best.left - whole.left + board.scrollLeft}px`;
    steppers.style.top = `${best.top - whole.top + board.scrollTop}px`;
  };

  const step_numbers = (form, plan, target) => {
    const names = (plan.dataset.number || "").split(" ").filter(Boolean);
    const inputs = names.map((name) => input(form, name)).filter((x) => x && !x.closest("[hidden]"));
    if (!inputs.length) return false;
    const key = inputs.map((x) => x.name).join(" ");
    if (shown !== key) {
      shown = key;
      steppers.replaceChildren(...inputs.map((x) => stepper(x, labelOf(form, x), inputs.length > 1)));
      board.append(steppers);
    }
    for (const box of steppers.children) box.fresh();
    beside = target;
    lay();
    return true;
  };

  const show = () => {
    settle(layer.querySelector(".drawn"), [...drawn.children]);
    if (sent) settle(sent, sending);
  };
  // The last preset input and its target: another target presets its own number, unless the player has changed it.
  let preset = null;
  let presetting = false;
  const draw = (event) => {
    drawn = svgElement("g", {});
    sending.length = 0;
    const form = current();
    let set = false;
    if (form) {
      if (sent) plansOf(form).filter((plan) => plan.dataset.faces).forEach((plan) => muster(plan, form));
      const ctm = layer.getScreenCTM();
      const size = Number(layer.dataset.size) || 1 / (ctm?.a || 1);
      // The number that is set now: of the picked place, else of the last complete path.
      const wanted = [];
      for (const plan of plansOf(form)) {
        const target = drawPlan(plan, form, size);
        if (target) wanted.push([plan, target]);
      }
      show();
      const now = wanted.find(([plan]) => plan === spot) || wanted.filter(([plan]) => plan.dataset.path.includes(" ")).at(-1);
      const [plan, target] = now || [];
      if (now) set = step_numbers(form, plan, target);
      const least = plan?.dataset.least && parts(plan.dataset.least).get(target.code);
      const x = least && input(form, plan.dataset.number);
      if (!presetting && event?.target === preset?.x) preset = null;
      if (x && x !== event?.target && (!number(x) || (preset?.x === x && preset.code !== target.code))) {
        preset = { x, code: target.code };
        presetting = true;
        turn(x, least - number(x));
        presetting = false;
      }
    }
    if (!form) show();
    if (!set) {
      shown = "";
      beside = null;
      steppers.remove();
    }
  };

  if (layer && forms.length) {
    for (const still of board.querySelectorAll("[data-still]")) still.remove();
    document.addEventListener("marked", draw);
    document.addEventListener("input", draw);
    board.addEventListener("scroll", lay, true);
    new ResizeObserver(() => draw()).observe(board);
    // The keys + and - step the number, except in text inputs.
    document.addEventListener("keydown", (event) => {
      if (!["+", "-", "−"].includes(event.key) || event.target.matches("input, textarea, select") || !steppers.isConnected) return;
      event.preventDefault();
      const x = steppers.firstChild.input;
      turn(x, event.key === "+" ? 1 : -1);
      say(`${labelOf(x.form, x)}: ${number(x)}`);
    });
    draw();
  }
}
