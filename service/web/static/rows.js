// Rows of a form are added, removed and moved at once, and added up while one types. The form works without it: its buttons
// ask the server for the same page with other rows, which counts again in any case.
const numbered = (text, n) => text.replace("#", n);
const inputs = (row) => [...row.querySelectorAll("input, select")];
const ticks = (x) => ["checkbox", "radio"].includes(x.type);
const filled = (row) => inputs(row).some((x) => (ticks(x) ? x.checked && x.value !== "" : x.value !== ""));
const clear = (row) => inputs(row).forEach((x) => (ticks(x) ? (x.checked = x.type === "radio" && x.value === "") : (x.value = "")));

for (const field of document.querySelectorAll("[data-rows]")) {
  const { rows: name, id, least, most, legend } = field.dataset;
  const rows = () => [...field.querySelectorAll(":scope > [data-row]")];
  const fewest = Math.max(Number(least), 1);
  const add = field.querySelector(":scope > [data-do=add]");
  const told = field.querySelector("[data-told]");

  // Names, ids and words say the place of their row: f_moves__2__group, march-go-moves-2-group, “Row 2”.
  const renumber = (ticked = [...field.querySelectorAll("[type=radio]:checked")]) => {
    rows().forEach((row, at) => {
      const n = at + 1;
      const place = new RegExp(`^(${name}__|${id}-)\\d+(?=__|-)`);
      for (const x of row.querySelectorAll("[name], [id], label[for]")) {
        for (const key of ["name", "id", "for"]) {
          if (x.hasAttribute(key)) x.setAttribute(key, x.getAttribute(key).replace(place, `$1${n}`));
        }
      }
      row.querySelector("legend").textContent = numbered(legend, n);
      for (const button of row.querySelectorAll("[data-label]")) {
        button.setAttribute("aria-label", numbered(button.dataset.label, n));
        const what = button.dataset.do;
        button.disabled = (what === "up" && n === 1) || (what === "down" && n === rows().length);
      }
    });
    for (const x of ticked) x.checked = true; // rows that changed places had the same names for a moment
    field.querySelector(`input[name="${name}__rows"]`).value = rows().length;
    if (add) add.disabled = rows().length >= Number(most);
    count();
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const picked = (row, cell) => {
    const own = inputs(row).filter((x) => x.name.split("__")[2] === cell);
    return own.flatMap((x) => {
      const part = x.name.split("__").slice(3).join("__");
      if (x.type === "checkbox") return x.checked ? [part] : [];
      if (x.type === "number") return Array(Number(x.value) || 0).fill(part);
      return [x.value];
    });
  };
  const sum = (row, cell) => {
    const input = inputs(row).find((x) => x.name.split("__").slice(2).join("__") === cell);
    return filled(row) ? Number(input.value === "" ? input.placeholder : input.value) || 0 : 0;
  };

  const count = () => {
    for (const line of field.querySelectorAll("[data-cells]")) {
      const { cells, choice, say, over, under } = line.dataset;
      const uses = (row) => cells.split(" ").flatMap((cell) => picked(row, cell)).filter((x) => x === choice).length;
      const n = rows().reduce((so_far, row) => so_far + (choice ? uses(row) : sum(row, cells)), 0);
      const [low, high] = [Number(line.dataset.least), Number(line.dataset.most)];
      const wrong = n > high ? over.replace("@", n - high) : n < low ? under.replace("@", low - n) : "";
      const words = numbered(say, n) + (wrong ? ` (${wrong})` : "");
      if (line.textContent !== words) line.textContent = words;
      line.classList.toggle("over", n > high);
      line.hidden = Boolean(choice) && !n && !low; // of shared choices, those that are used
    }
    for (const box of field.querySelectorAll("[data-picked]")) {
      const group = box.closest("fieldset");
      const n = inputs(group).reduce((so_far, x) => so_far + (x.type === "checkbox" ? Number(x.checked) : Number(x.value) || 0), 0);
      box.textContent = n ? numbered(box.dataset.picked, n) : "";
      box.classList.toggle("over", n > Number(group.dataset.most));
    }
  };

  const does = {
    add() {
      const row = rows().at(-1).cloneNode(true);
      clear(row);
      // While both rows have the same names, a browser unticks the radio buttons of the first.
      const ticked = [...field.querySelectorAll("[type=radio]"), ...row.querySelectorAll("[type=radio]")].filter((x) => x.checked);
      row.querySelectorAll("[data-laid]").forEach((x) => x.replaceChildren()); // of the row above (ahead.js)
      row.classList.remove("asks");
      rows().at(-1).after(row);
      renumber(ticked);
      inputs(row)[0]?.focus();
    },
    drop(row) {
      const at = rows().indexOf(row);
      if (rows().length > fewest) row.remove();
      else clear(row);
      renumber();
      const next = rows()[Math.min(at, rows().length - 1)];
      (next.querySelector("[data-do=drop]") || add).focus();
      told.textContent = numbered(field.dataset.gone, at + 1);
    },
    up(row) {
      if (row.previousElementSibling?.matches("[data-row]")) row.previousElementSibling.before(row);
      renumber();
    },
    down(row) {
      if (row.nextElementSibling?.matches("[data-row]")) row.nextElementSibling.after(row);
      renumber();
    },
  };

  field.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    event.preventDefault();
    const row = button.closest("[data-row]");
    does[button.dataset.do](row);
    if (button.isConnected && ["up", "down"].includes(button.dataset.do)) {
      (button.disabled ? row.querySelector("[data-do]:not(:disabled)") : button).focus();
      told.textContent = row.querySelector("legend").textContent;
    }
  });
  field.addEventListener("input", count);

  // The empty rows are room for those without scripts.
  for (const row of rows().reverse()) {
    if (rows().length <= fewest || filled(row)) break;
    row.remove();
  }
  renumber();
}
