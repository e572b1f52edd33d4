// Relative times stay true on a page that lies open: “in 51 h” becomes “in 41 h” ten hours later. The words are those of the server
// (relative_times in pages/_parts.html), and so is the clock: that of the machine may be wrong.
{
  const words = document.currentScript.dataset;
  const days = words.days.split("|");
  const off = Number(words.at) - Date.now();
  const ahead = (seconds) => {
    const minutes = Math.floor(seconds / 60);
    if (minutes < 1) return words.now;
    if (minutes < 2 * 60) return words.minutes.replace("#", minutes);
    if (minutes < 60 * 60) return words.hours.replace("#", Math.floor(minutes / 60));
    return days[Math.floor(minutes / (24 * 60))];
  };
  const refresh = () => {
    for (const x of document.querySelectorAll("time[data-until]")) {
      const text = ahead((Date.parse(x.dateTime) - Date.now() - off) / 1000);
      if (!text || text === x.textContent) continue;
      if (x.dataset.until === "title") document.title = document.title.replace(x.textContent, text);
      x.textContent = text;
    }
  };
  setInterval(refresh, 20000);
  document.addEventListener("visibilitychange", refresh);
  addEventListener("pageshow", refresh);
}
