/**
 * Formats dates, times and figures in the locale of the site, or, without one, in that of the reader's browser. Times
 * are followed by their time zone.
 */

export default function formatForLocale(): void {
  const { locale } = document.documentElement.dataset;
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    const text = time.dateTime;
    const at = new Date(text);
    if (10 > text.length || Number.isNaN(at.getTime())) continue;
    const day = { year: "numeric", month: "short", day: "numeric" } as const;
    time.title = time.textContent;
    time.textContent = text.includes("T")
      ? at.toLocaleString(locale, { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" })
      : at.toLocaleDateString(locale, { ...day, timeZone: "UTC" });
  }
  // In other languages, the server has formatted them.
  if (!document.documentElement.lang.startsWith("en")) return;
  for (const figure of document.querySelectorAll(".num:not(:has(data)), .figures b:not(:has(data)), data")) {
    if (!/^-?[0-9,]+([.][0-9]+)?( %| of [0-9.]+)?$/.test(figure.textContent)) continue;
    figure.textContent = figure.textContent
      .replaceAll(/-?[0-9,]+([.][0-9]+)?/g, (number: string, decimals = ".") => {
        const digits = decimals.length - 1;
        const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        return Number(number.replaceAll(",", "")).toLocaleString(locale, format);
      })
      .replace(" %", "\u00a0%");
  }
}
