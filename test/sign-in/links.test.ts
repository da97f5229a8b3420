/** Sign-in links by email: the email, the use of a link, and the rate limits. Attacks are tested in test/security. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { NOW } from "../server/test-store.ts";
import { tokenIn } from "./mailbox.ts";
import { SignInWorld } from "./world.ts";

describeEachDatabase("sign-in links by email", (newTarget) => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make({ accounts: await newTarget() });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const consume = (token: unknown, port = world.port) => world.browser({ port }).post("/auth/magic/consume", { token });

  const SPELLINGS = ["jane.doe@example.org", "Jane.Doe@EXAMPLE.ORG", "JANE.DOE@example.org", " jane.doe@example.org "];
  test("sign-in links for any spelling of an email address are sent to the same address, and open the same account", async () => {
    const ids = new Set<string>();
    for (const spelling of SPELLINGS) {
      expect((await world.browser().post("/auth/magic/request", { email: spelling })).status).toBe(201);
      const message = await world.mailbox.next();
      expect(message.to).toEqual(["jane.doe@example.org"]);
      ids.add(JSON.parse((await consume(tokenIn(message))).text).user.id);
    }
    expect(ids.size).toBe(1);
  });

  test("only one of twenty simultaneous requests to two servers can use a sign-in link", async () => {
    const ports = [world.port, await world.serve()];
    for (const email of ["rush-1@example.org", "rush-2@example.org"]) {
      const token = await world.linkFor(email);
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => consume(token, ports[i % 2])));
      const statuses = replies.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 410)]);
    }
  });

  test("five sign-in links for a new email address that are used at once create one account", async () => {
    const tokens = [];
    for (let i = 0; i < 5; i += 1) tokens.push(await world.linkFor("crowd@example.org"));
    const replies = await Promise.all(tokens.map((token) => consume(token)));
    expect(new Set(replies.map(({ text }) => JSON.parse(text).user.id)).size).toBe(1);
  });

  describe("the rate limits of links", () => {
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
      { who: "a known email", email: "regular@example.org", net: "198.51.100" },
      { who: "an unknown email", email: "nobody@example.org", net: "203.0.113" },
    ])("$who gets five links an hour from one network, and more from others", async ({ email, net }) => {
      const replies = [];
      for (let i = 0; i < 6; i += 1) replies.push(await request(i % 2 ? email : email.toUpperCase(), `${net}.${i}`));
      expect((await request(email, "192.0.2.200")).status).toBe(201);
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
      const rejected = replies[5];
      expect(rejected?.headers.ratelimit).toMatch(/, "link";r=0;t=3600$/);
      expect([rejected?.headers["retry-after"], JSON.parse(rejected?.text ?? "")]).toEqual([
        "3600",
        expect.objectContaining({
          type: "/problems/too-many-links",
          detail: "Only 5 sign-in links are sent in 3600 seconds. Try again in 3600 seconds.",
        }),
      ]);
    });

    test("an email address gets fifty sign-in links an hour from all networks, and an IPv6 /48 counts as one network", async () => {
      const statuses = new Map<number, number>();
      for (let i = 0; i < 60; i += 1) {
        // Five hosts in each of twelve /48 networks send a request.
        const { status } = await request("target@example.org", `2001:db8:${Math.floor(i / 5)}:${i % 5}::1`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect([...statuses]).toEqual([
        [201, 50],
        [429, 10],
      ]);
      const same = [];
      for (let i = 0; i < 6; i += 1) same.push((await request("other@example.org", `2001:db8:99:${i}::1`)).status);
      expect(same).toEqual([201, 201, 201, 201, 201, 429]);
    });

    test("one client can request five sign-in links an hour, for any email addresses", async () => {
      const statuses = [];
      for (let i = 0; i < 6; i += 1) statuses.push((await request(`any-${i}@example.org`, "192.0.2.77")).status);
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
      // A rejected request does not count towards the limits of the client and of the email address.
      expect((await request("any-5@example.org", "192.0.2.78")).status).toBe(201);
      limited.advance(3600_000);
      expect((await request("any-6@example.org", "192.0.2.77")).status).toBe(201);
    });
  });
});

describe("the email with a sign-in link", () => {
  let world: SignInWorld;
  beforeAll(async () => {
    world = await SignInWorld.make();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("the email with a sign-in link has the same link as text and as HTML, and loads nothing from the web", async () => {
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

  test("the email with a sign-in link is not sent if the request for it is rejected", async () => {
    const before = world.mailbox.received.length;
    for (const body of [{ email: "a@example.org\r\nBcc: b@example.org" }, { email: "a@example.org,b@example.org" }])
      expect((await world.browser().post("/auth/magic/request", body)).status).toBe(400);
    expect(world.mailbox.received.length).toBe(before);
  });

  test("without a mail server, an email is written to a file from which only the owner can copy the link, and the log has the path", async () => {
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
    const [, token = ""] = /^http\S+#token=([\w-]{43})\r$/m.exec(text) ?? [];
    expect(token).not.toBe("");
    expect(world.logged()).not.toContain(token);
    expect((await world.browser({ port }).post("/auth/magic/consume", { token })).status).toBe(201);
  });
});
