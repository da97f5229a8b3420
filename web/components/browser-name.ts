/** A browser and its system by the names that people know them by; null where the header User-Agent tells neither. */

/** First those that name others as well, as most do. */
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const SYSTEMS = [
  ["iPhone", "an iPhone"],
  ["iPad", "an iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS X", "a Mac"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

export function browserName(agent: string): string | null {
  const nameIn = (names: readonly (readonly [string, string])[]) => names.find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
