/** API keys from registration to revocation, through a listening server on every database. */

import { afterEach, expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { apiKey, registrationResult } from "../../schemas/public/account/registration.ts";
import { findKey, listKeys, listUsage, newKey, revokeKey } from "../../server/accounts/api-keys.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { keyIn, startTestApp, type TestApp, type TestAppOptions } from "../limits/test-app.ts";
import { ask, type Reply } from "../server/ask.ts";
import { endProcess, startServerChild } from "../support/killing.ts";
import { describeEachDatabase } from "./each-database.ts";

interface Kept {
  readonly name: string;
  readonly email: string;
  readonly description: string | null;
}

const SERVER = new URL("../limits/server-child.ts", import.meta.url);
const NAME = "Ada Lovelace";
const EMAIL = "ada@example.org";
const good = { name: NAME, email: EMAIL };
const kept = { ...good, description: null };

const REGISTRATIONS: readonly { name: string; body: unknown; kept: Kept }[] = [
  {
    name: "a purpose of several lines",
    body: { ...good, description: "one\r\n\ttwo" },
    kept: { ...kept, description: "one\r\n\ttwo" },
  },
  { name: "an empty purpose", body: { ...good, description: " " }, kept },
  { name: "white space around the values", body: { name: ` ${NAME}\n`, email: ` ${EMAIL} ` }, kept },
  {
    name: "values in other scripts",
    body: { name: "山田 太郎 👩‍🔬", email: "jörg@bücher.example" },
    kept: { name: "山田 太郎 👩‍🔬", email: "jörg@bücher.example", description: null },
  },
  {
    name: "values that look like SQL",
    body: { name: "x'); drop table api_key; --", email: "o'hara@example.org" },
    kept: { name: "x'); drop table api_key; --", email: "o'hara@example.org", description: null },
  },
  {
    name: "a name of 200 characters that need two UTF-16 units each",
    body: { ...good, name: "𝒜".repeat(200) },
    kept: { ...kept, name: "𝒜".repeat(200) },
  },
];

const SOMEBODY = { name: "A reader", email: "reader@example.org" };

function register(port: number, body: unknown = SOMEBODY, from?: string): Promise<Reply> {
  return ask(port, "/api-keys/register", {
    method: "POST",
    headers: { "content-type": "application/json", ...(from === undefined ? {} : { "x-forwarded-for": from }) },
    body: JSON.stringify(body),
  });
}

function count(replies: readonly Reply[], status: number): number {
  return replies.filter((reply) => reply.status === status).length;
}

test("an API key is a prefix and 32 characters, and all 62 possible characters are equally likely", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 5000; i += 1) {
    const key = apiKey.parse(newKey());
    for (const character of key.slice("share_live_".length)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const expected = (5000 * 32) / 62;
  expect(counts.size).toBe(62);
  // The limit is ten standard deviations. If 256 byte values were mapped to 62 characters, some would deviate by sixteen.
  for (const seen of counts.values()) expect(Math.abs(seen - expected)).toBeLessThan(10 * Math.sqrt(expected));
});

describeEachDatabase("API keys", (newTarget) => {
  const open: TestApp[] = [];
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close();
  });

  async function serve(target: AccountTarget, options: Omit<TestAppOptions, "target"> = {}): Promise<TestApp> {
    const app = await startTestApp({ trustProxy: "loopback", ...options, target });
    open.push(app);
    return app;
  }

  test.each(REGISTRATIONS)("a registration of a key is accepted and stored with $name", async ({ body, kept }) => {
    const now = new Date("2026-11-02T12:00:00.000Z");
    const { port, accounts } = await serve(await newTarget(), { now: () => now });
    const reply = await register(port, body);
    expect(reply.status).toBe(201);
    expect(reply.headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
    });
    expect(reply.headers.etag).toBeUndefined();
    const result = registrationResult.strict().parse(JSON.parse(reply.text));
    expect(result).toMatchObject({ name: kept.name, email: kept.email, createdAt: now.toISOString() });
    expect(await accounts.db.selectFrom("api_key").select(["name", "email", "description"]).execute()).toEqual([kept]);
  });

  test("a malformed registration of an API key is not stored, and does not count towards the limit", async () => {
    const { port, accounts } = await serve(await newTarget());
    expect((await register(port, { ...good, email: "nobody" })).status).toBe(400);
    expect(await accounts.db.selectFrom("api_key").selectAll().execute()).toEqual([]);
    expect(await accounts.db.selectFrom("attempt_window").selectAll().execute()).toEqual([]);
  });

  test("the store contains neither API keys nor IP addresses, and values are never part of SQL text", async () => {
    const address = "198.51.100.77";
    const target = await newTarget();
    const app = await serve(target);
    const key = keyIn((await register(app.port, { ...SOMEBODY, description: "Tables'; drop" }, address)).text);
    await ask(app.port, "/caller", { headers: { "x-api-key": key } });
    await app.close();
    open.splice(0);

    const queries: { sql: string; values: readonly unknown[] }[] = [];
    const accounts = await openAccounts(target, { onQuery: (sql, values) => queries.push({ sql, values }) });
    const id = await findKey(accounts.db, key);
    const now = new Date();
    const content = JSON.stringify([
      await accounts.db.selectFrom("api_key").selectAll().execute(),
      await accounts.db.selectFrom("api_key_usage").selectAll().execute(),
      await accounts.db.selectFrom("attempt_window").selectAll().execute(),
      await listKeys(accounts.db, now),
      await listUsage(accounts, { id, since: "2026-01-01" }),
      await revokeKey(accounts.db, id ?? "", now),
    ]);
    await accounts.close();
    expect(content).toContain(SOMEBODY.email);
    expect(content).toContain("Tables'; drop");
    for (const secret of [key, key.slice("share_live_".length), address]) expect(content).not.toContain(secret);

    const values = queries.flatMap((query) => query.values.map(String)).filter((value) => value.length > 2);
    expect(values).toEqual(expect.arrayContaining([id, now.toISOString(), "2026-01-01"]));
    for (const { sql } of queries) expect(values.filter((value) => sql.includes(value))).toEqual([]);
  });

  test("an IP address can register three API keys an hour, even if it asks for more at once or the server restarts", async () => {
    const target = await newTarget();
    let now = new Date("2026-11-02T12:00:00.000Z");
    const first = await serve(target, { now: () => now });
    const replies = await Promise.all(Array.from({ length: 12 }, () => register(first.port, SOMEBODY, "192.0.2.1")));
    expect([count(replies, 201), count(replies, 429)]).toEqual([3, 9]);
    const rejected = replies.find(({ status }) => status === 429);
    expect(rejected?.headers["retry-after"]).toBe("3600");
    expect(rejected?.headers.ratelimit).toMatch(/^"anonymous";r=\d+;t=\d+, "registration";r=0;t=3600$/);
    expect(rejected?.headers["ratelimit-policy"]).toMatch(/, "registration";q=3;w=3600$/);
    expect(JSON.parse(rejected?.text ?? "")).toMatchObject({ type: "/problems/too-many-registrations", status: 429 });
    expect((await register(first.port, SOMEBODY, "192.0.2.2")).status).toBe(201);
    await first.close();
    open.splice(0);

    now = new Date("2026-11-02T12:59:59.500Z");
    const { port, accounts } = await serve(target, { now: () => now });
    const again = await register(port, SOMEBODY, "192.0.2.1");
    expect([again.status, again.headers["retry-after"]]).toEqual([429, "1"]);
    now = new Date("2026-11-02T13:00:00.000Z");
    expect((await register(port, SOMEBODY, "192.0.2.1")).status).toBe(201);
    // The attempts of the other address are more than an hour old, so they have been deleted.
    expect(await accounts.db.selectFrom("attempt_window").select("kind").execute()).toHaveLength(1);
  });

  test("registrations from one IPv6 /64 network count as from one address", async () => {
    const { port } = await serve(await newTarget());
    const household = [
      "2001:db8:0:1::1",
      "2001:db8:0:1::2",
      "2001:db8:0:1:ffff::3",
      "2001:db8:0:1:abcd:ef01:2345:6789",
    ];
    const seen: number[] = [];
    for (const address of household) seen.push((await register(port, SOMEBODY, address)).status);
    expect(seen).toEqual([201, 201, 201, 429]);
    expect((await register(port, SOMEBODY, "2001:db8:0:2::1")).status).toBe(201);
  });

  test("two servers with one store accept three of 16 simultaneous registrations from one address", async () => {
    const target = await newTarget();
    const servers = await Promise.all([1, 2].map(() => startServerChild(SERVER, { target })));
    const replies = await Promise.all(Array.from({ length: 16 }, (_, i) => register(servers[i % 2]?.port ?? 0)));
    expect([count(replies, 201), count(replies, 429)]).toEqual([3, 13]);
    for (const server of servers) await server.close();
  });

  test("a server that is killed during registrations loses no key that it returned", async () => {
    const target = await newTarget();
    const server = await startServerChild(SERVER, { target, trustProxy: "loopback" });
    const given: string[] = [];
    const client = async (number: number) => {
      for (let i = 0; ; i += 1) {
        const reply = await register(server.port, SOMEBODY, `10.${number}.${i >> 8}.${i & 255}`).catch(() => null);
        if (reply === null) return;
        given.push(keyIn(reply.text));
        if (given.length === 60) void endProcess(server.process, "SIGKILL");
      }
    };
    await Promise.all([1, 2, 3, 4].map(client));
    const accounts = await openAccounts(target);
    const found = await Promise.all(given.map((key) => findKey(accounts.db, key)));
    await accounts.close();
    expect(given.length).toBeGreaterThanOrEqual(60);
    expect(found.filter((id) => id === null)).toEqual([]);
  });

  test("the requests with a key are counted for each UTC day, summed over servers, and stored when a server closes", async () => {
    const target = await newTarget();
    let now = new Date("2026-11-02T23:59:59.999Z");
    const one = await serve(target, { now: () => now });
    const other = await serve(target, { now: () => now });
    const keys = [await register(one.port), await register(one.port)].map(({ text }) => keyIn(text));
    const use = async (app: TestApp, key = "", requests = 1) => {
      for (let i = 0; i < requests; i += 1) await ask(app.port, "/nothing", { headers: { "x-api-key": key } });
    };
    await use(one, keys[0], 3);
    await use(other, keys[0], 2);
    await use(other, keys[1], 1);
    now = new Date("2026-11-03T00:00:00.000Z");
    await use(one, keys[0], 4);
    for (const app of open.splice(0)) await app.close();

    const accounts = await openAccounts(target);
    const ids = await Promise.all(keys.map((key) => findKey(accounts.db, key)));
    const expected = [
      { id: ids[0], day: "2026-11-02", requests: 5 },
      { id: ids[1], day: "2026-11-02", requests: 1 },
      { id: ids[0], day: "2026-11-03", requests: 4 },
    ];
    const order = (a: { day: string; id: unknown }, b: typeof a) => (a.day + a.id < b.day + b.id ? -1 : 1);
    expect(await listUsage(accounts, { id: null, since: "2026-11-02" })).toEqual(expected.sort(order));
    expect(await listUsage(accounts, { id: ids[0] ?? null, since: "2026-11-03" })).toEqual([expected[2]]);
    const today = (await listKeys(accounts.db, now)).map(({ id, requestsToday }) => ({ id, requestsToday }));
    expect(today).toEqual(
      expect.arrayContaining([
        { id: ids[0], requestsToday: 4 },
        { id: ids[1], requestsToday: 0 },
      ]),
    );
    await accounts.close();
  });

  test("if the requests with a key cannot be stored, the failure is logged once and the number is stored later", async () => {
    const { port, accounts, logged } = await serve(await newTarget());
    const [kept, deleted] = [await register(port), await register(port)].map(({ text }) => keyIn(text));
    const ids = await Promise.all([kept, deleted].map((key) => findKey(accounts.db, key ?? "")));
    await accounts.db.schema.alterTable("api_key_usage").renameTo("elsewhere").execute();
    const headers = { "x-api-key": kept ?? "" };
    await ask(port, "/caller", { headers });
    await ask(port, "/caller", { headers: { "x-api-key": deleted ?? "" } });
    while (logged.length === 0) await ask(port, "/not-modified");
    await ask(port, "/caller", { headers });
    expect(logged.map(({ event }) => event)).toEqual(["usage-not-written"]);
    await accounts.db.schema.alterTable("elsewhere").renameTo("api_key_usage").execute();
    await accounts.db
      .deleteFrom("api_key")
      .where("id", "=", ids[1] ?? "")
      .execute();
    const written = () => listUsage(accounts, { id: null, since: "2026-01-01" });
    while ((await written()).length === 0) await ask(port, "/not-modified");
    expect((await written()).map(({ id, requests }) => ({ id, requests }))).toEqual([{ id: ids[0], requests: 2 }]);
    expect(logged).toHaveLength(1);
  });

  test("a revoked key is rejected at the next request, even if the server has cached it", async () => {
    const target = await newTarget();
    const { port } = await serve(target);
    const key = keyIn((await register(port)).text);
    const status = async () => (await ask(port, "/caller", { headers: { "x-api-key": key } })).status;
    expect(await status()).toBe(200);
    const accounts = await openAccounts(target);
    const id = (await findKey(accounts.db, key)) ?? "";
    const [first, second] = [new Date("2026-11-02T12:00:00.000Z"), new Date("2026-11-03T12:00:00.000Z")];
    expect(await revokeKey(accounts.db, id, first)).toBe(first.toISOString());
    expect(await revokeKey(accounts.db, id, second)).toBe(first.toISOString());
    expect(await revokeKey(accounts.db, "000000000000", first)).toBeNull();
    await accounts.close();
    expect(await status()).toBe(401);
  });
});
