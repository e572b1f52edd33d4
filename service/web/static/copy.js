// Copies an address at a button. Without scripts it can be selected like any other text.
for (const field of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small-button";
  button.textContent = field.dataset.copy;
  const told = document.createElement("span");
  told.setAttribute("role", "status");
  told.className = "hint inline";
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy");
    }
    told.textContent = field.dataset.copied;
  });
  field.after(button, told);
}
