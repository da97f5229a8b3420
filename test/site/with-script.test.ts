/**
 * The site in a browser with scripts: suggestions in the search box, sorting, saved datasets, and the check of a new dataset.
 */

import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { DEPOSITED, startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve, UNLIMITED } from "../server/test-store.ts";
import { approve } from "./approve.ts";
import { CHROMIUM, openBrowser, openContext, violationsOn } from "./chromium.ts";
import { linkIn } from "./link-in.ts";

let store: ReleasedStore;
let upstream: Upstream;
let server: Listening;
let browser: Browser;
let dataset: { readonly id: string; readonly title: string };
let person: { readonly slug: string; readonly name: string };

describe.skipIf(CHROMIUM === null)("the site with scripts", () => {
  beforeAll(async () => {
    upstream = await startUpstream();
    store = await releasedStore({}, { asOf: "2026-11-02" });
    server = await serve(store.store, {
      quotas: { ...UNLIMITED, evaluation: { requests: 1000, seconds: 60 } },
      evaluations: {
        upstreams: upstream.upstreams,
        timeoutMs: 60_000,
        workers: { taskMilliseconds: 120_000 },
      },
    });
    browser = await openBrowser();
    const records = await ask(server.port, "/records?sortBy=score&sortOrder=desc");
    const people = await ask(server.port, "/authors?sortBy=sIndex&sortOrder=desc");
    const [best] = recordList.parse(JSON.parse(records.text)).data;
    dataset = { id: best?.id ?? "", title: best?.title ?? "" };
    const [first] = researcherList.parse(JSON.parse(people.text)).data;
    person = { slug: first?.slug ?? "", name: first?.name ?? "" };
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.[Symbol.asyncDispose]();
    await upstream?.close();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  async function opened(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await openContext(browser, options)).newPage();
    await page.goto(at(path));
    return page;
  }

  test("the grid of signals shows the score that selected changes would give, and offers them as a checklist", async () => {
    const { data } = recordList.parse(JSON.parse((await ask(server.port, "/records?limit=100")).text));
    const found = data.find(({ score, cap }) => score !== null && score.total + 20 <= (cap ?? 0));
    const page = await opened(`/datasets/${found?.id}`, { permissions: ["clipboard-read", "clipboard-write"] });
    const buttons = page.locator(".cells button.try");
    expect(await buttons.count()).toBeGreaterThan(1);
    const row = page.locator(".matrix > li", { has: page.locator("button.try") }).first();
    const before = await row.locator(".num").textContent();
    const width = async () => Number(await row.locator("rect.fill").getAttribute("width"));
    const [narrow] = [await width()];
    for (const i of [0, 1]) await buttons.nth(i).click();
    const [total, cap] = [found?.score?.total ?? 0, found?.cap];
    expect(await page.locator("[data-tried] output").textContent()).toMatch(
      new RegExp(`^With these 2 changes: ${total + 8} of ${cap}, [a-z]+\\. Now it is ${total}\\.$`),
    );
    expect(await width()).toBeGreaterThan(narrow);
    await page.click("[data-tried] button");
    const lines = String(await page.evaluate("navigator.clipboard.readText()")).split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^- \[ \] .+: .{10,}$/);
    expect(decodeURIComponent((await page.getAttribute("[data-tried] a", "href")) ?? "")).toContain(lines[0]);
    expect(await violationsOn(page)).toEqual([]);
    for (const i of [0, 1]) await buttons.nth(i).click();
    expect([await page.locator("[data-tried]").isVisible(), await row.locator(".num").textContent()]).toEqual([
      false,
      before,
    ]);
  });

  test.each([
    { javaScriptEnabled: true, record: DEPOSITED[0] },
    { javaScriptEnabled: false, record: DEPOSITED[1] },
  ])(
    "a DOI that is typed into the search box is checked, and its score is explained (with scripts: $javaScriptEnabled)",
    async ({ javaScriptEnabled, record }) => {
      const page = await opened("/", { javaScriptEnabled });
      upstream.delayMilliseconds = 500;
      await page.fill("#q", `https://doi.org/10.5281/zenodo.${record}`);
      await page.click(".find button");
      // With scripts, the check starts at once. Without, the user presses a button.
      if (!javaScriptEnabled) {
        await page.waitForURL(/\/check\?identifier=/);
        expect(await page.inputValue("#f-identifier")).toContain(`zenodo.${record}`);
        await page.click("main form button >> nth=0");
      }
      await page.waitForURL(/\/check\/j/);
      await page.waitForSelector(".score .big");
      expect(Number(await page.locator(".score .big").textContent())).toBeGreaterThan(0);
      expect(await page.locator(".cells li").count()).toBe(25);
      await page.click(".cells li:first-child a");
      await page.locator("details#S1 > summary").click({ trial: true });
      // With scripts, the signal opens at once. Without, the user opens it.
      if (!javaScriptEnabled) await page.locator("details#S1 > summary").click();
      await page.locator("details#S1 >> text=read from").waitFor();
      upstream.delayMilliseconds = 0;
      await page.context().close();
    },
  );

  test("a user can change a DOI that is not in the release while its check is running", async () => {
    const page = await opened("/");
    upstream.delayMilliseconds = 3000;
    await page.fill("#q", "10.5072/does-not-exist");
    await page.click(".find button");
    await page.waitForURL(/\/check\/j/);
    expect(await page.locator("main .note").textContent()).toBe(
      "10.5072/does-not-exist is not in the current release. Is the DOI right? Change it",
    );
    await page.getByRole("link", { name: "Change it" }).click();
    await page.waitForURL(/\/check\?identifier=/);
    expect(await page.inputValue("#f-identifier")).toBe("10.5072/does-not-exist");
    // Without the fragment, the script would start the check of the same DOI again.
    await page.waitForLoadState("networkidle");
    expect(new URL(page.url()).pathname).toBe("/check");
    upstream.delayMilliseconds = 0;
    await page.context().close();
  });

  test("the search box shows suggestions while the user types, which can be chosen by arrow keys or pointer and closed by Escape", async () => {
    const page = await opened("/", { bypassCSP: true });
    const word = dataset.title.split(" ").toSorted((one, other) => other.length - one.length)[0] ?? "";
    const begun = word.slice(0, -1);
    await page.locator("#q").pressSequentially(begun);
    await page.locator("#suggestions [role=option]").first().waitFor();
    expect(await page.getAttribute("#q", "aria-expanded")).toBe("true");
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.getAttribute("#q", "aria-expanded")).toBe("false");
    await page.keyboard.type(word.slice(-1));
    await page.locator("#suggestions [role=option]").first().waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await page.getAttribute("#q", "aria-activedescendant")).toBe("suggestion-0");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/datasets\/r[0-9a-f]{24}$/);

    await page.goto(at("/"));
    await page.locator("#q").pressSequentially(person.name.split(/[ ,]/)[0] ?? "");
    await page.locator(`#suggestions [data-path="/researchers/${person.slug}"]`).click();
    await page.waitForURL(at(`/researchers/${person.slug}`));

    // Other pages have the box in the header. Suggestions are in groups there too.
    const box = page.getByRole("combobox", { name: "Find a dataset" });
    await box.pressSequentially("zenod");
    await page.getByRole("group", { name: "Repositories" }).getByRole("option").first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press("ArrowUp");
    expect(await box.getAttribute("aria-activedescendant")).toBe(
      await page.locator("#suggestions [role=option]").last().getAttribute("id"),
    );
    await page.context().close();
  });

  test("a click on a column header sorts the table: averages and shares by their value, unknown values last", async () => {
    const page = await opened("/repositories");
    for (const [column, order, turn] of [
      [3, "descending", -1],
      [3, "ascending", 1],
      [4, "descending", -1],
    ] as const) {
      const head = page.locator(`table[data-sort] th:nth-child(${column})`);
      const figures = async () =>
        (await page.locator(`table[data-sort] tbody tr td:nth-child(${column})`).allTextContents()).map(
          Number.parseFloat,
        );
      await head.locator("button").press("Enter");
      expect(await head.getAttribute("aria-sort")).toBe(order);
      const shown = await figures();
      const known = shown.filter((value) => !Number.isNaN(value));
      expect(known.length).toBeGreaterThan(3);
      expect(known).toEqual(known.toSorted((one, other) => turn * (one - other)));
      expect(shown.slice(0, known.length)).toEqual(known);
    }
    const without = await opened("/repositories", { javaScriptEnabled: false });
    expect(await without.locator("th button").count()).toBe(0);
    await page.context().close();
    await without.context().close();
  });

  test("the field above a long table filters its rows by their names, and shows the rows that were closed", async () => {
    const page = await openContext(browser).then((context) => context.newPage());
    await page.route("**/repositories", async (route) => {
      const response = await route.fetch();
      const row = (i: number) => `<tr><th scope="row">Archive ${i}</th></tr>`;
      const rows = Array.from({ length: 24 }, (_, i) => row(i)).join("");
      const body = (await response.text()).replace(
        /<tbody>.*?<\/table><\/div>/s,
        `<tbody>${rows}</tbody></table></div><details class="rest"><summary>All</summary></details>`,
      );
      await route.fulfill({ response, body });
    });
    await page.goto(`http://localhost:${server.port}/repositories`);
    const visible = page.locator("table[data-sort] tbody tr:visible");
    expect(await visible.count()).toBe(20);
    await page.getByLabel("Filter by name").fill("archive 23");
    expect(await visible.allTextContents()).toEqual(["Archive 23"]);
    await page.getByLabel("Filter by name").fill("");
    expect(await visible.count()).toBe(24);
    await page.context().close();
  });

  test("a column of changes is sorted by number, so that negative changes are below zero, and new groups come last", async () => {
    const page = await (await openContext(browser)).newPage();
    // The corpus has one release, so that its pages have no changes: these stand in for other figures.
    const changes = ["+0.50", "\u22122.00", "new", "\u221210.25", "+1,234.00", "0"];
    await page.route("**/repositories", async (route) => {
      const response = await route.fetch();
      let at = 0;
      const [before = "", list = ""] = (await response.text()).split("<table data-sort");
      const changed = list.replace(/(data-name="Datasets">)[^<]*/g, (_, head) => `${head}${changes[at++] ?? "new"}`);
      await route.fulfill({ response, body: `${before}<table data-sort${changed}` });
    });
    await page.goto(at("/repositories"));
    await page.locator("table[data-sort] th:nth-child(2) button").press("Enter");
    const sorted = await page.locator("table[data-sort] tbody tr td:nth-child(2)").allTextContents();
    expect(sorted.slice(0, 6)).toEqual(["+1,234.00", "+0.50", "0", "\u22122.00", "\u221210.25", "new"]);
    await page.context().close();
  });

  test.each([
    { path: "/datasets", kind: "datasets" },
    { path: "/repositories", kind: "repositories" },
  ])("the compare button on $path counts selected rows, and rejects too few and too many", async ({ path, kind }) => {
    const page = await opened(path);
    const button = page.locator("#compare button");
    const status = page.locator("#compare [role=status]");
    await button.click();
    expect(await status.textContent()).toBe(`You selected none. Select two to four ${kind}.`);
    for (const i of [0, 1, 2, 3, 4]) await page.locator(".select input").nth(i).check();
    expect(await button.textContent()).toBe("Compare selected (5)");
    await button.click();
    expect(await status.textContent()).toBe(`You selected 5. Select two to four ${kind}.`);
    expect(page.url()).toBe(at(path));
    const [first, second] = await page.locator("tr:has(.select) th a").allTextContents();
    for (const i of [2, 3, 4]) await page.getByRole("checkbox").nth(i).uncheck();
    expect(await page.getByRole("checkbox", { name: `${first}`, exact: true }).isChecked()).toBe(true);
    await button.press("Enter");
    await page.waitForURL(/\/compare\?/);
    for (const name of [first, second]) await page.locator("main", { hasText: `${name}` }).waitFor();
    await page.goBack();
    expect(await button.textContent()).toBe("Compare selected (2)");
    await page.context().close();
  });

  test("without a script, the server explains that too many rows were selected, and compares the rows that remain", async () => {
    const page = await opened("/repositories", { javaScriptEnabled: false });
    for (const i of [0, 1, 2, 3, 4]) await page.getByRole("checkbox").nth(i).check();
    await page.getByRole("button", { name: "Compare selected" }).click();
    await page.waitForURL(/\/compare\?/);
    await page.getByRole("alert").getByText("You selected 5 repositories.").waitFor();
    for (const i of [2, 3, 4]) await page.getByRole("checkbox").nth(i).uncheck();
    await page.getByRole("button", { name: "Compare selected" }).click();
    await page.getByRole("columnheader", { name: "Difference" }).first().waitFor();
    expect(new URL(page.url()).searchParams.getAll("repository")).toHaveLength(2);
    await page.context().close();
  });

  test("dates and numbers have the format of the browser's locale, and times have their zone", async () => {
    const page = await opened("/repositories/Zenodo", { locale: "de-DE", timezoneId: "Europe/Berlin" });
    expect(await page.locator(".figures li:nth-child(2) b").textContent()).toMatch(/^\d+,\d\d of \d+,\d\d$/);
    const time = page.locator("main time[datetime*=T]").first();
    expect(await time.textContent()).toMatch(/MEZ|GMT\+1/);
    expect(await time.getAttribute("title")).toMatch(/UTC$/);
    const plain = await opened("/repositories/Zenodo", { locale: "de-DE", javaScriptEnabled: false });
    expect(await plain.locator("main time[datetime*=T]").first().textContent()).toMatch(/^\d{4}-\d\d-\d\d .* UTC$/);
    expect(await plain.locator(".figures li:nth-child(2) b").textContent()).toMatch(/^\d+\.\d\d of \d+\.\d\d$/);
    await page.context().close();
    await plain.context().close();
  });

  test("the page of a researcher shows the S-Index that selected next steps would give, and offers them as a checklist", async () => {
    const people = researcherList.parse(JSON.parse((await ask(server.port, "/authors?minDatasets=2&limit=100")).text));
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await opened("/", { permissions });
    let risen = 0;
    for (const { slug, sIndex } of people.data.slice(0, 10)) {
      await page.goto(at(`/researchers/${slug}`));
      const rows = page.locator("details table:has(caption:text('S-Index if a step')) tbody tr");
      const buttons = page.getByRole("button", { name: /^Add to checklist: / });
      if ((await rows.count()) === 0) continue;
      for (const fold of await page.locator("main details:has(.steps) > summary").all()) await fold.click();
      expect([slug, await buttons.count()]).toEqual([slug, await rows.count()]);
      // The table is in the order of the list, so each choice adds the steps above it.
      const after = z.array(z.string()).parse(await rows.locator("td:nth-child(3)").allTextContents());
      const result = page.locator("[data-choose] output");
      for (const [i, next] of after.entries()) {
        await buttons.nth(i).click();
        const words = i === 0 ? "With this step" : `With these ${i + 1} steps`;
        expect(await result.textContent()).toMatch(new RegExp(`^${words} in \\d+ datasets?`));
        const index =
          Number(next) === sIndex ? `, the S-Index stays ${sIndex}.` : `: S-Index ${next}. Now it is ${sIndex}.`;
        expect(await result.textContent()).toContain(index);
      }
      risen += Number(Number(after.at(-1)) > sIndex);
      await page.locator("[data-choose] button").click();
      const copied = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(copied.match(/^- \[ \] [SHARE]\d .+$/gm)).toHaveLength(after.length);
      expect(await violationsOn(page)).toEqual([]);
      for (let i = 0; i < after.length; i += 1) await buttons.nth(i).click();
      expect(await result.isVisible()).toBe(false);
    }
    expect(risen).toBeGreaterThan(0);
    await page.context().close();
  });

  /** Returns the positions of the controls on the page of a dataset, in pixels. */
  const placesOn = async (page: Page) =>
    z.array(z.array(z.number())).parse(
      await page.evaluate(`[...document.querySelectorAll(".actions > :not([popover]):not([hidden])")].map((each) => {
          const { x, y, width, height } = each.getBoundingClientRect();
          return [x, y, width, height];
        })`),
    );

  test("the page of a dataset shows whether the user has saved it, and asks the server only if there is a session", async () => {
    const asked: string[] = [];
    const replies: Promise<unknown>[] = [];
    const forbidden: string[] = [];
    const page = await opened("/");
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) forbidden.push(message.text());
    });
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (!pathname.startsWith("/account/")) return;
      asked.push(pathname + search);
      replies.push(request.response());
    });
    const question = `/account/saved-records?recordId=${dataset.id}`;
    const save = page.getByRole("button", { name: "Save to your account" });
    const saved = page.getByRole("button", { name: "Saved" });
    const visit = async (...questions: readonly string[]) => {
      asked.length = 0;
      await page.goto(at(`/datasets/${dataset.id}`));
      await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
      await expect.poll(() => asked).toEqual(questions);
      await Promise.all(replies.splice(0));
    };
    const sizes = [360, 700, 1280].map((width) => ({ width, height: 800 }));
    const places = new Map<number, number[][]>();
    await visit();
    for (const size of sizes) {
      await page.setViewportSize(size);
      places.set(size.width, await placesOn(page));
    }
    expect(places.get(1280)?.length).toBeGreaterThan(4);

    await page.goto(at("/sign-in"));
    await page.fill("#f-email", "ada@example.org");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=We have sent a link");
    await page.goto(await linkIn(join(store.store.root, "mail")));
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/me"));
    await visit(question);
    await save.click();
    await saved.waitFor();
    expect(page.url()).toBe(at(`/datasets/${dataset.id}`));

    for (const size of sizes) {
      await page.setViewportSize(size);
      await visit(question);
      await saved.waitFor();
      expect(await save.count()).toBe(0);
      expect([size.width, await placesOn(page)]).toEqual([size.width, places.get(size.width)]);
      await saved.press("Enter");
      await page.getByRole("link", { name: "Show what you saved" }).waitFor();
    }
    const { cookies } = await page.context().storageState();
    const checked = await opened("/", { bypassCSP: true, storageState: { cookies, origins: [] } });
    await checked.goto(page.url());
    await checked.getByRole("button", { name: "Saved" }).press("Enter");
    expect(await violationsOn(checked)).toEqual([]);
    await checked.context().close();

    // A request that fails changes nothing.
    await page.route(`**${question}`, (route) => route.abort());
    await visit(question);
    expect(await save.isVisible()).toBe(true);
    // Then the form is sent as without a script.
    await save.click();
    await page.waitForURL(at(`/datasets/${dataset.id}#item-saved`));
    await page.unrouteAll();

    await visit(question);
    await saved.press("Enter");
    await page.getByRole("button", { name: "Remove" }).press("Enter");
    await save.waitFor();
    await page.goto(at("/me/saved"));
    expect(await page.locator("text=Nothing saved yet").count()).toBe(1);

    // Everything else that can be saved does the same, and a claim is shown as well.
    const { data: funded } = recordList.parse(JSON.parse((await ask(server.port, "/records?limit=1")).text));
    const funders = await ask(server.port, "/funders", { headers: { accept: "text/html" } });
    const [, funder = ""] = /href="(\/funders\/[^"]+)"/.exec(funders.text) ?? [];
    const pages = [
      `/researchers/${person.slug}`,
      `/repositories/${funded[0]?.repository}`,
      funder,
      "/datasets?maxScore=80",
    ];
    for (const path of pages) {
      await page.goto(at(path));
      await save.click();
      await saved.waitFor();
      await page.goto(at(path));
      await saved.waitFor();
    }
    await page.goto(at("/me/saved"));
    const headings = await page.locator("main h2").allTextContents();
    expect(headings).toEqual(expect.arrayContaining(["Saved researchers", "Saved repositories", "Saved searches"]));
    expect(await page.locator("#repositories + .table td.num").textContent()).toMatch(/^[\d.]+ of [\d.]+$/);
    expect(await page.locator("#searches + .table tbody tr").count()).toBe(2);
    await page.goto(at(`/researchers/${person.slug}`));
    await page.getByRole("link", { name: "This is me" }).click();
    await page.getByRole("button", { name: "This is me" }).click();
    await page.waitForURL(at("/me?done=claim"));
    const claimWords = page.locator("#claim h2:visible");
    await page.goto(at(`/researchers/${person.slug}`));
    await page.getByRole("link", { name: "Show your claim" }).waitFor();
    expect(await claimWords.allTextContents()).toEqual(["You have claimed this page"]);
    expect(await page.getByRole("link", { name: "This is me" }).isVisible()).toBe(false);
    await page.getByRole("link", { name: "Show your claim" }).click();
    await page.waitForURL(at("/me#claims"));
    await approve("profile_claim", store.store);
    await page.goto(at(`/researchers/${person.slug}`));
    await page.getByRole("link", { name: "Go to your account" }).waitFor();
    expect(await claimWords.allTextContents()).toEqual(["This is your page"]);

    // A sign-out here removes both cookies. If the session was ended elsewhere, the browser asks the server once more.
    const elsewhere = await opened("/me", { storageState: { cookies, origins: [] } });
    await elsewhere.getByRole("button", { name: "Sign out" }).click();
    await elsewhere.waitForURL(at("/"));
    expect(await elsewhere.context().cookies()).toEqual([]);
    await elsewhere.context().close();
    for (const questions of [[question], []]) {
      await visit(...questions);
      expect(await save.isVisible()).toBe(true);
    }
    expect(forbidden).toEqual([]);
    await page.context().close();
  });

  test("the copy button copies a snippet", async () => {
    const page = await opened(`/datasets/${dataset.id}`, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.click('[aria-label="Copy Badge as Markdown"]');
    await page.locator("text=Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^\[!\[SHARE score/);
    await page.context().close();
  });
});
