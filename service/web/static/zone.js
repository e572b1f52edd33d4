// Fills in the browser's time zone where none is chosen yet. It is shown, and can be changed; without scripts it is typed.
for (const field of document.querySelectorAll("[data-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!field.value && [...field.list.options].some((option) => option.value === zone)) field.value = zone;
}
