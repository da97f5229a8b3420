/**
 * Sign-in with ORCID at a real identity provider: the redirect to it, its pages, and the callback. Attacks are tested in
 * test/security.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeEachDatabase } from "../accounts/each-database.ts";
import type { Reply } from "../server/ask.ts";
import type { Browser } from "./browser.ts";
import { SignInWorld } from "./world.ts";

/** ORCID iDs with valid check digits. */
const ADA = "0000-0002-1825-0097";
const BOB = "0000-0001-5109-3700";
const CAT = "0000-0001-5000-0007";

const readType = ({ text }: Reply): string => JSON.parse(text).type;
const failed = (reply: Reply) => expect([reply.status, readType(reply)]).toEqual([400, "/problems/sign-in-failed"]);
const isSignedIn = async (browser: Browser) => (await browser.get("/account/sessions")).status === 200;

describeEachDatabase("signing in with ORCID", (newTarget) => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make({ accounts: await newTarget() });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("ORCID sign-in gives a program the authorization URL, and at the callback the user and a session", async () => {
    const browser = world.browser();
    const start = await browser.get("/auth/orcid/start?returnTo=%2Faccount");
    expect([start.status, start.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(start.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^share_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const { authorizationUrl } = JSON.parse(start.text);
    expect(Object.fromEntries(new URL(authorizationUrl).searchParams)).toEqual({
      client_id: world.provider.clientId,
      response_type: "code",
      scope: "openid",
      redirect_uri: `${world.origin}/auth/orcid/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    const back = await world.provider.signIn(authorizationUrl, { orcid: ADA, name: "Ada Lovelace " });
    const reply = await browser.get(back.pathname + back.search);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({
      user: {
        id: expect.stringMatching(/^u[0-9a-f]{24}$/),
        name: "Ada Lovelace",
        email: null,
        orcid: ADA,
        createdAt: world.now.toISOString(),
      },
      returnTo: "/account",
    });
    expect([...browser.cookies.keys()]).toEqual(["share_session", "share_signed_in"]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("ORCID sign-in redirects a browser to the provider, and then to the page that the user wanted", async () => {
    const browser = world.browser();
    const start = await browser.open("/auth/orcid/start?returnTo=/records?search=a%2520b%23c");
    expect(start.status).toBe(303);
    expect(start.headers.location).toContain(`${world.provider.issuer}/auth?`);
    const back = await world.provider.signIn(start.headers.location ?? "", { orcid: ADA });
    const reply = await browser.open(back.pathname + back.search);
    expect([reply.status, reply.headers.location, reply.text]).toEqual([303, "/records?search=a%20b#c", ""]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("an ORCID iD always opens the same account, with the latest valid name that the provider sent", async () => {
    const people = [
      { shown: "Catherine Example", kept: "Catherine Example" },
      { shown: null, kept: "Catherine Example" },
      { shown: undefined, kept: "Catherine Example" },
      { shown: "  ", kept: "Catherine Example" },
      { shown: "Cat\u202e Example", kept: "Catherine Example" },
      { shown: " Cat   Example ", kept: "Cat Example" },
      { shown: "c".repeat(300), kept: "c".repeat(200) },
    ];
    const ids = new Set<string>();
    for (const { shown, kept } of people) {
      const { user } = await world.signInByOrcid({ orcid: CAT, ...(shown === undefined ? {} : { name: shown }) });
      expect([shown, user.name]).toEqual([shown, kept]);
      ids.add(user.id);
    }
    expect(ids.size).toBe(1);
  });

  describe("the callback to which the provider redirects", () => {
    test("the callback signs in only once if it is requested several times at once", async () => {
      const browser = world.browser();
      const callback = await world.callbackFor({ orcid: ADA }, browser);
      // Both servers have the same site, because the provider redirects to one URL.
      const ports = [world.port, await world.serve({ site: new URL(world.origin) })];
      const cookie = { cookie: `share_sign_in=${browser.cookies.get("share_sign_in")}` };
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => world.browser({ port: ports[i % 2] ?? 0 }).get(callback, cookie)),
      );
      expect(replies.filter(({ headers }) => headers["set-cookie"] !== undefined)).toHaveLength(1);
    });

    test.each([
      { name: "without a code", change: (query: URLSearchParams) => query.delete("code") },
      { name: "with another code", change: (query: URLSearchParams) => query.set("code", "a".repeat(43)) },
    ])("the callback is rejected $name", async ({ change }) => {
      const browser = world.browser();
      const [path, text] = (await world.callbackFor({ orcid: ADA }, browser)).split("?");
      const query = new URLSearchParams(text);
      change(query);
      failed(await browser.get(`${path}?${query}`));
      expect(await isSignedIn(browser)).toBe(false);
    });

    test("the callback is rejected ten minutes after the start of the sign-in", async () => {
      await using own = await SignInWorld.make({ accounts: await newTarget() });
      const browser = own.browser();
      const callback = await own.callbackFor({ orcid: ADA }, browser);
      own.advance(600_000);
      failed(await browser.get(callback));
    });

    test("the callback says so if the user declined to sign in", async () => {
      const browser = world.browser();
      const { authorizationUrl } = JSON.parse((await browser.get("/auth/orcid/start")).text);
      const { pathname, search } = await world.provider.decline(authorizationUrl);
      const reply = await browser.get(pathname + search);
      failed(reply);
      expect(JSON.parse(reply.text).detail).toBe(
        "You declined to sign in at the identity provider. Start again if you want to sign in.",
      );
    });
  });

  describe("a user who is signed in by email and then signs in with ORCID", () => {
    const FROM_HERE = { "sec-fetch-site": "same-origin" };
    const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      {},
    ];
    const NEW = [
      "0000-0003-0000-0003",
      "0000-0003-0000-0011",
      "0000-0003-0000-002X",
      "0000-0003-0000-0038",
      "0000-0003-0000-0054",
    ];

    async function addOrcid(browser: Browser, orcid: string, headers: Readonly<Record<string, string>>, add = "true") {
      const { authorizationUrl } = JSON.parse((await browser.get(`/auth/orcid/start?add=${add}`, headers)).text);
      const { pathname, search } = await world.provider.signIn(authorizationUrl, { orcid, name: "A Name" });
      return JSON.parse((await browser.get(pathname + search)).text).user;
    }

    test("a user who is signed in by email can add an ORCID iD to the account, and later sign in with either", async () => {
      const { browser, user } = await world.signInByMail("both@example.org");
      const [orcid = ""] = NEW;
      expect(await addOrcid(browser, orcid, FROM_HERE)).toEqual({ ...user, orcid, name: "A Name" });
      expect((await world.signInByOrcid({ orcid })).user.id).toBe(user.id);
      expect((await world.signInByMail("both@example.org")).user).toEqual({ ...user, orcid, name: "A Name" });
    });

    test.each(ELSEWHERE)(
      "an ORCID iD is not added to the account if the request comes from another site (%o)",
      async (headers) => {
        const { browser, user } = await world.signInByMail("elsewhere@example.org");
        const added = await addOrcid(browser, NEW[1] ?? "", headers);
        expect([added.id === user.id, added.email]).toEqual([false, null]);
        expect((await world.signInByMail("elsewhere@example.org")).user.orcid).toBeNull();
      },
    );

    test("an ORCID iD is not added to the account if the request does not ask for that", async () => {
      const { browser, user } = await world.signInByMail("unasked@example.org");
      const added = await addOrcid(browser, NEW[4] ?? "", FROM_HERE, "false");
      expect([added.id === user.id, added.email]).toEqual([false, null]);
      expect((await world.signInByMail("unasked@example.org")).user.orcid).toBeNull();
    });

    test("an ORCID iD that already has an account opens that account, and is not added to another", async () => {
      const other = await world.signInByOrcid({ orcid: BOB, name: "Bob" });
      const { browser, user } = await world.signInByMail("not-bob@example.org");
      expect((await addOrcid(browser, BOB, FROM_HERE)).id).toBe(other.user.id);
      expect((await world.signInByMail("not-bob@example.org")).user).toEqual(user);
    });

    test("a second ORCID iD does not replace the one that the account already has", async () => {
      const { browser, user } = await world.signInByMail("has-one@example.org");
      await addOrcid(browser, NEW[2] ?? "", FROM_HERE);
      expect((await addOrcid(browser, NEW[3] ?? "", FROM_HERE)).id).not.toBe(user.id);
      expect((await world.signInByMail("has-one@example.org")).user.orcid).toBe(NEW[2]);
    });

    test("adding an ORCID iD is rejected if another user is signed in when the browser returns from ORCID", async () => {
      const { browser } = await world.signInByMail("first@example.org");
      const callback = await world.callbackFor({ orcid: "0000-0003-0000-0046" }, browser);
      await world.signInByMail("second@example.org", browser);
      failed(await browser.get(callback));
      for (const email of ["first@example.org", "second@example.org"]) {
        expect((await world.signInByMail(email)).user.orcid).toBeNull();
      }
    });
  });
});

describe("a browser whose sign-in fails", () => {
  test("a failed ORCID sign-in shows the reason on a page of the site, with a link to sign in again", async () => {
    await using world = await SignInWorld.make();
    const reply = await world.browser().open("/auth/orcid/callback?code=a&state=<script>alert(1)</script>");
    expect([reply.status, reply.headers["content-type"], reply.headers["cache-control"]]).toEqual([
      400,
      "text/html; charset=utf-8",
      "no-store",
    ]);
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(reply.text).toContain("This sign-in was started in another browser");
    expect(reply.text).toContain('<a class="button" href="/sign-in">Sign in again</a>');
    expect(reply.text).not.toContain("<script>alert");
  });
});

describe("ORCID sign-in", () => {
  test("ORCID sign-in returns 503 at the start and at the callback if it is not configured", async () => {
    await using world = await SignInWorld.make({ provider: null });
    for (const path of ["/auth/orcid/start", "/auth/orcid/callback?code=a&state=b"]) {
      const reply = await world.browser().get(path);
      expect([reply.status, readType(reply)]).toEqual([503, "/problems/sign-in-not-configured"]);
    }
  });
});
