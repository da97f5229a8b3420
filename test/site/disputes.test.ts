/** Disputing a signal on the pages: from the signal to the form, to one's account, to the answer beside the dataset. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { disputeList } from "../../schemas/public/account/dispute.ts";
import type { Accounts } from "../../server/people/accounts/index.ts";
import { openAccounts } from "../../server/people/accounts/index.ts";
import { accountTarget } from "../../server/people/accounts/target.ts";
import { answerDispute } from "../../server/people/disputes/answer.ts";
import { correctAnswer } from "../../server/people/disputes/correct.ts";
import { Sessions } from "../../server/people/sign-in/sessions.ts";
import { accountOfEmail } from "../../server/people/sign-in/users.ts";
import { ask } from "../server/ask.ts";
import { idOf, type Listening, NOW, type ReleasedStore, releasedStore, SPECIAL, serve } from "../server/test-store.ts";
import { CHROMIUM, openBrowser, openContext, overflowOf, violationsOn } from "./chromium.ts";

/** The folder for pictures to be looked at; none are taken without. */
const PICTURES = process.env.SHARE_PICTURES;

const RECORD = idOf(SPECIAL.winner);
const NASTY = `<img src=x onerror="document.title='owned'"> “quoted”\nand a second line`;
const ADDRESS = "https://example.org/evidence?a=1&b=<2>";

let store: ReleasedStore;
let server: Listening;
let browser: Browser;
let accounts: Accounts;

describe.skipIf(CHROMIUM === null)("a dispute on the pages", () => {
  beforeAll(async () => {
    store = await releasedStore({});
    server = await serve(store.store);
    accounts = await openAccounts(accountTarget(undefined, store.store));
    browser = await openBrowser();
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await accounts?.close();
    await server?.close();
    await store?.remove();
  });

  const at = (path: string) => `http://localhost:${server.port}${path}`;

  async function tokenFor(email: string): Promise<string> {
    const { id } = await accountOfEmail(accounts.db, email, NOW);
    return (await new Sessions(accounts, () => NOW).open(id, { method: "mail", agent: null })).token;
  }

  /** Nothing that axe finds, which needs a script, and no wider than its window. */
  async function holds(page: Page, name: string, hasScript: boolean): Promise<void> {
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
    expect([name, await overflowOf(page)]).toEqual([name, 0]);
    if (hasScript) expect([name, await violationsOn(page)]).toEqual([name, []]);
  }

  test.each([
    { width: 360, javaScriptEnabled: true },
    { width: 1280, javaScriptEnabled: true },
    { width: 1280, javaScriptEnabled: false },
  ])(
    "at $width px, with a script: $javaScriptEnabled",
    async ({ width, javaScriptEnabled }) => {
      const context = await openContext(browser, {
        viewport: { width, height: 900 },
        javaScriptEnabled,
        bypassCSP: true,
      });
      const token = await tokenFor(`site-${width}-${javaScriptEnabled}@example.org`);
      const page = await context.newPage();
      await page.goto(at(`/datasets/${RECORD}`));
      await page.click("#S1 summary");
      await page.click("#S1 >> text=Is this wrong?");
      // Who is not signed in is led to where they can be, and from there back.
      await page.waitForURL(/\/sign-in\?returnTo=%2Fme%2Fdisputes/);
      await context.addCookies([{ name: "share_session", value: token, url: at("/") }]);
      await page.goto(at(`/datasets/${RECORD}`));
      await page.click("#S1 summary");
      await page.click("#S1 >> text=Is this wrong?");
      await page.waitForURL(at(`/me/disputes?record=${RECORD}&signal=S1`));
      expect(await page.inputValue("#f-signal")).toBe("S1");
      await holds(page, `dispute-form-${width}`, javaScriptEnabled);

      // Nothing is chosen for whoever says it.
      expect([await page.inputValue("#f-says"), await page.inputValue("#f-role")]).toEqual(["", ""]);
      await page.click("text=Say that it is wrong");
      await page.waitForSelector("[role=alert]");
      for (const words of ["What you say is true must be chosen", "As whom you speak must be chosen"])
        expect(await page.textContent("[role=alert]")).toContain(words);
      expect(await page.inputValue("#f-signal")).toBe("S1");

      await page.selectOption("#f-says", "unknown");
      await page.selectOption("#f-role", "repository");
      await page.fill("#f-evidenceUrl", "javascript:alert(1)");
      await page.fill("#f-evidence", NASTY);
      await page.click("text=Say that it is wrong");
      await page.waitForSelector("[role=alert]");
      expect(await page.title()).toMatch(/^Error: Is a signal wrong\?/);
      expect(await page.textContent("[role=alert]")).toContain("The address of the page must be an address such as");
      expect(await page.inputValue("#f-evidence")).toBe(NASTY);
      expect(await page.inputValue("#f-says")).toBe("unknown");
      await holds(page, `dispute-refused-${width}`, javaScriptEnabled);

      await page.fill("#f-evidenceUrl", ADDRESS);
      await page.fill("#f-statement", "Write to the desk.");
      await page.click("text=Say that it is wrong");
      await page.waitForURL(/\/me\?done=dispute#disputes$/);
      expect(await page.textContent("[role=status]")).toContain("Somebody looks at it and answers");
      const link = page.locator(".dispute a[rel~=ugc]");
      expect(await link.getAttribute("href")).toBe(ADDRESS);
      expect((await link.getAttribute("rel"))?.split(" ")).toEqual(
        expect.arrayContaining(["nofollow", "ugc", "noopener"]),
      );
      expect(await page.locator(".dispute").textContent()).toContain(NASTY);
      expect([await page.locator("img[src=x]").count(), await page.title()]).toEqual([
        0,
        expect.not.stringMatching("owned"),
      ]);
      await holds(page, `dispute-account-${width}`, javaScriptEnabled);

      const headers = { cookie: `share_session=${token}`, origin: at("").replace(/\/$/, "") };
      const { text } = await ask(server.port, "/account/disputes", { headers });
      const [{ id } = { id: "" }] = z.object({ data: disputeList.shape.data }).parse(JSON.parse(text)).data;
      const answer = `Looked at, <b>${width}</b>: the keywords are there.`;
      await answerDispute(accounts, { id, state: "rejected", answer, by: "moderator", now: NOW });
      await page.goto(at("/me"));
      expect(await page.locator(".dispute").textContent()).toContain(answer);
      expect(await page.locator(".dispute").textContent()).not.toContain("Corrected");
      const anew = { state: "source_must_mend", answer: `The repository has <i>${width}</i>.` } as const;
      await correctAnswer(accounts, { id, ...anew, reason: "Read too quickly.", by: "moderator", now: NOW });
      await page.goto(at("/me"));
      const own = await page.locator(".dispute").textContent();
      for (const words of [
        "The repository has to mend it",
        anew.answer,
        "Corrected",
        "took the place of an earlier one",
      ])
        expect(own).toContain(words);
      await holds(page, `dispute-corrected-${width}`, javaScriptEnabled);

      // In the eyes of everybody: the answer, and nothing of who said it.
      const anybody = await openContext(browser, {
        viewport: { width, height: 900 },
        javaScriptEnabled,
        bypassCSP: true,
      });
      const seen = await anybody.newPage();
      await seen.goto(at(`/datasets/${RECORD}`));
      await seen.click("text=Signals of it that were said to be wrong");
      await seen.waitForURL(at(`/datasets/${RECORD}/disputes`));
      const main = await seen.textContent("main");
      for (const words of [anew.answer, "Corrected", "took the place of an earlier one"]) expect(main).toContain(words);
      for (const earlier of [answer, "Read too quickly."]) expect(main).not.toContain(earlier);
      expect(await seen.content()).not.toMatch(/example\.org|quoted|desk|onerror/);
      await holds(seen, `dataset-disputes-${width}`, javaScriptEnabled);
      await anybody.close();

      await page.click(".dispute >> text=Take back");
      await page.waitForURL(/\/me\?done=withdraw-dispute/);
      expect(await page.locator("#disputes").count()).toBe(0);
      await context.close();
    },
    240_000,
  );

  test("the pages of a dataset that gave way lead to the one that is kept", async () => {
    const token = await tokenFor("alias@example.org");
    const loser = idOf(SPECIAL.loser);
    const headers = { accept: "text/html", cookie: `share_session=${token}` };
    const form = await ask(server.port, `/me/disputes?record=${loser}&signal=S1`, { headers });
    expect([form.status, form.headers.location]).toEqual([303, `/me/disputes?record=${RECORD}&signal=S1`]);
    expect((await ask(server.port, `/datasets/${loser}/disputes`, { headers })).text).toContain(`/datasets/${RECORD}`);
    // A form that was open while its record gave way, and is refused: shown again of the one that is kept, with what was typed.
    const typed = new URLSearchParams({ recordId: loser, signal: "S1", says: "", evidence: "typed by hand" });
    const origin = at("").replace(/\/$/, "");
    const sent = { ...headers, origin, "content-type": "application/x-www-form-urlencoded" };
    const refused = await ask(server.port, "/me/disputes", { method: "POST", headers: sent, body: String(typed) });
    expect([refused.status, refused.headers.location]).toEqual([400, undefined]);
    for (const part of ["Please look at this again", "typed by hand", `name="recordId" value="${RECORD}"`]) {
      expect(refused.text).toContain(part);
    }
    for (const path of ["/me/disputes", "/me/disputes?record=x", `/datasets/r${"0".repeat(24)}/disputes`]) {
      expect([path, (await ask(server.port, path, { headers })).status]).toEqual([path, 404]);
    }
  });
});
