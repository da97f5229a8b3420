/** Dates, times and figures as the reader's own country writes them; times keep saying their zone. */

export const LOCALE = `
  for (const time of document.querySelectorAll("time[datetime]")) {
    const text = time.getAttribute("datetime");
    const at = new Date(text);
    if (10 > text.length || Number.isNaN(at.getTime())) continue;
    const day = { year: "numeric", month: "short", day: "numeric" };
    time.title = time.textContent;
    time.textContent = text.includes("T")
      ? at.toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" })
      : at.toLocaleDateString(undefined, { ...day, timeZone: "UTC" });
  }
  for (const figure of document.querySelectorAll(".num, .figures b, data")) {
    const found = /^(-?[0-9,]+)([.][0-9]+)?( %)?$/.exec(figure.textContent);
    if (!found) continue;
    const digits = (found[2] || ".").length - 1;
    const value = Number(found[1].replaceAll(",", "") + (found[2] || ""));
    figure.textContent = value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits }) + (found[3] ? "\\u00a0%" : "");
  }
`;
