// A tap on a word of an order's sentence shows its choices below; with the keyboard the word is a select, as without scripts.
// Changing a word switches its order on.
const form = document.getElementById("orders");
const told = document.querySelector("[data-changed]");
const before = told?.textContent;
const words = [...document.querySelectorAll(".w")];
const shut = () => {
  for (const palette of document.querySelectorAll(".palette")) palette.hidden = true;
  for (const word of words) word.classList.remove("unfolded");
};

const unfold = (word) => {
  const palette = word.closest("[data-order='']").querySelector(".palette");
  const again = word.classList.contains("unfolded");
  shut();
  if (again) return;
  palette.replaceChildren(
    ...[...word.options].map((option) => {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      button.textContent = option.label;
      button.classList.toggle("now", option.selected);
      button.addEventListener("click", () => {
        word.value = option.value;
        word.dispatchEvent(new Event("change", { bubbles: true }));
        shut();
        word.focus();
      });
      return button;
    }),
  );
  palette.setAttribute("aria-hidden", "true"); // the list itself is what is read out
  palette.hidden = false;
  word.classList.add("unfolded");
};

// Updates what depends on the words: which option's words are shown, which are marked as changed, and their number.
const look = () => {
  let n = 0;
  for (const word of words) {
    const changed = word.options ? !word.options[word.selectedIndex]?.defaultSelected && [...word.options].some((o) => o.defaultSelected) : word.value !== word.defaultValue;
    n += Number(changed);
    word.classList.toggle("changed", changed);
    word.classList.toggle("ask", ["", "ask"].includes(word.value));
    if (word.name.endsWith(".option")) {
      for (const way of word.closest("[data-order='']").querySelectorAll("[data-way]")) way.hidden = way.dataset.way !== word.value;
    }
  }
  for (const order of document.querySelectorAll("[data-order='']")) {
    const on = order.querySelector("[role=switch]");
    n += Number(on.checked !== on.defaultChecked && !order.querySelector(".changed"));
    order.classList.toggle("on", on.checked);
    order.classList.toggle("off", !on.checked && !order.classList.contains("house"));
    const tag = order.querySelector(".says > .tag");
    if (tag) tag.hidden = on.checked;
  }
  if (told) told.textContent = n ? told.dataset.changed.replace("#", n) : before;
};

for (const word of words) {
  if (word.options) {
    word.addEventListener("mousedown", (event) => {
      event.preventDefault();
      word.focus();
      unfold(word);
    });
  }
  word.addEventListener("change", () => {
    const on = word.closest("[data-order='']").querySelector("[role=switch]");
    if (on) on.checked = true;
    look();
  });
}
// The enter key in an order's own fields sets that order.
document.addEventListener("keydown", (event) => {
  const own = event.key === "Enter" && event.target.matches("input, select") && event.target.closest(".own-way");
  if (!own) return;
  event.preventDefault();
  own.querySelector("button[name=own]").click();
});
document.addEventListener("change", (event) => event.target.getAttribute("role") === "switch" && look());
document.addEventListener("keydown", (event) => event.key === "Escape" && shut());
document.addEventListener("click", (event) => event.target.closest(".palette, select.w") || shut());
form?.addEventListener("reset", () => setTimeout(() => (shut(), look())));
if (matchMedia("(max-width: 59.99rem)").matches && location.hash !== "#trial") document.querySelector(".dry")?.removeAttribute("open");
look();
