// Adds the running total under the deck form. The form works without it: the server counts again.
for (const form of document.querySelectorAll("[data-deck]")) {
  const sizes = form.dataset.size.split(" ").map(Number); // the usual one first
  const total = form.parentElement.querySelector("[data-total]");
  const words = total.dataset;
  const count = () => {
    let n = 0;
    for (const input of form.querySelectorAll("input[type=number]")) n += Number(input.value) || 0;
    const size = sizes.includes(n) ? n : sizes[0];
    const rest = n < size ? words.more.replace("#", size - n) : n > size ? words.less.replace("#", n - size) : words.right;
    total.textContent = words.sum.replace("#", n).replace("@", size) + " " + rest;
    total.classList.toggle("right", n === size);
  };
  form.addEventListener("input", count);
  count();
  if (!form.dataset.deck) continue;

  // In a question a ready-made deck fills the numbers in, and each of them goes up and down by a button of its own.
  const set = (input, n) => {
    input.value = Math.min(Math.max(n, 0), Number(input.max));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const inputs = [...form.querySelectorAll("input[type=number]")];
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
  for (const input of inputs) {
    const label = input.parentElement.querySelector(".of-kind").textContent;
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
  form.addEventListener("input", mark);
  mark();
}
