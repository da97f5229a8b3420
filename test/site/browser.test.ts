/** The site in a browser: every view at several widths in the light and dark theme, and the main tasks of a user. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { comparePath } from "../../web/components/selecting.ts";
import { STYLE } from "../../web/components/style.ts";
import { ask } from "../server/ask.ts";
import {
  type Listening,
  ODD_LABEL,
  type ReleasedStore,
  releasedStore,
  serve,
  UNLIMITED,
} from "../server/test-store.ts";
import { IS_SOAK } from "../tiers.ts";
import { approve } from "./approve.ts";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "./chromium.ts";
import { HOSTILE_NAMES, hostilePages } from "./hostile-pages.ts";
import { linkIn } from "./link-in.ts";

/** The folder for screenshots, from SHARE_PICTURES. If it is undefined, the tests take no screenshots. */
const PICTURES = process.env.SHARE_PICTURES;

let store: ReleasedStore;
let server: Listening;
let browser: Browser;
let dataset: string;
let compared: string;
/** The URL of a comparison with too many datasets. */
let tooMany: string;
let slug: string;
/** A ROR id and the name of a funder (`funder`), both taken from metadata in the release. */
let ror: string;
let funder: string;
/** The digest of the release, as paths contain it: `sha256-` and 64 digits. */
let release: string;
/** A word from the title of the dataset with the highest score, for searches that must find this dataset. */
let word: string;

describe.skipIf(CHROMIUM === null)("the site in a browser", () => {
  beforeAll(async () => {
    store = await releasedStore({});
    server = await serve(store.store, {
      quotas: { ...UNLIMITED, link: { requests: 100, seconds: 60 } },
      // A worker that starts beside a browser may be slow.
      evaluations: { workers: { taskMilliseconds: 120_000 } },
    });
    browser = await openBrowser();
    const records = await ask(server.port, "/records?sortBy=score&sortOrder=desc");
    const people = await ask(server.port, "/authors?sortBy=sIndex&sortOrder=desc&limit=100");
    const rows = recordList.parse(JSON.parse(records.text)).data;
    const [best] = rows;
    const [first, second, third] = rows.flatMap(({ doi }) => doi ?? []);
    compared = comparePath("dataset", [`${first}`, `${second}`, `${third}`, "10.5281/x"], "2.0");
    tooMany = comparePath(
      "dataset",
      rows.slice(0, 6).map(({ id }) => id),
      "1.0",
    );
    dataset = best?.id ?? "";
    word = best?.title?.split(" ").toSorted((one, other) => other.length - one.length)[0] ?? "";
    slug = researcherList.parse(JSON.parse(people.text)).data[0]?.slug ?? "";
    release = records.headers["share-release"]?.toString().replace(":", "-") ?? "";
    const db = await openDuckDB();
    const files = (name: string) => quote(join(store.store.root, "current", "data", name, "*.parquet"));
    const [stated] = await db.rows(`select
      (select min(ror) from read_parquet(${files("affiliations")})) as ror,
      (select min(funder) from read_parquet(${files("funding")})) as funder`);
    db.close();
    [ror, funder] = [String(stated?.ror), String(stated?.funder)];
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  const paths = () => [
    "/",
    "/datasets",
    "/datasets?search=invented&minScore=10",
    "/datasets?repository=Zenodo&signals=S1:absent,A1:passed",
    `/datasets/${dataset}`,
    `/organisations/${ror}`,
    `/funders/${encodeURIComponent(funder)}`,
    "/check-list",
    "/researchers",
    `/researchers/${slug}`,
    "/repositories",
    "/repositories/Zenodo",
    `/repositories/${encodeURIComponent(ODD_LABEL)}`,
    "/signals",
    "/signals/R1",
    "/affiliations",
    "/countries",
    "/funders",
    "/history",
    "/history/latest",
    "/about",
    "/help",
    "/service-status",
    "/terms",
    "/compare",
    compared,
    comparePath("repository", ["Zenodo", ODD_LABEL, "nowhere"], "2.0"),
    "/compare?rubric=1.0&repository=Zenodo&repository=zenodo&dataset=x",
    tooMany,
    "/changelog",
    "/guides/method",
    "/privacy",
    "/check",
    "/sign-in",
    "/nothing/here",
    "/datasets?minScore=many",
    "/docs",
    "/docs/records",
    "/docs/schemas",
    "/problems/not-found",
    `/releases/${release}/report.html`,
    `/releases/${release}/validation.html`,
  ];

  // Axe, the accessibility checker, takes over a second for each page, so only `make soak` runs it with every combination.
  test.each(
    (
      [
        { width: 360, colorScheme: "dark", hasAxe: true },
        { width: 1280, colorScheme: "light", hasAxe: true },
        { width: 360, colorScheme: "light", hasAxe: IS_SOAK },
        // A window of 1,280 px at 200 % zoom.
        { width: 640, colorScheme: "light", hasAxe: IS_SOAK },
        { width: 1280, colorScheme: "dark", hasAxe: IS_SOAK },
      ] as const
    ).map((each) => ({ ...each, axe: each.hasAxe ? ", and the accessibility checker finds nothing" : "" })),
  )("every page fits into $width px ($colorScheme), without overflow$axe", async ({ width, colorScheme, hasAxe }) => {
    const context = await openContext(browser, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    const page = await context.newPage();
    for (const path of paths()) {
      await page.goto(at(path));
      if (PICTURES !== undefined)
        await page.screenshot({
          path: join(PICTURES, `${makeFileName(path)}-${width}-${colorScheme}.png`),
          fullPage: true,
        });
      expect([path, await measureOverflow(page)]).toEqual([path, 0]);
      if (hasAxe) expect([path, await violationsOn(page)]).toEqual([path, []]);
    }
    await context.close();
  });

  test.each([360, 1280])("the result of a checked list fits into %d px and is accessible", async (width) => {
    const context = await openContext(browser, { viewport: { width, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(at("/check-list"));
    await page.fill("#f-identifiers", `${dataset}\n10.5072/nothing\njunk`);
    await page.click("main form button");
    await page.waitForSelector("#fix");
    expect(await measureOverflow(page)).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await context.close();
  });

  test("tables fit on a phone, and the points of each signal stay inside the heading of the signal", async () => {
    const page = await (await openContext(browser, { viewport: { width: 360, height: 800 } })).newPage();
    for (const path of paths()) {
      await page.goto(at(path));
      const wide = await page.evaluate(
        "[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)",
      );
      expect([path, wide]).toEqual([path, []]);
    }
    await page.goto(at(`/datasets/${dataset}`));
    const outside = await page.evaluate(`[...document.querySelectorAll("summary .pts")].filter((points) =>
      points.getBoundingClientRect().bottom > points.parentElement.getBoundingClientRect().bottom + 0.5).length`);
    expect([await page.locator("summary .pts").count(), outside]).toEqual([25, 0]);
    await page.context().close();
  });

  test("the score of a dataset stays inside its column in the list of datasets of a repository", async () => {
    await using context = await openContext(browser, { viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(at("/repositories/Zenodo"));
    const outside = await page.evaluate(`[...document.querySelectorAll(".rows .figure")].filter((figure) =>
      [...figure.children].some((part) => part.getBoundingClientRect().right > figure.getBoundingClientRect().right + 4)).length`);
    expect([await page.locator(".rows .figure").count(), outside]).toEqual([expect.any(Number), 0]);
    expect(await page.locator(".rows .figure .band").count()).toBeGreaterThan(0);
  });

  test("printed pages show the names of score bands in black, and have no buttons, forms or list controls", async () => {
    await using context = await openContext(browser);
    const page = await context.newPage();
    await page.emulateMedia({ media: "print" });
    for (const path of [`/datasets/${dataset}`, "/datasets?repository=Zenodo"]) {
      await page.goto(at(path));
      const shown = await page.evaluate(
        "[...document.querySelectorAll('button, .button, form, .chips a')].filter((each) => each.checkVisibility()).map((each) => each.outerHTML)",
      );
      expect([path, shown]).toEqual([path, []]);
      const bands = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.band')].map((each) => getComputedStyle(each).color + ' on ' + getComputedStyle(each).backgroundColor)",
      );
      expect([path, new Set(bands)]).toEqual([path, new Set(["rgb(0, 0, 0) on rgba(0, 0, 0, 0)"])]);
    }
  });

  test("a dataset is printed on at most three sheets of paper", async () => {
    await using context = await openContext(browser);
    const page = await context.newPage();
    await page.goto(at(`/datasets/${dataset}`));
    const sheets = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b(?!s)/g) ?? [];
    expect(sheets.length).toBeGreaterThan(0);
    expect(sheets.length).toBeLessThanOrEqual(3);
  });

  test("the header takes one line at every width, and its menu opens and closes by keyboard without a script", async () => {
    const page = await (await openContext(browser, { javaScriptEnabled: false })).newPage();
    await page.goto(at("/datasets"));
    const measureBox = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? { x: 0, width: 0, height: 0 };
    const menu = page.getByRole("navigation", { name: "Main" });
    for (const width of [320, 390, 768, 1000, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const { height } = await measureBox(".bar-top");
      const parts = await Promise.all([".bar-top .mark", ".bar-top form"].map(measureBox));
      expect([width, height > 40 && height <= 64]).toEqual([width, true]);
      expect(parts.every((part) => part.width > 20 && part.x + part.width <= width)).toBe(true);
      expect([width, await measureOverflow(page)]).toEqual([width, 0]);
      const isWide = width === 1280;
      expect([width, await menu.isVisible()]).toEqual([width, isWide]);
      if (isWide) continue;
      await page.getByRole("button", { name: "Menu" }).press("Enter");
      for (const link of await menu.getByRole("link").all()) {
        const { x, width: size } = (await link.boundingBox()) ?? { x: -1, width: 0 };
        expect(x >= 0 && x + size <= width).toBe(true);
      }
      expect(await menu.getByRole("link").count()).toBe(6);
      await page.keyboard.press("Tab");
      expect(await page.locator("a:focus").textContent()).toBe("Datasets");
      await page.keyboard.press("Escape");
      expect(await menu.isVisible()).toBe(false);
    }
    await page.context().close();
  });

  test.each(HOSTILE_NAMES)("pages with a hostile name fit on a phone and run no script: $name", async ({ text }) => {
    const page = await (
      await openContext(browser, { viewport: { width: 360, height: 800 }, bypassCSP: true })
    ).newPage();
    const ran: string[] = [];
    page.on("dialog", (dialog) => {
      ran.push(dialog.message());
      void dialog.dismiss();
    });
    for (const document of hostilePages(text)) {
      await page.setContent(document.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${STYLE}</style>`));
      expect(await page.evaluate("getComputedStyle(document.body).display")).toBe("flex");
      expect(await measureOverflow(page)).toBe(0);
      expect(await violationsOn(page)).toEqual([]);
    }
    expect(ran).toEqual([]);
    await page.context().close();
  });

  test("no page violates its Content-Security-Policy or loads anything from another origin", async () => {
    const context = await openContext(browser);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" && !/404|400/.test(message.text())) complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== at("")) complaints.push(request.url());
    });
    for (const path of paths()) await page.goto(at(path));
    expect(complaints).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  test("with the keyboard alone, a user can skip to the search box, open a dataset, and open a signal", async () => {
    const page = await (await openContext(browser, { javaScriptEnabled: false })).newPage();
    await page.goto(at("/"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/#content"));
    await page.keyboard.press("Tab");
    await page.keyboard.type("invented");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/datasets\?search=invented/);
    await page.goto(at(`/datasets/${dataset}`));
    // Signals that are not missing are folded by bucket, and the keyboard opens first the bucket and then the signal.
    const fold = page.locator("details.fold").first();
    const cell = fold.locator("details").first();
    for (const each of [fold, cell]) {
      await each.locator("> summary").focus();
      await page.keyboard.press("Enter");
      expect(await each.evaluate((element) => "open" in element && element.open)).toBe(true);
    }
    await page.locator("#snippet-0").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator('pre[aria-label="Badge as HTML"]').isVisible()).toBe(true);
    expect(await page.locator('pre[aria-label="Badge as Markdown"]').isVisible()).toBe(false);
    await page.context().close();
  });

  test.each([true, false])(
    "a user finds a dataset and its badge, and raises the score of a draft by following its advice (with scripts: %s)",
    async (javaScriptEnabled) => {
      const page = await (await openContext(browser, { javaScriptEnabled })).newPage();
      await page.goto(at("/"));
      await page.fill("#q", word);
      await page.click("main form button");
      await page.locator("tbody a").first().click();
      await page.waitForURL(/\/datasets\/r[0-9a-f]{24}$/);
      const badge = await page.locator('pre[aria-label="Badge as HTML"]').textContent();
      const picture = /src="([^"]+)"/.exec(badge ?? "")?.[1] ?? "";
      expect((await page.request.get(picture)).headers()["content-type"]).toContain("image/svg+xml");

      await page.goto(at("/check"));
      await page.fill("#f-title", "Invented tides");
      await page.fill("#f-description", "Heights of an invented tide.");
      await page.click("text=Check this draft");
      const range = async () => {
        const numbers = (await page.locator(".big").textContent())?.match(/\d+/g)?.map(Number) ?? [];
        return [numbers[0] ?? Number.NaN, numbers.at(-1) ?? Number.NaN] as const;
      };
      const [least, most] = await range();
      expect(most).toBeGreaterThan(least);
      expect(await page.locator(".steps li").count()).toBeGreaterThan(3);
      expect(await page.inputValue("#f-title")).toBe("Invented tides");
      await page.fill("#f-licence", "cc-by-4.0");
      await page.click("text=Check this draft");
      await page.waitForSelector(".big");
      const [leastWithLicence, mostWithLicence] = await range();
      expect(leastWithLicence).toBeGreaterThan(least);
      expect(mostWithLicence).toBeGreaterThan(most);
      await page.context().close();
    },
  );

  test("without a script, a user signs in by email, saves, claims, asks to be hidden, and erases the account", async () => {
    const context = await openContext(browser, { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(at(`/datasets/${dataset}`));
    await page.click("text=Save to your account");
    await page.waitForURL(/\/sign-in\?/);
    expect(await page.locator("text=one button continues what you began").count()).toBe(1);
    await page.fill("#f-email", "ada@example.org");
    await page.click("text=Send me a link");
    await page.fill("#f-link", await linkIn(join(store.store.root, "mail")));
    await page.click("main button");
    await page.waitForURL(at(`/me/continue?do=save-record&recordId=${dataset}&from=%2Fdatasets%2F${dataset}`));
    await page.click("text=Save to your account");
    // Without a script too, saving returns to the page, and the note leads to the account.
    await page.waitForURL(at(`/datasets/${dataset}#item-saved`));
    await page.getByText("Saved to your account. Show what you saved").waitFor();
    await page.getByRole("link", { name: "Show what you saved" }).click();
    expect(await page.locator("text=Saved datasets, newest first: 1 dataset").count()).toBe(1);
    for (const note of ["for the talk", ""]) {
      await page.fill(`#note-note-record-${dataset}`, note);
      await page.click("text=Save note");
      await page.waitForURL(/\/me\/saved\?done=note-record/);
      expect(await page.inputValue(`#note-note-record-${dataset}`)).toBe(note);
    }
    // A page shows ten items; the others are on the next pages.
    const others = recordList.parse(JSON.parse((await ask(server.port, "/records?limit=12")).text)).data;
    for (const { id } of others) {
      await page.goto(at(`/datasets/${id}`));
      await page.click("text=Save to your account");
      await page.waitForURL(at(`/datasets/${id}#item-saved`));
    }
    await page.goto(at("/me/saved"));
    await page.click('nav[aria-label="Pages of saved"] >> text=Next');
    await page.waitForURL(/\/me\/saved\?saved=2#saved$/);
    expect(await page.locator("input[name=note]").count()).toBeGreaterThan(1);
    await page.goto(at("/me/keys"));
    await page.fill("#f-name", "Lab");
    await page.click("text=Get a key");
    await page.waitForSelector("text=Copy the key now");
    await partsFit(await context.storageState());

    await page.goto(at("/me/keys"));
    const revoke = page.getByRole("button", { name: "Revoke this key" });
    expect(await revoke.isVisible()).toBe(false);
    await page.locator("summary", { hasText: "Revoke…" }).press("Enter");
    expect(await page.locator("details p").textContent()).toContain("Programs that use this key will stop working");
    await revoke.press("Enter");
    await page.waitForURL(at("/me/keys?done=revoke-key"));
    expect(await page.locator("main details").count()).toBe(0);
    expect(await page.locator("td:has-text('revoked')").count()).toBe(1);

    await page.goto(at(`/researchers/${slug}`));
    await page.click("text=This is me");
    await page.waitForURL(/\/me\/continue\?do=claim/);
    await page.getByLabel("How can we see that this is you?").fill("https://example.org/staff/me");
    await page.getByRole("button", { name: "This is me" }).click();
    await page.waitForURL(/\/me\?done=claim/);
    // The profile shows that a moderator must decide, how long the claim has waited, and how an iD would approve it at once.
    expect(await page.locator("#claims ~ .table td:has(time)").first().textContent()).toContain(
      "waiting for a moderator, since",
    );
    expect(await page.locator(".note").textContent()).toMatch(/A moderator of this service.*no fixed time/s);
    await approve("profile_claim", store.store);
    await page.goto(at("/me"));
    await page.click("text=Ask to be hidden");
    await page.waitForURL(/\/me\?done=visibility/);
    await approve("visibility_request", store.store);
    // This browser may cache the researcher's page for a minute, but every other client sees at once that it is gone.
    const status = async () =>
      (await ask(server.port, `/researchers/${slug}`, { headers: { accept: "text/html" } })).status;
    await expect.poll(status, { timeout: 60_000 }).toBe(404);
    await page.goto(at("/researchers"));
    expect(await page.content()).not.toContain(slug);

    await page.goto(at("/me/erase"));
    await page.check("input[name=sure]");
    await page.click("text=Erase my account >> nth=-1");
    expect(await page.locator("h1").textContent()).toBe("Your account is erased");
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  /**
   * Expects that each part of an account with saved items fits on a phone in dark mode and on a desktop in light mode, without
   * accessibility violations.
   */
  async function partsFit({ cookies, origins }: Awaited<ReturnType<BrowserContext["storageState"]>>): Promise<void> {
    for (const [width, colorScheme] of [
      [360, "dark"],
      [1280, "light"],
    ] as const) {
      const viewport = { width, height: 900 };
      const storageState = { cookies, origins };
      const context = await openContext(browser, { viewport, colorScheme, bypassCSP: true, storageState });
      const page = await context.newPage();
      await page.goto(at("/me"));
      for (const name of ["Profile", "Saved", "Submissions", "API keys", "Data"]) {
        const tab = page.getByRole("navigation", { name: "Parts of your account" }).getByRole("link", { name });
        await tab.click();
        await page.waitForLoadState();
        expect([name, await tab.getAttribute("aria-current")]).toEqual([name, "page"]);
        expect([name, await page.locator(".parts [aria-current]").count()]).toEqual([name, 1]);
        for (const fold of await page.locator("main summary").all()) await fold.click();
        if (PICTURES !== undefined)
          await page.screenshot({ path: join(PICTURES, `me-${name}-${width}-${colorScheme}.png`), fullPage: true });
        expect([name, width, await measureOverflow(page)]).toEqual([name, width, 0]);
        expect([name, width, await violationsOn(page)]).toEqual([name, width, []]);
      }
      await context.close();
    }
  }
});

function makeFileName(path: string): string {
  return path.replace(/[^a-z0-9]+/gi, "-").slice(0, 40);
}
