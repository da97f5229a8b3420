/** The check page in a browser, where a script scores a draft while it is typed. The score must be that of the server. */

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../server/ask.ts";
import { type Listening, serve, UNLIMITED } from "../server/test-store.ts";
import { builtScore } from "../support/built-score.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "./chromium.ts";

const DRAFT = JSON.stringify({
  metadata: {
    title: "Meadow counts: 3 < 4 & <more",
    upload_type: "dataset",
    description: "Counts of flowers in a mown meadow, weekly, with the weather of the day.",
    creators: [{ name: "Nemo, Nora", orcid: "0000-0002-1825-0097" }],
    license: "cc-by-4.0",
  },
});

const FIELDS = {
  title: "Heights",
  creators: "Nemo, Nora; 0000-0002-1825-0097",
  keywords: "height, growth",
  licence: "CC-BY-4.0",
};

describe.skipIf(CHROMIUM === null)("the check page with a script", () => {
  let store: TemporaryStore;
  let server: Listening;
  let browser: Browser;

  beforeAll(async () => {
    await using _built = await builtScore();
    store = await temporaryStore();
    server = await serve(store.store, { quotas: { ...UNLIMITED, evaluation: { requests: 1000, seconds: 60 } } });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  async function opened(options: Parameters<typeof openContext>[1] = {}): Promise<Page> {
    const page = await (await openContext(browser, options)).newPage();
    await page.goto(at("/check"));
    return page;
  }

  /**
   * Reads the score, the signals and the first next steps of a result, which must be the same from the script and from the
   * server.
   */
  async function readResult(page: Page, place: string) {
    const texts = (selector: string) => page.locator(`${place} ${selector}`).allInnerTexts();
    return { score: await texts(".score"), cells: await texts(".cells li a"), steps: await texts(".steps.first > li") };
  }

  async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) await page.fill(`#f-${name}`, value);
  }

  test.each([
    { name: "fields", typed: FIELDS as Readonly<Record<string, string>>, button: "Check this draft" },
    { name: "pasted metadata", typed: { pasted: DRAFT }, button: "Check the file" },
  ])("the check page shows the server's score of $name, and sends it nothing", async ({ typed, button }) => {
    const page = await opened();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await fill(page, typed);
    await page.waitForSelector("#live:visible .score");
    await page.locator(".live", { hasText: "possible points" }).waitFor();
    // The script may still show the result of an earlier state of the draft.
    await expect.poll(() => readResult(page, "#live"), { timeout: 60_000 }).toEqual(await fromServer(typed, button));
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((each) => !/^GET \/(?:check-script\/|favicon\.svg$)/.test(each))).toEqual([]);
    // The button moves the focus to the result that is already shown, and sends nothing.
    await page.getByRole("button", { name: button }).click();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("The score of your draft");
    expect(page.url()).toBe(at("/check"));
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  });

  test("the check page lets the user copy a value from the description, and try changes before typing them", async () => {
    const page = await opened({ permissions: ["clipboard-read", "clipboard-write"] });
    const description = "Counts of flowers in a mown meadow, as in our paper 10.1000/meadow of last year.";
    await page.fill("#f-pasted", JSON.stringify({ title: "Meadow", upload_type: "dataset", description }));
    await page.getByRole("button", { name: /^Copy .*10\.1000\/meadow$/ }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("10.1000/meadow");
    await page.locator("#live .cells button.try").first().click();
    await page.locator("#live output", { hasText: "With this change: " }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  });

  test("the check page offers a repaired draft for download, in which misplaced facts are in their fields", async () => {
    const page = await opened({ acceptDownloads: true });
    const description = "Counts of flowers in a mown meadow, as in our paper 10.1000/meadow of last year.";
    await page.fill("#f-pasted", JSON.stringify({ title: "Meadow", upload_type: "dataset", description }));
    const panel = page.locator("#repaired");
    await panel.waitFor();
    expect(await panel.innerText()).toMatch(
      /One fact stands in the wrong place.* the score is (\d+) of 100 instead of \d+\./,
    );
    const waiting = page.waitForEvent("download");
    await panel.getByRole("link", { name: "Download .zenodo.json" }).click();
    const path = await (await waiting).path();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      title: "Meadow",
      upload_type: "dataset",
      description,
      related_identifiers: [{ identifier: "10.1000/meadow", scheme: "doi", relation: "references" }],
    });
    // The repaired file has the score that the page announced, and needs no further repair.
    const [, promised] = /the score is (\d+) of/.exec(await panel.innerText()) ?? [];
    await page.fill("#f-pasted", readFileSync(path, "utf8"));
    await panel.waitFor({ state: "detached" });
    expect(await page.locator(".live").innerText()).toMatch(new RegExp(`^${promised}(?: to \\d+)? of 100 possible`));
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  });

  async function fromServer(typed: Readonly<Record<string, string>>, button: string) {
    const page = await opened({ javaScriptEnabled: false });
    await fill(page, typed);
    await page.getByRole("button", { name: button }).click();
    await page.waitForSelector(".crumbs:has-text('Draft score')");
    const result = await readResult(page, "main");
    await page.context().close();
    return result;
  }

  test("the check page scores a file that the user chooses, shows its texts without interpreting markup, and fits a small screen", async () => {
    const page = await opened({ viewport: { width: 390, height: 800 } });
    await page.setInputFiles("#f-file", {
      name: ".zenodo.json",
      mimeType: "application/json",
      buffer: Buffer.from(DRAFT),
    });
    await page.waitForSelector("#live:visible .score");
    expect(await page.locator("#live").innerText()).toContain("Meadow counts: 3 < 4 & <more");
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
    await page.context().close();
  });

  test("the check page loads its worker at the first input, and says why a text has no score", async () => {
    const page = await opened();
    expect(page.workers()).toEqual([]);
    await page.fill("#f-pasted", "@article{nemo,");
    await page.locator(".live", { hasText: "BibTeX" }).waitFor();
    expect(page.workers()).toHaveLength(1);
    expect(await page.locator("#live").isVisible()).toBe(false);
    await page.fill("#f-pasted", "cff-version: 1.2.0\ntype: dataset\ntitle: Soil\nauthors:\n  - name: Nora");
    await page.waitForSelector("#live:visible .score");
    await page.fill("#f-pasted", "");
    await page.locator("#live").waitFor({ state: "hidden" });
    expect(await page.locator(".live").textContent()).toBe("");
    await page.context().close();
  });

  test("the check page ends a worker that does not respond, stays usable, and starts another", async () => {
    const page = await opened();
    // The worker is replaced by one that never ends, because no draft is slow enough on every machine.
    await page.route("**/check-script/*", (route) =>
      route.fulfill({ contentType: "text/javascript", body: "onmessage = () => { for (;;); }; postMessage(null);" }),
    );
    await page.fill("#f-pasted", DRAFT);
    await page.locator(".live", { hasText: "takes too long" }).waitFor();
    await expect.poll(() => page.workers()).toEqual([]);
    await page.unroute("**/check-script/*");
    await page.fill("#f-title", "Heights");
    await page.waitForSelector("#live:visible .score");
    await page.context().close();
  });

  test("the check page sends the form to the server if the worker cannot be loaded", async () => {
    const page = await opened();
    await page.route("**/check-script/*", (route) => route.abort());
    await page.fill("#f-pasted", DRAFT);
    await page.locator(".live", { hasText: "cannot score" }).waitFor();
    await page.getByRole("button", { name: "Check the file" }).click();
    await page.waitForSelector(".crumbs:has-text('Draft score')");
    await page.context().close();
  });

  test("the security policies allow only workers of this site, and a worker can load only its own modules", async () => {
    const view = await ask(server.port, "/check");
    expect(view.headers["content-security-policy"]).toContain("worker-src 'self'");
    const [, path = ""] = /data-live="([^"]+)"/.exec(view.text) ?? [];
    const script = await ask(server.port, path, { headers: { "accept-encoding": "br" } });
    expect(script.headers).toMatchObject({
      "content-security-policy": "default-src 'none'; script-src 'self'",
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "br",
    });
    expect((await ask(server.port, "/check-script/other.js")).status).toBe(404);
  });
});
