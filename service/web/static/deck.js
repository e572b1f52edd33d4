// Adds the running total under the deck form. The form works without it: a button asks the server to count.
for (const form of document.querySelectorAll("[data-deck]")) {
  const sizes = form.dataset.size.split(" ").map(Number); // the usual one first
  const inputs = [...form.querySelectorAll("input[type=number]")];
  const called = (input) => input.closest(".deck-row, .deck-pick").querySelector(".of-kind").textContent;
  const total = form.parentElement.querySelector("[data-total]");
  const words = total.dataset;
  form.parentElement.querySelector(".add-up")?.remove(); // else the Enter key would press it
  const count = () => {
    let n = 0;
    const over = [];
    for (const input of inputs) {
      n += Number(input.value) || 0;
      if (Number(input.value) > Number(input.max)) over.push(words.over.replace("#", input.max).replace("@", called(input)));
    }
    const size = sizes.includes(n) ? n : sizes[0];
    const rest = n < size ? words.more.replace("#", size - n) : n > size ? words.less.replace("#", n - size) : words.right;
    total.textContent = [words.sum.replace("#", n).replace("@", size), rest, ...over].join(" ");
    total.classList.toggle("right", n === size);
  };
  form.addEventListener("input", count);
  count();

  // Each number goes up and down by a button of its own.
  const set = (input, n) => {
    input.value = Math.min(Math.max(n, 0), Number(input.max));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  for (const input of inputs) {
    const label = called(input);
    const buttons = [-1, 1].map((by) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = by > 0 ? "+" : "−";
      button.setAttribute("aria-label", `${label}: ${by > 0 ? form.dataset.more : form.dataset.fewer}`);
      button.addEventListener("click", () => set(input, Number(input.value) + by));
      return button;
    });
    input.before(buttons[0]);
    input.after(buttons[1]);
  }
  if (!form.dataset.deck) continue;

  // In a question a ready-made deck fills the numbers in.
  const links = [...document.querySelectorAll("[data-fills]")];
  const held = (link) => new URLSearchParams(link.search).getAll(form.dataset.deck.slice(2));
  const kind = (input) => input.name.slice(form.dataset.deck.length + 2);
  const times = (cards, input) => cards.filter((card) => card === kind(input)).length;
  const mark = () => {
    for (const link of links) {
      if (inputs.every((input) => times(held(link), input) === Number(input.value))) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  for (const link of links) {
    link.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      for (const input of inputs) set(input, times(held(link), input));
    });
  }
  form.addEventListener("input", mark);
  mark();
}
