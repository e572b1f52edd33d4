// Lets a log be dropped on its form. Without scripts the file is chosen and sent.
for (const form of document.querySelectorAll("[data-drop]")) {
  const field = form.querySelector("input[type=file]");
  form.querySelector("[data-dropping]").hidden = false;
  const over = (on) => form.classList.toggle("dropping", on);
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  form.addEventListener("dragleave", () => over(false));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    if (!event.dataTransfer.files.length) return;
    field.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}
