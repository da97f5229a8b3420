/** Links by mail: what is sent, what consuming one does, how often one may ask, and what nobody learns from asking. */

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccounts } from "../../server/accounts/index.ts";
import { MagicLinks } from "../../server/sign-in/magic-links.ts";
import { accountOfEmail } from "../../server/sign-in/people.ts";
import { Sessions } from "../../server/sign-in/sessions.ts";
import { Site } from "../../server/sign-in/site.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import type { Reply } from "../server/ask.ts";
import { NOW } from "../server/test-store.ts";
import { tokenIn } from "./mailbox.ts";
import { SignInWorld } from "./world.ts";

const MINUTE = 60_000;

const typeOf = ({ text }: Reply): string => JSON.parse(text).type;

describeEachDatabase("a link", (newTarget) => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make({ accounts: await newTarget() });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const consume = (token: unknown, port = world.port) => world.browser({ port }).post("/auth/magic/consume", { token });

  test("signs its address in, once, and leads where it was asked to", async () => {
    const token = await world.linkFor("Ada@Example.org", "/authors?search=ada");
    const browser = world.browser();
    const first = await browser.post("/auth/magic/consume", { token });
    expect(first.status).toBe(201);
    expect(JSON.parse(first.text)).toEqual({
      user: {
        id: expect.stringMatching(/^u[0-9a-f]{24}$/),
        name: null,
        email: "ada@example.org",
        orcid: null,
        createdAt: NOW.toISOString(),
      },
      returnTo: "/authors?search=ada",
    });
    expect((await browser.get("/account/sessions")).status).toBe(200);
    const second = await consume(token);
    expect([second.status, typeOf(second), second.headers["set-cookie"]]).toEqual([
      410,
      "/problems/link-used",
      undefined,
    ]);
  });

  test("that was used, has expired, never was or cannot be is refused in the same words", async () => {
    await using own = await SignInWorld.make({ accounts: await newTarget() });
    const [used, expired] = [await own.linkFor("words@example.org"), await own.linkFor("words@example.org")];
    const refusals: Reply[] = [];
    const take = async (token: string) => refusals.push(await own.browser().post("/auth/magic/consume", { token }));
    expect((await own.browser().post("/auth/magic/consume", { token: used })).status).toBe(201);
    await take(used);
    own.advance(15 * MINUTE);
    for (const token of [expired, randomBytes(32).toString("base64url"), "", "x", `${expired}=`]) await take(token);
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 410));
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
  });

  test("works to the last millisecond of its fifteen minutes", async () => {
    await using own = await SignInWorld.make({ accounts: await newTarget() });
    const token = await own.linkFor("late@example.org");
    own.advance(15 * MINUTE - 1);
    expect((await own.browser().post("/auth/magic/consume", { token })).status).toBe(201);
  });

  test("is of the address it was sent to, whoever brings it and whatever they say", async () => {
    const mine = await world.signInByMail("mine@example.org");
    const token = await world.linkFor("theirs@example.org");
    const { text } = await mine.browser.post("/auth/magic/consume", {
      token,
      email: "mine@example.org",
      userId: mine.user.id,
      account_id: mine.user.id,
    });
    const { user } = JSON.parse(text);
    expect([user.email, user.id === mine.user.id]).toEqual(["theirs@example.org", false]);
  });

  const SPELLINGS = ["jane.doe@example.org", "Jane.Doe@EXAMPLE.ORG", "JANE.DOE@example.org", " jane.doe@example.org "];
  test("is of one person however the address is spelt, and goes to the address they are known by", async () => {
    const ids = new Set<string>();
    for (const spelling of SPELLINGS) {
      expect((await world.browser().post("/auth/magic/request", { email: spelling })).status).toBe(201);
      const message = await world.mailbox.next();
      expect(message.to).toEqual(["jane.doe@example.org"]);
      ids.add(JSON.parse((await consume(tokenIn(message))).text).user.id);
    }
    expect(ids.size).toBe(1);
  });

  test("for a spelling that folds into another's address goes to that other", async () => {
    // The Kelvin sign is k in lower case: a mailbox of it must not open the account of another.
    expect((await world.browser().post("/auth/magic/request", { email: "mi\u212ae@example.org" })).status).toBe(201);
    expect((await world.mailbox.next()).to).toEqual(["mike@example.org"]);
  });

  test("is used by one of twenty who come at once, with two servers", async () => {
    const ports = [world.port, await world.serve()];
    for (const email of ["rush-1@example.org", "rush-2@example.org"]) {
      const token = await world.linkFor(email);
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => consume(token, ports[i % 2])));
      const statuses = replies.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 410)]);
    }
  });

  test("of a new address makes one account, though several are used at once", async () => {
    const tokens = [];
    for (let i = 0; i < 5; i += 1) tokens.push(await world.linkFor("crowd@example.org"));
    const replies = await Promise.all(tokens.map((token) => consume(token)));
    expect(new Set(replies.map(({ text }) => JSON.parse(text).user.id)).size).toBe(1);
  });

  test("costs the database the same for an address it knows and one it does not", async () => {
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
    for (const email of ["known@example.org", "unknown@example.org"]) {
      statements.length = 0;
      await links.request({ email, returnTo: "/" }, "192.0.2.1");
      costs.push([...statements]);
    }
    expect(costs[0]).toEqual(costs[1]);
    expect(costs[0]?.join("\n")).toContain("magic_link");
    expect(costs[0]?.join("\n")).not.toMatch(/"account"/);
    expect(posted).toEqual(["known@example.org", "unknown@example.org"]);
    await accounts.close();
  });

  test("is asked for in the same words for an address that is known and one that is not", async () => {
    await world.signInByMail("known@example.org");
    const answers = [];
    for (const email of ["known@example.org", "unknown@example.org"]) {
      const { status, headers, text } = await world.browser().post("/auth/magic/request", { email });
      const { date: _date, "x-request-id": _id, ...kept } = headers;
      for (const name of Object.keys(kept).filter((key) => key.includes("ratelimit"))) delete kept[name];
      answers.push({ status, kept, text });
      await world.mailbox.next();
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 201, text: '{"requested":true,"expiresIn":900}\n' });
  });

  describe("asked for often", () => {
    const QUOTA = { requests: 5, seconds: 3600 };
    let limited: SignInWorld;
    beforeAll(async () => {
      const quotas = { anonymous: { requests: 1_000_000, seconds: 60 }, link: QUOTA };
      const server = { quotas, trustProxy: ["127.0.0.1"] };
      limited = await SignInWorld.make({ accounts: await newTarget(), server });
      const { email } = (await limited.signInByMail("regular@example.org")).user;
      expect(email).toBe("regular@example.org");
      limited.advance(3600_000);
    });
    afterAll(() => limited[Symbol.asyncDispose]());

    const request = (email: string, address: string) =>
      limited.browser().post("/auth/magic/request", { email }, { "x-forwarded-for": address });

    test.each([
      { who: "an address that is known", email: "regular@example.org", net: "198.51.100" },
      { who: "an address that is not", email: "nobody@example.org", net: "203.0.113" },
    ])("$who is sent five an hour, from wherever they are asked for", async ({ email, net }) => {
      const replies = [];
      for (let i = 0; i < 6; i += 1) replies.push(await request(i % 2 ? email : email.toUpperCase(), `${net}.${i}`));
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
      const refused = replies[5];
      expect([refused?.headers["retry-after"], JSON.parse(refused?.text ?? "")]).toEqual([
        "3600",
        expect.objectContaining({
          type: "/problems/too-many-links",
          detail: "Only 5 links are sent in 3600 seconds; try again in 3600 seconds.",
        }),
      ]);
    });

    test("one caller gets five an hour, for whichever addresses", async () => {
      const statuses = [];
      for (let i = 0; i < 6; i += 1) statuses.push((await request(`any-${i}@example.org`, "192.0.2.77")).status);
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
      // What was refused counts for neither.
      expect((await request("any-5@example.org", "192.0.2.78")).status).toBe(201);
      limited.advance(3600_000);
      expect((await request("any-6@example.org", "192.0.2.77")).status).toBe(201);
    });
  });
});

describe("what is sent", () => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("is one message in plain text and HTML with the same link, and nothing else of the reader's", async () => {
    const reply = await world.browser().post("/auth/magic/request", { email: "reader@example.org" });
    expect(reply.status).toBe(201);
    const message = await world.mailbox.next();
    const link = `${world.origin}/auth/magic#token=${tokenIn(message)}`;
    const { email, to } = message;
    expect(to).toEqual(["reader@example.org"]);
    expect([email.subject, email.from?.address, email.from?.name]).toEqual([
      "Sign in to SHARE",
      "no-reply@localhost",
      "SHARE",
    ]);
    expect(email.to?.map(({ address }) => address)).toEqual(["reader@example.org"]);
    expect(email.date).toBe(NOW.toISOString());
    expect(email.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated");
    expect(email.text).toContain(`\n${link}\n`);
    expect(email.html?.match(/href="([^"]+)"/g)).toEqual([`href="${link}"`, `href="${link}"`]);
    expect(email.html).not.toMatch(/<img|<script|src=|url\(/);
    expect(email.attachments).toEqual([]);
  });

  const BODIES: readonly { name: string; body: unknown; paths: readonly string[] }[] = [
    { name: "no address", body: {}, paths: ["email"] },
    { name: "no object", body: ["a@example.org"], paths: [""] },
    { name: "an address that is none", body: { email: "example.org" }, paths: ["email"] },
    {
      name: "an address of 255 characters",
      body: { email: `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(62)}` },
      paths: ["email"],
    },
    { name: "two addresses", body: { email: "a@example.org,b@example.org" }, paths: ["email"] },
    { name: "a further header", body: { email: "a@example.org\r\nBcc: b@example.org" }, paths: ["email"] },
    { name: "a name before the address", body: { email: "A <a@example.org>" }, paths: ["email"] },
    { name: "what folds into another character", body: { email: "a\u037eb@example.org" }, paths: ["email"] },
    { name: "a list of addresses", body: { email: ["a@example.org"] }, paths: ["email"] },
    {
      name: "another site to go to",
      body: { email: "a@example.org", returnTo: "https://evil.example" },
      paths: ["returnTo"],
    },
    {
      name: "301 characters to go to",
      body: { email: "a@example.org", returnTo: `/${"a".repeat(300)}` },
      paths: ["returnTo"],
    },
    { name: "everything wrong", body: { email: 7, returnTo: 7 }, paths: ["email", "returnTo"] },
  ];
  test.each(BODIES)("is nothing for $name", async ({ body, paths }) => {
    const before = world.mailbox.received.length;
    const reply = await world.browser().post("/auth/magic/request", body);
    expect([reply.status, typeOf(reply)]).toEqual([400, "/problems/invalid-body"]);
    expect(JSON.parse(reply.text).errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(world.mailbox.received.length).toBe(before);
  });

  const RAW: readonly { name: string; body: string; type: string; problem: string }[] = [
    { name: "text", body: '{"email":"a@example.org"}', type: "text/plain", problem: "unsupported-media-type" },
    {
      name: "a form",
      body: "email=a@example.org",
      type: "application/x-www-form-urlencoded",
      problem: "unsupported-media-type",
    },
    { name: "half an object", body: '{"email":', type: "application/json", problem: "invalid-body" },
    {
      name: "65 KiB",
      body: JSON.stringify({ email: "a".repeat(65 * 1024) }),
      type: "application/json",
      problem: "body-too-large",
    },
    {
      name: "ten thousand levels",
      body: `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
      type: "application/json",
      problem: "invalid-body",
    },
  ];
  test.each(RAW)("is nothing for $name", async ({ body, type, problem }) => {
    const reply = await world.browser().post("/auth/magic/request", body, { "content-type": type });
    expect(typeOf(reply)).toBe(`/problems/${problem}`);
    const consumed = await world.browser().post("/auth/magic/consume", body, { "content-type": type });
    expect(typeOf(consumed)).toBe(`/problems/${problem}`);
  });

  test("without a mail server lies in a folder of the store that its owner alone can read, and the log says where", async () => {
    const port = await world.serve({ signIn: {} });
    expect((await world.browser({ port }).post("/auth/magic/request", { email: "folder@example.org" })).status).toBe(
      201,
    );
    const folder = join(world.store.root, "mail");
    await expect.poll(() => world.logged()).toContain("mail-written");
    const [name = ""] = readdirSync(folder);
    const path = join(folder, name);
    expect([name, statSync(path).mode & 0o777]).toEqual([expect.stringMatching(/\.eml$/), 0o600]);
    expect(world.logged()).toContain(path);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/^To: folder@example\.org\r$/m);
    const [, token] = /#token=3D([\w=\r\n-]+?)\r\n\r\n/.exec(text) ?? [];
    const whole = (token ?? "").replace(/=\r\n/g, "");
    expect(whole).toMatch(/^[\w-]{43}$/);
    expect(world.logged()).not.toContain(whole);
    expect((await world.browser({ port }).post("/auth/magic/consume", { token: whole })).status).toBe(201);
  });
});
