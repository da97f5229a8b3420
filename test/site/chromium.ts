/** Finds and starts the Chromium of the system, and checks pages in it for overflow and accessibility. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { z } from "zod";

/**
 * Paths at which a system may have Chromium. The headless shell, which is first, opens a page in less than half of the time of
 * the complete browser.
 */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The path of Chromium, from the variable CHROMIUM or one of `PLACES`; null if the system has none. */
export const CHROMIUM: string | null =
  [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path)) ?? null;

if (CHROMIUM === null) {
  const words =
    "There is no Chromium, so no test opens the pages in a browser. Install it (apt-get install chromium), or set CHROMIUM to its path.";
  if (process.env.CI !== undefined) throw new Error(words);
  console.warn(words);
}

/**
 * Starts Chromium.
 * @throws Error if there is no browser
 */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === null)
    throw new Error("There is no Chromium. Install it (apt-get install chromium), or set CHROMIUM to its path.");
  // The default limit of 30 seconds is too short for a busy machine.
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    timeout: 120_000,
  });
}

/**
 * Opens a browser context with its own cookies. Its time limit of two minutes only ends a page that hangs, so it is long enough
 * for a busy machine.
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
 * Returns violations of WCAG 2.2 AA and of axe's best practices, each with its elements. The context of the page needs
 * `bypassCSP`, so that the script of axe can run.
 */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(RULES);
  const { passes, violations } = findings.parse(
    await page.evaluate(`axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ passes, violations }) => ({ passes: passes.length,
        violations: violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target }) => target.join(" ")) })) }))`),
  );
  if (passes < 10)
    throw new Error("axe passed fewer than 10 of its rules, so the page was probably empty when it was checked");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).join(", ")}`);
}

/** Returns by how many pixels a page is wider than its window. */
export async function measureOverflow(page: Page): Promise<number> {
  return z.number().parse(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
}
