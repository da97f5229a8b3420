/** Each kind of chart in a browser, on a phone and on a desk: values on hover and focus, links to datasets, and downloads. */

import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordList } from "../../schemas/public/api/record.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve, UNLIMITED } from "../server/test-store.ts";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "./chromium.ts";

let store: ReleasedStore;
let server: Listening;
let browser: Browser;

const KINDS = [
  { kind: "the distribution of a repository", path: async () => "/repositories/Zenodo", id: "distribution" },
  { kind: "a dataset among comparable ones", path: datasetPath, id: "standing" },
] as const;

async function datasetPath(): Promise<string> {
  const { text } = await ask(server.port, "/records?repository=Zenodo&sortBy=score&sortOrder=desc");
  return `/datasets/${recordList.parse(JSON.parse(text)).data[0]?.id}`;
}

describe.skipIf(CHROMIUM === null)("charts", () => {
  beforeAll(async () => {
    store = await releasedStore({});
    server = await serve(store.store, { quotas: UNLIMITED });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  /** Returns the cells of the table below the chart, without thousands separators. */
  async function cellsOf(figure: Locator): Promise<string[][]> {
    await figure.locator("summary").click();
    return figure
      .locator("tr")
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? "").trim().replaceAll(",", ""))),
      );
  }

  async function downloaded(page: Page, button: Locator): Promise<Buffer> {
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    return readFile(await download.path());
  }

  describe.each(KINDS)("$kind", ({ path, id }) => {
    test.each([390, 1280])(
      "shows values on hover and on focus at %i px, and leads to the datasets that it counts",
      async (width) => {
        await using context = await openContext(browser, { viewport: { width, height: 900 }, bypassCSP: true });
        const page = await context.newPage();
        await page.goto(at(await path()));
        const figure = page.locator(`figure#${id}`);
        const values = figure.locator(".datum");
        const count = await values.count();
        expect(count).toBeGreaterThan(1);
        // The types of browsers are not known here.
        const shown = (value: Locator) => value.locator(".tip").evaluate("(tip) => getComputedStyle(tip).opacity");
        const isInside = (value: Locator) =>
          value
            .locator(".tip")
            .evaluate(
              "(tip) => tip.getBoundingClientRect().left >= 0 && tip.getBoundingClientRect().right <= innerWidth",
            );
        for (const value of [values.first(), values.last()]) {
          expect(await shown(value)).toBe("0");
          await value.locator(".hit").hover();
          expect(await shown(value)).toBe("1");
          expect(await isInside(value)).toBe(true);
        }
        await page.mouse.move(0, 0);
        // One stop of the Tab key for all values; arrow keys move between them.
        expect(await figure.locator("svg [tabindex='0']").count()).toBe(1);
        await figure.locator("svg [tabindex='0']").focus();
        await page.keyboard.press("End");
        expect(await shown(values.last())).toBe("1");
        await page.keyboard.press("ArrowLeft");
        expect([await shown(values.last()), await shown(values.nth(count - 2))]).toEqual(["0", "1"]);
        expect(await measureOverflow(page)).toBe(0);
        expect(await violationsOn(page)).toEqual([]);
        if ((await figure.locator("svg a").count()) === 0) return;
        const [, ...rows] = await cellsOf(figure);
        await values.first().locator(".hit").click();
        await page.waitForURL(/\/datasets\?/);
        expect(await page.locator("[role=status] strong").first().textContent()).toMatch(
          new RegExp(`^${rows[0]?.[1]} dataset`),
        );
      },
    );

    test("has its values in the table without a script, and the same in its files", async () => {
      await using context = await openContext(browser, { viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await page.goto(at(await path()));
      const figure = page.locator(`figure#${id}`);
      const finding = (await figure.locator("h2, h3").textContent()) ?? "";
      const cells = await cellsOf(figure);
      expect(cells.length).toBeGreaterThan(1);
      const csv = (await downloaded(page, figure.getByRole("link", { name: "CSV" }))).toString("utf8");
      const lines = csv
        .trim()
        .split("\r\n")
        .map((line) => line.split(","));
      expect(lines.map(([first, second]) => [first, second])).toEqual(cells.map(([first, second]) => [first, second]));
      const svg = (await downloaded(page, figure.getByRole("button", { name: "SVG" }))).toString("utf8");
      expect(svg).toContain(finding.replace(/^.*?(?:scores|datasets) /, "").slice(0, 20));
      expect(svg).toMatch(/fill="rgb\(11, 90, 110\)"/);
      const png = await downloaded(page, figure.getByRole("button", { name: "PNG" }));
      expect([png.subarray(1, 4).toString("latin1"), png.readUInt32BE(16)]).toEqual(["PNG", 1600]);
    });
  });
});
