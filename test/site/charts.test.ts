/**
 * Each kind of chart in a browser, at the width of a phone and of a desktop: values on hover and focus, links to datasets, and
 * downloads.
 */

import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve, UNLIMITED } from "../server/test-store.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "./chromium.ts";

let store: FilledStore;
let server: Listening;
let browser: Browser;

const KINDS = [
  { kind: "the distribution of a repository", path: async () => "/repositories/Zenodo", id: "distribution" },
  { kind: "averages by year", path: async () => "/repositories", id: "years" },
  { kind: "the buckets of a repository", path: async () => "/repositories/Zenodo", id: "profile" },
  { kind: "the S-Index", path: researcherPath, id: "curve" },
  { kind: "a dataset among comparable ones", path: datasetPath, id: "standing" },
] as const;

async function datasetPath(): Promise<string> {
  const { text } = await ask(server.port, "/records?repository=Zenodo&sortBy=score&sortOrder=desc");
  return `/datasets/${recordList.parse(JSON.parse(text)).data[0]?.id}`;
}

async function researcherPath(): Promise<string> {
  const { text } = await ask(server.port, "/authors?sortBy=sIndex&sortOrder=desc&limit=50");
  const { data } = researcherList.parse(JSON.parse(text));
  return `/researchers/${data.find(({ orcid, datasetCount }) => orcid !== null && datasetCount > 1)?.slug}`;
}

describe.skipIf(CHROMIUM === null)("charts in a browser", () => {
  beforeAll(async () => {
    // A chart of years needs several years with ten datasets, and a map of changes two releases.
    store = await filledStore({
      generated: { zenodo: 250, datacite: 150, seed: 5 },
      builds: [{}, { asOf: "2026-11-02" }],
    });
    server = await serve(store.store, { quotas: UNLIMITED });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  /** Opens the table below a chart, and returns the cells of its rows without thousands separators. */
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

  describe.each(KINDS)("the chart $kind", ({ path, id }) => {
    test.each([390, 1280])(
      "a chart in a window of %i px shows its values on hover and focus, and links to the datasets that it counts",
      async (width) => {
        await using context = await openContext(browser, { viewport: { width, height: 900 }, bypassCSP: true });
        const page = await context.newPage();
        // On phones, some charts are in a fold, which a link to the chart opens.
        await page.goto(at(`${await path()}#${id}`));
        const figure = page.locator(`figure#${id}`);
        const values = figure.locator(".datum");
        const count = await values.count();
        expect(count).toBeGreaterThan(1);
        // This file is compiled without the types of browsers, so Reflect reads the global functions.
        const shown = (value: Locator) =>
          value
            .locator(".tip")
            .evaluate((tip) => String(Reflect.get(globalThis, "getComputedStyle").call(null, tip).opacity));
        const isInside = (value: Locator) =>
          value.locator(".tip").evaluate((tip) => {
            const { left, right } = tip.getBoundingClientRect();
            return left >= 0 && right <= Reflect.get(globalThis, "innerWidth");
          });
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
        // The table of years also has those that are not drawn.
        const tip = (await values.first().textContent()) ?? "";
        const row = rows.find(([label = ""]) => id !== "years" || tip.includes(`${label}:`));
        await values.first().locator(".hit").click();
        await page.waitForURL(/\/datasets\?/);
        expect(await page.locator("[role=status] strong").first().textContent()).toMatch(
          new RegExp(`^${row?.[1]} dataset`),
        );
      },
    );

    test("the table and the CSV file of a chart have the same values, and its SVG and PNG files can be downloaded", async () => {
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
      // The file has figures as they are, and the table has them rounded.
      const plain = (text = "") => (/^\d+\.\d+$/.test(text) ? String(Number(Number(text).toFixed(2))) : text);
      const firstTwo = (row: readonly string[]) => [plain(row[0]), plain(row[1])];
      expect(lines.map(firstTwo)).toEqual(cells.map(firstTwo));
      const svg = (await downloaded(page, figure.getByRole("button", { name: "SVG" }))).toString("utf8");
      const drawn = [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, words]) => words).join(" ");
      expect(drawn).toContain(finding.replace(/^ *\S.*? (?=[A-Z0-9][^A-Z]*$)/, "").slice(-30));
      expect(svg).toMatch(/(?:fill|stroke)="rgb\(11, 90, 110\)"/);
      const png = await downloaded(page, figure.getByRole("button", { name: "PNG" }));
      expect([png.subarray(1, 4).toString("latin1"), png.readUInt32BE(16)]).toEqual(["PNG", 1600]);
    });
  });

  test.each([390, 1280])(
    "the map of countries can show other figures without a script in a window of %i px, and links to the datasets of a country",
    async (width) => {
      await using context = await openContext(browser, { viewport: { width, height: 900 }, javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(at("/countries"));
      const finding = page.locator("#map h2");
      const colours = new Set<string>();
      for (const [name, words] of [
        ["Datasets", /datasets with a country/],
        ["Average", /average|Averages/],
        ["Change", /last release/],
      ] as const) {
        await page.locator("#map label", { hasText: name }).click();
        expect(await finding.locator("span:visible").last().textContent()).toMatch(words);
        colours.add(
          await page
            .locator("#map .drawing a path")
            .evaluateAll((paths) =>
              paths.map((path) => Reflect.get(globalThis, "getComputedStyle").call(null, path).fill).join(" "),
            ),
        );
      }
      expect(colours.size).toBe(3);
      expect(await measureOverflow(page)).toBe(0);
      const link = page.locator("#map .drawing a").first();
      const [, datasets] = /: ([\d,]+) dataset/.exec((await link.locator("title").textContent()) ?? "") ?? [];
      await page.goto(at((await link.getAttribute("href")) ?? ""));
      expect(await page.locator("[role=status] strong").first().textContent()).toMatch(
        new RegExp(`^${datasets} dataset`),
      );
    },
  );
});
