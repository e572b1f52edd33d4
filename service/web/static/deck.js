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
}
