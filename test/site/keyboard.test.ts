/**
 * Pages of every kind, used by keyboard alone: all controls can be reached in order, and the focus is visible. Without scripts,
 * pages have the same content.
 */

import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve, UNLIMITED } from "../server/test-store.ts";
import { CHROMIUM, openBrowser, openContext } from "./chromium.ts";
import { linkIn } from "./link-in.ts";

/** Maximum number of times that a test presses Tab on a page. Only the longest pages of the small store have more controls. */
const MAX_PRESSES = 120;

/**
 * Script that defines `usable`, which lists the controls that Tab must reach in the order of the page, and `named`, which names
 * one. Links in a map are left out, because the table below the map has the same links. Of radio buttons, only the selected one
 * counts, because arrow keys reach the others.
 */
const USABLE = `globalThis.usable = () => [...document.querySelectorAll(
  "a[href]:not(.map a), button, input:not([type=hidden]):not([type=radio]:not(:checked)), select, textarea, summary, [tabindex='0']")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.tabIndex >= 0);
globalThis.named = (each) => each.tagName + " " + (each.getAttribute("href") || each.id || each.getAttribute("aria-label") || each.textContent.trim());`;

/** Script that records each control that gets the focus, and whether the control then has a visible outline. */
const WATCH = `globalThis.went = [];
document.addEventListener("focusin", ({ target }) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(target);
  globalThis.went.push({ name: named(target), seen: outlineStyle !== "none" && outlineWidth !== "0px" });
});`;

const steps = z.array(z.object({ name: z.string(), seen: z.boolean() }));
const names = z.array(z.string());

let store: ReleasedStore;
let server: Listening;
let browser: Browser;
let context: BrowserContext;
let places: readonly string[];

describe.skipIf(CHROMIUM === null)("a page that is used by keyboard", () => {
  beforeAll(async () => {
    store = await releasedStore({});
    server = await serve(store.store, { quotas: { ...UNLIMITED, link: { requests: 100, seconds: 60 } } });
    browser = await openBrowser();
    const records = await ask(server.port, "/records?sortBy=score&sortOrder=desc");
    const people = await ask(server.port, "/authors?sortBy=sIndex&sortOrder=desc");
    places = [
      "/",
      "/check",
      "/datasets",
      `/datasets/${recordList.parse(JSON.parse(records.text)).data[0]?.id}`,
      "/researchers",
      `/researchers/${researcherList.parse(JSON.parse(people.text)).data[0]?.slug}`,
      "/repositories",
      "/repositories/Zenodo",
      "/affiliations",
      "/countries",
      "/signals",
      "/signals/R1",
      "/history",
      "/history/latest",
      "/about",
      "/help",
      "/service-status",
      "/terms",
      "/compare",
      "/changelog",
      "/privacy",
      "/me",
      "/me/saved",
      "/me/submissions",
      "/me/keys",
      "/me/data",
      "/me/erase",
      "/nothing/here",
    ];
    context = await signedIn();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  /** Signs in with the keyboard alone, through a link in an email. */
  async function signedIn(): Promise<BrowserContext> {
    const own = await openContext(browser, { viewport: { width: 1000, height: 800 } });
    const page = await own.newPage();
    await page.goto(at("/sign-in"));
    await page.focus("#f-email");
    await page.keyboard.type("ada@example.org");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=We have sent a link");
    await page.goto(await linkIn(join(store.store.root, "mail")));
    // The button on the page that the link opens has the focus.
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/me"));
    await page.close();
    return own;
  }

  async function opened(path: string, own = context): Promise<Page> {
    const page = await own.newPage();
    await page.goto(at(path));
    await page.evaluate(USABLE);
    return page;
  }

  const usable = async (page: Page) => names.parse(await page.evaluate("usable().map(named)"));

  test("the Tab key reaches every control of a page in the order of the document, with a visible focus", async () => {
    for (const path of places) {
      const page = await opened(path);
      await page.evaluate(WATCH);
      const wanted = (await usable(page)).slice(0, MAX_PRESSES);
      expect(wanted.length, path).toBeGreaterThan(10);
      for (let i = 0; i < wanted.length; i += 1) await page.keyboard.press("Tab");
      const went = steps.parse(await page.evaluate("went"));
      expect([path, went.map(({ name }) => name)]).toEqual([path, wanted]);
      expect([path, went.filter(({ seen }) => !seen)]).toEqual([path, []]);
      await page.close();
    }
  });

  test("a page has the same headings, links and fields without a script", async () => {
    const { cookies, origins } = await context.storageState();
    const without = await openContext(browser, { javaScriptEnabled: false, storageState: { cookies, origins } });
    const said = async (own: BrowserContext, path: string) => {
      const page = await opened(path, own);
      const all = async (selector: string, name: string) =>
        page
          .locator(selector)
          .evaluateAll((found, attribute) => found.map((each) => each.getAttribute(attribute)), name);
      const answer = {
        headings: await page.locator("main :is(h1, h2, h3)").allTextContents(),
        links: await all("main a", "href"),
        // The field that filters a long table needs a script, as the live search does.
        fields: await all("main :is(input, select, textarea):not(.filter *)", "name"),
      };
      await page.close();
      return answer;
    };
    for (const path of places) {
      const plain = await said(without, path);
      expect([path, plain]).toEqual([path, await said(context, path)]);
      expect([path, plain.headings.length > 0, plain.links.length + plain.fields.length > 0]).toEqual([
        path,
        true,
        true,
      ]);
    }
    await without.close();
  });
});
