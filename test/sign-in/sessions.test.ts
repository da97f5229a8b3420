/**
 * Sessions of signed-in users: their cookie, their lifetime, and who may list and end them. Attacks are tested in
 * test/security.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccounts } from "../../server/accounts/database.ts";
import { accountOfEmail, Sessions } from "../../server/accounts/sessions.ts";
import { removeExpired } from "../../server/accounts/sign-in.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { ask, type Reply } from "../server/ask.ts";
import { NOW } from "../server/test-store.ts";
import type { Browser } from "./browser.ts";
import { SignInWorld } from "./world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const readType = ({ text }: Reply): string => JSON.parse(text).type;

describeEachDatabase("a session of a signed-in user", (newTarget) => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make({ accounts: await newTarget() });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("a session is a cookie of 256 random bits that scripts cannot read, and a second cookie without a secret", async () => {
    const token = await world.linkFor("cookie@example.org");
    const { headers } = await world.browser().post("/auth/magic/consume", { token });
    expect(headers["set-cookie"]).toEqual([
      expect.stringMatching(/^share_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
      "share_signed_in=yes; Max-Age=2592000; Path=/; SameSite=Lax",
    ]);
  });

  test("a session can be listed and ended only by its own account", async () => {
    const [one, other] = [await world.signInByMail("one@example.org"), await world.signInByMail("other@example.org")];
    const again = await world.signInByMail("one@example.org");
    const listed = async ({ browser }: { browser: Browser }) =>
      JSON.parse((await browser.get("/account/sessions")).text).data;
    const [mine, theirs] = [await listed(one), await listed(other)];
    expect(mine).toHaveLength(2);
    expect(mine.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    expect(theirs).toHaveLength(1);
    const foreign = await one.browser.delete(`/account/sessions/${theirs[0].id}`);
    const unknown = await one.browser.delete(`/account/sessions/s${"0".repeat(24)}`);
    expect([foreign.status, readType(foreign)]).toEqual([404, "/problems/session-not-found"]);
    expect({ ...JSON.parse(foreign.text), instance: "" }).toEqual({ ...JSON.parse(unknown.text), instance: "" });
    expect(foreign.headers["cache-control"]).toBe("no-store");
    expect(await listed(other)).toHaveLength(1);

    const away = mine.find(({ current }: { current: boolean }) => !current).id;
    const ended = await one.browser.delete(`/account/sessions/${away}`);
    expect([ended.status, JSON.parse(ended.text)]).toEqual([200, { deleted: true }]);
    expect((await again.browser.get("/account/sessions")).status).toBe(401);
    expect((await one.browser.delete(`/account/sessions/${away}`)).status).toBe(404);
    const [own] = await listed(one);
    expect((await one.browser.delete(`/account/sessions/${own.id}`)).status).toBe(200);
    expect(one.browser.cookies.size).toBe(0);
  });

  test("the sessions of an account are listed page by page, each with its User-Agent", async () => {
    const { browser } = await world.signInByMail("paged@example.org");
    for (const agent of ["Firefox", `long ${"x".repeat(500)}`, "tab\there"]) {
      const token = await world.linkFor("paged@example.org");
      await world.browser().post("/auth/magic/consume", { token }, { "user-agent": agent });
    }
    const page = JSON.parse((await browser.get("/account/sessions?page=2&limit=3")).text);
    expect(page.pagination).toEqual({ total: 4, page: 2, limit: 3, totalPages: 2, hasNext: false, hasPrev: true });
    expect(page.data).toHaveLength(1);
    const all = JSON.parse((await browser.get("/account/sessions")).text).data;
    const agents = all.map(({ agent }: { agent: string | null }) => agent).sort();
    expect(agents).toEqual(["Firefox", `long ${"x".repeat(155)}`, "tab here", null].sort());
  });

  test("a session lasts thirty days from its last use, which is stored at most once an hour", async () => {
    await using own = await SignInWorld.make({ accounts: await newTarget() });
    const { browser } = await own.signInByMail("sliding@example.org");
    const seen = async () => {
      const { headers, text } = await browser.get("/account/sessions");
      const [{ seenAt, expiresAt }] = JSON.parse(text).data;
      return { after: Date.parse(seenAt) - NOW.getTime(), lasts: Date.parse(expiresAt) - Date.parse(seenAt), headers };
    };
    own.advance(HOUR - 1);
    const within = await seen();
    expect([within.after, within.lasts, within.headers["set-cookie"]]).toEqual([0, 30 * DAY, undefined]);
    own.advance(1);
    const moved = await seen();
    expect([moved.after, moved.lasts]).toEqual([HOUR, 30 * DAY]);
    expect(moved.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^share_session=[\w-]{43}; Max-Age=2592000/),
      expect.stringMatching(/^share_signed_in=yes; Max-Age=2592000/),
    ]);
    own.advance(30 * DAY - 1);
    expect((await seen()).after).toBe(HOUR + 30 * DAY - 1);
    own.advance(30 * DAY);
    expect((await browser.get("/account/sessions")).status).toBe(401);
  });

  test("an account has at most a hundred sessions, and expired ones are deleted", async () => {
    const accounts = await openAccounts(await newTarget());
    let now = NOW;
    const sessions = new Sessions(accounts, () => now);
    const { id } = await accountOfEmail(accounts.db, "many@example.org", now);
    const opened: string[] = [];
    for (let i = 0; i < 101; i += 1) {
      now = new Date(NOW.getTime() + i);
      opened.push((await sessions.open(id, { method: "mail", agent: null })).token);
    }
    expect(await sessions.list(id)).toHaveLength(100);
    expect(await sessions.find(opened[0] ?? "")).toBeNull();
    expect(await sessions.find(opened[1] ?? "")).toMatchObject({ accountId: id, isRenewed: false });
    await removeExpired(accounts.db, new Date(NOW.getTime() + 30 * DAY + 99));
    const rows = await accounts.db.selectFrom("session").select("digest").execute();
    expect(rows).toHaveLength(1);
    await accounts.close();
  });
});

describe("the origin of a request that changes something", () => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("without a configured site, a change may come from any name of this machine as its origin", async () => {
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      const browser = world.browser({ origin: `http://${host}:${world.port}` });
      expect((await browser.post("/auth/logout")).status).toBe(201);
    }
  });

  test("another site can neither change nor read anything of an account, and gets no CORS headers", async () => {
    const { browser } = await world.signInByMail("cors@example.org");
    const from = { origin: "https://evil.example" };
    const replies = [
      await browser.get("/account/sessions", from),
      await browser.get("/auth/magic", from),
      await browser.get("/account/sessions?limit=0", from),
      await world.browser().get("/account/sessions", from),
      await browser.post("/auth/logout", undefined, from),
      await ask(world.port, "/auth/logout", { method: "OPTIONS", headers: from }),
      await ask(world.port, "/account/sessions", { method: "PUT", headers: from }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 400, 401, 403, 204, 405]);
    for (const { headers } of replies) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    }
    // Other sites can still read public paths.
    const index = await ask(world.port, "/", { headers: from });
    expect(index.headers["access-control-allow-origin"]).toBe("*");
  });
});
