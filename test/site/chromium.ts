/** The browser of the system, and checks that apply to every page. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { z } from "zod";

/**
 * Where a system has its browser. The first one has no windows: it opens a page in less than half of the time that the complete
 * browser needs.
 */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The path of the browser; null if there is none. */
export const CHROMIUM: string | null =
  [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path)) ?? null;

if (CHROMIUM === null) {
  const words = "there is no Chromium: the pages are not looked at in a browser; install it (apt-get install chromium)";
  if (process.env.CI !== undefined) throw new Error(words);
  console.warn(words);
}

/**
 * Starts Chromium.
 * @throws Error if there is no browser
 */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error("there is no Chromium");
  // The default limit of 30 seconds is too short for a busy machine.
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    timeout: 120_000,
  });
}

/**
 * Opens a new context. Its time limit only ends a page that hangs. It is long enough for a busy machine, because it does not
 * test speed.
 */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  return context;
}

const RULES = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const findings = z.object({
  passes: z.number(),
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.string()) })),
});

/**
 * Returns violations of WCAG 2.2 AA and of best practices, each with its elements. The context must ignore the page's policy,
 * so that the checker's script can run.
 */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(RULES);
  const { passes, violations } = findings.parse(
    await page.evaluate(`axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ passes, violations }) => ({ passes: passes.length,
        violations: violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target }) => target.join(" ")) })) }))`),
  );
  if (passes < 10) throw new Error("the checker looked at next to nothing");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).join(", ")}`);
}

/** Returns by how many pixels a page is wider than its window. */
export async function measureOverflow(page: Page): Promise<number> {
  return z.number().parse(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
}
