/** Attacks on signing in. Each attack is rejected, while an honest sign-in beside it still works. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccounts } from "../../server/accounts/database.ts";
import { MagicLinks } from "../../server/accounts/magic-links.ts";
import { accountOfEmail, Sessions } from "../../server/accounts/sessions.ts";
import { Site } from "../../server/http/own-site.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import type { Reply } from "../server/ask.ts";
import { NOW, UNLIMITED } from "../server/test-store.ts";
import type { Browser } from "../sign-in/browser.ts";
import { type Forgery, openForgingProvider } from "../sign-in/forging-provider.ts";
import { REJECTED_PATHS, TAKEN_PATHS } from "../sign-in/return-paths.ts";
import { AttackedSite, describeVerdict } from "./site.ts";

const MINUTE = 60_000;
const SECURE_SITE = new URL("https://share.example");
const EVIL = "https://evil.example";

/** ORCID iDs with valid check digits. */
const ADA = { orcid: "0000-0002-1825-0097", name: "Ada Lovelace" };
const EVE = { orcid: "0000-0002-1694-233X", name: "Eve" };

const FAILED = "400 sign-in-failed";
const USED = "410 link-used";
const isSignedIn = async (browser: Browser) => (await browser.get("/account/sessions")).status === 200;
const anyToken = () => randomBytes(32).toString("base64url");

describeEachDatabase("an attack on signing in", (newTarget) => {
  let site: AttackedSite;
  beforeAll(async () => {
    site = await AttackedSite.open(await newTarget());
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  const consume = (token: unknown, browser: Browser = site.browser()) => browser.post("/auth/magic/consume", { token });

  test("session fixation: a planted cookie never opens the account of the user who signs in", async () => {
    const attacker = await site.byMail("fixating@example.org");
    const ways = [
      { planted: attacker.token, signIn: (victim: Browser) => site.byMail("fixed@example.org", victim) },
      { planted: anyToken(), signIn: (victim: Browser) => site.byMail("fixed@example.org", victim) },
      { planted: anyToken(), signIn: (victim: Browser) => site.byOrcid(ADA, victim) },
    ];
    for (const { planted, signIn } of ways) {
      const victim = site.browser();
      victim.cookies.set("share_session", planted);
      const { user, token } = await signIn(victim);
      expect(user.id).not.toBe(attacker.user.id);
      expect(token).not.toBe(planted);
      expect(await site.opens(planted)).toBe(false);
      expect(await isSignedIn(victim)).toBe(true);
      // A new sign-in ends the session before it, so an attacker cannot use one that was stolen earlier.
      await signIn(victim);
      expect(await site.opens(token)).toBe(false);
    }
    // The session is read from its cookie only.
    const { token } = await site.byMail("fixed@example.org");
    const elsewhere = site.browser();
    expect((await elsewhere.get(`/account/sessions?share_session=${token}`)).status).toBe(401);
    expect((await elsewhere.get("/account/sessions", { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test("cookie theft over http: cookies of an HTTPS site are only sent over HTTPS", async () => {
    const port = await site.world.serve({ site: SECURE_SITE });
    const browser = site.browser({ port, origin: SECURE_SITE.origin });
    expect(describeVerdict(await browser.post("/auth/magic/request", { email: "tls@example.org" }))).toBe("201");
    const { email } = await site.world.mailbox.next();
    const [, token] = /https:\/\/share\.example\/auth\/magic#token=([\w-]{43})/.exec(email.text ?? "") ?? [];
    const signedIn = await consume(token, browser);
    const begun = await browser.get("/auth/orcid/start");
    const left = await browser.post("/auth/logout");
    const attributes = "Path=\\/; HttpOnly; Secure; SameSite=Lax$";
    const hint = (value: string, seconds: number) =>
      `__Host-share_signed_in=${value}; Max-Age=${seconds}; Path=/; Secure; SameSite=Lax`;
    expect([signedIn, begun, left].map(({ headers }) => headers["set-cookie"])).toEqual([
      [
        expect.stringMatching(new RegExp(`^__Host-share_session=[\\w-]{43}; Max-Age=2592000; ${attributes}`)),
        hint("yes", 2_592_000),
      ],
      [expect.stringMatching(new RegExp(`^__Host-share_sign_in=[\\w-]{43}; Max-Age=600; ${attributes}`))],
      [expect.stringMatching(new RegExp(`^__Host-share_session=; Max-Age=0; ${attributes}`)), hint("", 0)],
    ]);
    // Cookies that an attacker on plain HTTP or on a neighbouring host could read or plant.
    const { user } = await site.byMail("tls@example.org");
    const opened = await new Sessions(site.accounts, () => NOW).open(user.id, { method: "mail", agent: null });
    expect(await site.opens(opened.token, "__Host-share_session", port)).toBe(true);
    for (const name of ["share_session", "__host-share_session", "__Secure-share_session"])
      expect([name, await site.opens(opened.token, name, port)]).toEqual([name, false]);
    // A site that is reached by plain HTTP is not served at all.
    await expect(site.world.serve({ site: new URL("http://share.example") })).rejects.toThrow("must use https");
  });

  test("open redirect: no spelling of another site's URL is accepted as the return path", async () => {
    const messages = site.world.mailbox.received.length;
    // `null` for an optional member means that it is absent.
    const spellings = REJECTED_PATHS.map(({ path }) => path).filter((path) => path !== null);
    expect(spellings.length).toBeGreaterThanOrEqual(20);
    for (const returnTo of spellings) {
      const asked = await site.browser().post("/auth/magic/request", { email: "redirected@example.org", returnTo });
      expect([returnTo, describeVerdict(asked)]).toEqual([returnTo, "400 invalid-body"]);
      if (typeof returnTo !== "string") continue;
      const begun = await site.browser().open(`/auth/orcid/start?returnTo=${encodeURIComponent(returnTo)}`);
      expect([returnTo, begun.status, begun.headers.location, begun.headers["set-cookie"]]).toEqual([
        returnTo,
        400,
        undefined,
        undefined,
      ]);
    }
    expect(site.world.mailbox.received.length).toBe(messages);
    // An accepted return path stays on this site.
    for (const { path } of TAKEN_PATHS) {
      const reply = await consume(await site.world.linkFor("redirected@example.org", path));
      expect(JSON.parse(reply.text).returnTo).toBe(path);
    }
    for (const { path } of TAKEN_PATHS.filter((_, i) => i % 4 === 0)) {
      const browser = site.browser();
      const callback = await site.world.callbackFor(ADA, browser, path);
      const reply = await browser.open(`${callback}&returnTo=${encodeURIComponent(EVIL)}&redirect_uri=${EVIL}`);
      expect([reply.status, reply.headers.location]).toEqual([303, path]);
      expect(new URL(reply.headers.location ?? "", site.world.origin).origin).toBe(site.world.origin);
    }
  });

  test("login CSRF: a user cannot be signed in to the account of an attacker", async () => {
    const [attacker, victim] = [site.browser(), site.browser()];
    const callback = await site.world.callbackFor(EVE, attacker);
    expect(describeVerdict(await victim.get(callback))).toBe(FAILED);
    // The victim has a sign-in of their own under way.
    await victim.get("/auth/orcid/start");
    expect(describeVerdict(await victim.get(callback))).toBe(FAILED);
    // A page of the attacker submits a link that was sent to the attacker, or redirects to it.
    const token = await site.world.linkFor("csrf-attacker@example.org");
    const forged = site.browser({ origin: EVIL });
    expect(describeVerdict(await consume(token, forged))).toBe("403 wrong-origin");
    const form = { origin: site.world.origin, "content-type": "application/x-www-form-urlencoded" };
    expect(describeVerdict(await victim.post("/auth/magic/consume", `token=${token}`, form))).toBe(
      "415 unsupported-media-type",
    );
    expect(describeVerdict(await victim.get(`/auth/magic/consume?token=${token}`))).toBe("405 method-not-allowed");
    expect((await victim.open(`/auth/magic?token=${token}`)).headers["set-cookie"]).toBeUndefined();
    expect([await isSignedIn(victim), await isSignedIn(forged)]).toEqual([false, false]);
    // None of these attempts uses up the link.
    expect(describeVerdict(await attacker.get(callback))).toBe("200");
    expect(describeVerdict(await consume(token))).toBe("201");
  });

  test("replayed code: a response of ORCID works once, in the browser that started the sign-in", async () => {
    const browser = site.browser();
    const callback = await site.world.callbackFor(ADA, browser);
    const secret = browser.cookies.get("share_sign_in") ?? "";
    expect(describeVerdict(await browser.get(callback))).toBe("200");
    const thief = site.browser();
    thief.cookies.set("share_sign_in", secret);
    expect(describeVerdict(await thief.get(callback))).toBe(FAILED);
    // A code that was not used yet can be used only with the verifier of its own sign-in.
    const stolen = new URLSearchParams((await site.world.callbackFor(ADA, site.browser())).split("?")[1]).get("code");
    const [path, text] = (await site.world.callbackFor(EVE, thief)).split("?");
    const query = new URLSearchParams(text);
    query.set("code", stolen ?? "");
    expect(describeVerdict(await thief.get(`${path}?${query}`))).toBe(FAILED);
    expect(await isSignedIn(thief)).toBe(false);
  });

  /** Signs in at a provider that makes these claims. Returns the site's verdict, and whether the browser is signed in. */
  async function comeBack(port: number, provider: { say(forgery: Forgery): void }, claims: Record<string, unknown>) {
    const browser = site.browser({ port });
    const { authorizationUrl } = JSON.parse((await browser.get("/auth/orcid/start")).text);
    const { searchParams } = new URL(authorizationUrl);
    provider.say({ claims: { nonce: searchParams.get("nonce"), ...claims } });
    const reply = await browser.get(`/auth/orcid/callback?code=any&state=${searchParams.get("state")}`);
    return [describeVerdict(reply), await isSignedIn(browser)];
  }

  test("state or nonce mismatch: only the response to the same sign-in is accepted", async () => {
    const STATES = [null, "", "a".repeat(43), anyToken()];
    for (const state of STATES) {
      const browser = site.browser();
      const [path, text] = (await site.world.callbackFor(ADA, browser)).split("?");
      const query = new URLSearchParams(text);
      const right = query.get("state") ?? "";
      if (state === null) query.delete("state");
      else query.set("state", state);
      expect([state, describeVerdict(await browser.get(`${path}?${query}`))]).toEqual([state, FAILED]);
      expect(await isSignedIn(browser)).toBe(false);
      query.set("state", right);
      expect(describeVerdict(await browser.get(`${path}?${query}`))).toBe("200");
    }
    await using provider = await forging();
    const port = await site.world.serve({ signIn: { orcid: provider } });
    for (const nonce of ["another", "", undefined, null, anyToken()])
      expect([nonce, ...(await comeBack(port, provider, { nonce }))]).toEqual([nonce, FAILED, false]);
    expect(await comeBack(port, provider, {})).toEqual(["200", true]);
  });

  test("wrong issuer: responses and tokens of another provider are rejected", async () => {
    for (const iss of [EVIL, `${site.world.provider.issuer}/`, "", null]) {
      const browser = site.browser();
      const [path, text] = (await site.world.callbackFor(ADA, browser)).split("?");
      const query = new URLSearchParams(text);
      if (iss === null) query.delete("iss");
      else query.set("iss", iss);
      expect([iss, describeVerdict(await browser.get(`${path}?${query}`))]).toEqual([iss, FAILED]);
      expect(await isSignedIn(browser)).toBe(false);
    }
    await using provider = await forging();
    const port = await site.world.serve({ signIn: { orcid: provider } });
    for (const iss of [EVIL, `${provider.issuer}/`, "", undefined])
      expect([iss, ...(await comeBack(port, provider, { iss }))]).toEqual([iss, FAILED, false]);
    expect(await comeBack(port, provider, { iss: provider.issuer })).toEqual(["200", true]);
  });

  test("expired or reused magic link: a link works once within fifteen minutes, and all failures look alike", async () => {
    await using own = await AttackedSite.open(await newTarget());
    const [used, late, expired] = [
      await own.world.linkFor("words@example.org"),
      await own.world.linkFor("words@example.org"),
      await own.world.linkFor("words@example.org"),
    ];
    expect(describeVerdict(await consume(used, own.browser()))).toBe("201");
    own.world.advance(15 * MINUTE - 1);
    expect(describeVerdict(await consume(late, own.browser()))).toBe("201");
    own.world.advance(1);
    const rejections: Reply[] = [];
    for (const token of [used, late, expired, anyToken(), "", "x", `${expired}=`])
      rejections.push(await consume(token, own.browser()));
    expect(rejections.map(describeVerdict)).toEqual(rejections.map(() => USED));
    expect(new Set(rejections.map(({ text }) => text)).size).toBe(1);
    expect(rejections.flatMap(({ headers }) => headers["set-cookie"] ?? [])).toEqual([]);
  });

  test("link for another address: a link signs in the person to whom it was sent", async () => {
    const mine = await site.byMail("mine@example.org");
    const token = await site.world.linkFor("theirs@example.org");
    const asked = await mine.browser.post("/auth/magic/consume?email=mine@example.org", { token });
    expect(describeVerdict(asked)).toBe("400 invalid-parameter");
    const { text } = await mine.browser.post("/auth/magic/consume", {
      token,
      email: "mine@example.org",
      userId: mine.user.id,
      account_id: mine.user.id,
    });
    const { user } = JSON.parse(text);
    expect([user.email, user.id === mine.user.id]).toEqual(["theirs@example.org", false]);
    // The Kelvin sign is k in lower case, so a mailbox with it must not open the account of another person.
    expect(describeVerdict(await site.browser().post("/auth/magic/request", { email: "mi\u212ae@example.org" }))).toBe(
      "201",
    );
    expect((await site.world.mailbox.next()).to).toEqual(["mike@example.org"]);
    expect((await site.byMail("MINE@Example.org")).user.id).toBe(mine.user.id);
  });

  test("enumeration of addresses by response: known and unknown emails get the same response", async () => {
    await site.byMail("known@example.org");
    const answers = [];
    for (const email of ["known@example.org", "strange@example.org"]) {
      const { status, headers, text } = await site.browser().post("/auth/magic/request", { email });
      const { date: _date, "x-request-id": _id, ...kept } = headers;
      for (const name of Object.keys(kept).filter((key) => key.includes("ratelimit"))) delete kept[name];
      answers.push({ status, kept, text });
      await site.world.mailbox.next();
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 201, text: '{"requested":true,"expiresIn":900}\n' });
  });

  test("enumeration of addresses by time: known and unknown emails cause the same work", async () => {
    const statements: string[] = [];
    const accounts = await openAccounts(await newTarget(), { onQuery: (sql) => statements.push(sql) });
    await accountOfEmail(accounts.db, "known@example.org", NOW);
    const parts = {
      accounts,
      sessions: new Sessions(accounts, () => NOW),
      site: new Site(null, () => 80),
      now: () => NOW,
    };
    const posted: string[] = [];
    const outbox = { hasRoom: () => true, post: ({ to }: { to: string }) => posted.push(to) };
    const links = new MagicLinks({ ...parts, outbox, quota: { requests: 5, seconds: 3600 } });
    const costs = [];
    for (const email of ["known@example.org", "strange@example.org"]) {
      statements.length = 0;
      await links.request({ email, returnTo: "/" }, "192.0.2.1", "request");
      costs.push([...statements]);
    }
    expect(costs[0]).toEqual(costs[1]);
    expect(costs[0]?.join("\n")).toContain("magic_link");
    expect(costs[0]?.join("\n")).not.toMatch(/"account"/);
    expect(posted).toEqual(["known@example.org", "strange@example.org"]);
    await accounts.close();
  });

  test("brute force of links and keys: every guess counts towards the limit", async () => {
    const quotas = { ...UNLIMITED, anonymous: { requests: 20, seconds: 60 } };
    const port = await site.world.serve({ quotas, trustProxy: ["127.0.0.1"] });
    const from = (address: string) => ({ "x-forwarded-for": address });
    const browser = site.browser({ port });
    const [right, another] = [
      await site.world.linkFor("guessed@example.org"),
      await site.world.linkFor("guessed@example.org"),
    ];
    // Guesses that differ in one character get the same response, so nothing shows how close a guess was.
    const guesses = Array.from({ length: 20 }, (_, i) => `${right.slice(0, -1)}${"ABCDEFGHIJKLMNOPQRST".charAt(i)}`);
    const wrong = guesses.filter((guess) => guess !== right);
    const replies = [];
    for (const token of [...wrong, ...wrong].slice(0, 20))
      replies.push(await browser.post("/auth/magic/consume", { token }, from("192.0.2.1")));
    expect(new Set(replies.map(describeVerdict))).toEqual(new Set([USED]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const late = await browser.post("/auth/magic/consume", { token: right }, from("192.0.2.1"));
    expect([describeVerdict(late), late.headers["set-cookie"]]).toEqual(["429 rate-limited", undefined]);
    expect(describeVerdict(await browser.post("/auth/magic/consume", { token: another }, from("192.0.2.2")))).toBe(
      "201",
    );

    const { text } = await browser.post("/api-keys/register", { name: "A", email: "a@example.org" }, from("192.0.2.3"));
    const { key } = JSON.parse(text);
    const tried = [];
    for (let i = 0; i < 20; i += 1) {
      const guess = `${key.slice(0, -2)}${String(10 + i)}`;
      const header = guess === key ? `${key.slice(0, -2)}zz` : guess;
      tried.push(describeVerdict(await browser.get("/health", { ...from("192.0.2.4"), "x-api-key": header })));
    }
    expect(new Set(tried)).toEqual(new Set(["401 bad-api-key"]));
    const more = await browser.get("/health", { ...from("192.0.2.4"), "x-api-key": `share_live_${"0".repeat(32)}` });
    expect(describeVerdict(more)).toBe("429 rate-limited");
    expect(describeVerdict(await browser.get("/health", { ...from("192.0.2.5"), "x-api-key": key }))).toBe("200");
  });

  // This test is the last of the suite: it searches the store and the log for everything that the others received.
  test("reading stored data: tokens, links, cookies, codes and keys are only stored as hashes", async () => {
    const { handed, found } = await site.writtenDown();
    expect(handed).toEqual([
      "client secret",
      "code",
      "codeVerifier",
      "cookie __Host-share_session",
      "cookie __Host-share_sign_in",
      "cookie share_session",
      "cookie share_sign_in",
      "key",
      "link",
      "nonce",
      "state",
    ]);
    expect(found).toEqual([]);
    // Checks that the search works: it finds the values that may be there.
    expect((await site.dump()).includes("known@example.org")).toBe(true);
    expect(site.world.logged()).toContain("/auth/orcid/callback");
    expect(site.world.logged()).not.toMatch(/example\.org|Lovelace|1825-0097|evil\.example|127\.0\.0\.1:\d+\/auth/);
  });
});

async function forging() {
  const provider = await openForgingProvider();
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}
