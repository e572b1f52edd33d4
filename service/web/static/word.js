// Draws a player's word for the shuffles in the browser. The form works without it: who gives no word gets one from the server.
for (const field of document.querySelectorAll("[data-draw]")) {
  const draw = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    field.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small-button";
  button.textContent = field.dataset.draw;
  button.addEventListener("click", draw);
  field.after(button);
  if ("drawn" in field.dataset && !field.value) draw();
}
