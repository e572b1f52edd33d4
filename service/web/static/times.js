// Updates relative times on an open page: “in 51 h” becomes “in 41 h” ten hours later, in the server's words (relative_times in
// pages/_parts.html). If the machine's clock is wrong, the server's text stays.
{
  const words = document.currentScript.dataset;
  const days = words.inDays.split("|");
  const ahead = (seconds) => {
    const minutes = Math.floor(seconds / 60);
    if (minutes < 1) return words.now;
    if (minutes < 2 * 60) return words.minutes.replace("#", minutes);
    if (minutes < 60 * 60) return words.hours.replace("#", Math.floor(minutes / 60));
    return days[Math.floor(minutes / (24 * 60))];
  };
  const left = (x) => (Date.parse(x.dateTime) - Date.now()) / 1000;
  const SLACK = 120; // seconds that a page may take to come, or a clock be off
  const told = [...document.querySelectorAll("time[data-until]")].filter((x) => [-SLACK, -60, 0, 60, SLACK].some((by) => ahead(left(x) + by) === x.textContent));
  const refresh = () => {
    for (const x of told) {
      const text = ahead(left(x));
      if (!text || text === x.textContent) continue;
      if (x.dataset.until === "title") document.title = document.title.replace(x.textContent, text);
      x.textContent = text;
    }
  };
  setInterval(refresh, 20000);
  document.addEventListener("visibilitychange", refresh);
  addEventListener("pageshow", refresh);
}
