/** Attacks on the data of an account. Each attack is rejected, while the same kind of request from the owner still works. */

import { request as openRequest } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ROUTES } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type ReleasedStore, releasedStore, SPECIAL } from "../server/test-store.ts";
import type { Browser } from "../sign-in/browser.ts";
import { AccountSite, type Body, CHANGING, POSTED, RECORD, SIGNED, textFields } from "./account-site.ts";
import { FORGED } from "./forged-origins.ts";
import { INJECTIONS } from "./injections.ts";
import { describeVerdict, getToken, type SignedIn } from "./site.ts";

/** ASCII letters, each with a letter of another script that looks the same, such as the Cyrillic а for a. */
const TWINS: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  i: "і",
  o: "о",
  p: "р",
  s: "ѕ",
  x: "х",
  y: "у",
};

/** Characters that readers do not see, such as the zero-width space. */
const INVISIBLE = ["\u200b", "\u200d", "\u2060", "\u00ad", "\ufeff", "\u0301", "\u202e"];

/** Characters that look like a hyphen. */
const DASHES = ["\u2010", "\u2011", "\u2212", "\uff0d"];

/** Replaces the first letter by the code point `offset` places later, for example `a` by the full-width `ａ`. */
function moved(text: string, offset: number): string {
  return text.replace(/[a-z]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + offset));
}

/** Returns texts that differ from `text`, although most of them look the same. */
function lookAlikes(text: string): string[] {
  const twins = Object.entries(TWINS).map(([letter, twin]) => text.replace(letter, twin));
  const forged = [
    ...twins,
    // Full-width, mathematical bold and circled letters, which compatibility normalisation turns into plain ones.
    ...[0xff41 - 0x61, 0x1d41a - 0x61, 0x24d0 - 0x61].map((offset) => moved(text, offset)),
    ...INVISIBLE.flatMap((each) => [text + each, text.slice(0, 3) + each + text.slice(3)]),
    ...DASHES.map((dash) => text.replace("-", dash)),
    text.replace(/\d/, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    text.replace("i", "ı"),
  ];
  return [...new Set(forged)].filter((each) => each !== text);
}

let raw: ReleasedStore;
let upstream: Upstream;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
  upstream = await startUpstream();
}, 300_000);

afterAll(async () => {
  await upstream?.close();
  await raw?.[Symbol.asyncDispose]();
});

const row = z.looseObject({ id: z.string() });
const listOfRows = z.object({ data: z.array(z.looseObject({})) });
const parsed = ({ text }: Reply): unknown => JSON.parse(text);

/** Returns the URL of a route in which `key` replaces the parameter. */
const at = ({ path }: Route, key: string): string => path.replace(/\{\w+\}/, encodeURIComponent(key));

describeEachDatabase("an attack on an account", (newTarget) => {
  let of: AccountSite;
  let port: number;
  beforeAll(async () => {
    of = await AccountSite.open(raw, await newTarget(), upstream);
    port = of.site.world.port;
  });
  afterAll(() => of?.[Symbol.asyncDispose]());

  const fetchExport = async ({ browser }: Pick<SignedIn, "browser">) => parsed(await browser.get("/account/export"));

  /** Sends a request with any method and body, as a page of a signed-in user would. */
  const askAs = ({ token }: Pick<SignedIn, "token">, method: string, path: string, body?: string) =>
    ask(port, path, {
      method,
      headers: {
        cookie: `share_session=${token}`,
        origin: of.site.world.origin,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });

  test("CSRF: no page of another origin can change anything at any URL", async () => {
    const victim = await of.person();
    await victim.browser.post("/account/saved-records", { recordId: RECORD, note: "mine" });
    const before = await fetchExport(victim);
    const messages = of.site.world.mailbox.received.length;
    const bodies = new Map<string, Body>();
    for (const route of POSTED.filter(({ ownSite }) => ownSite))
      bodies.set(route.name, await of.honest(route, (await of.person()).browser));
    const asked = of.site.world.mailbox.received.length;
    expect(CHANGING.length).toBeGreaterThanOrEqual(17);
    for (const { name, headers } of FORGED) {
      const from = headers(of.site.world.origin);
      const forged = of.site.browser({ origin: null });
      forged.cookies.set("share_session", victim.token);
      for (const route of CHANGING) {
        const path = at(route, RECORD);
        const reply = await (route.method === "post"
          ? forged.post(path, bodies.get(route.name), from)
          : forged.delete(path, from));
        expect([name, route.name, describeVerdict(reply)]).toEqual([name, route.name, "403 wrong-origin"]);
        expect(reply.headers["set-cookie"]).toBeUndefined();
      }
      // A GET with a header that names another method cannot change anything either.
      const disguised = await forged.get("/account/me", { "x-http-method-override": "DELETE" });
      expect(disguised.status).toBe(200);
      expect((await forged.get("/account/me?_method=DELETE")).status).toBe(400);
    }
    expect(await fetchExport(victim)).toEqual(before);
    expect(of.site.world.mailbox.received.length).toBe(asked);
    expect(asked).toBeGreaterThan(messages);
    // The site's own page may do this, and so may a program, which sends no Origin.
    expect(describeVerdict(await victim.browser.delete(`/account/saved-records/${RECORD}`))).toBe("200");
    const program = of.site.browser({ origin: null });
    program.cookies.set("share_session", victim.token);
    expect(describeVerdict(await program.post("/account/saved-records", { recordId: RECORD }))).toBe("201");
    expect(describeVerdict(await program.delete(`/account/saved-records/${RECORD}`))).toBe("200");
    expect(describeVerdict(await victim.browser.post("/auth/logout"))).toBe("201");
    expect(await of.site.opens(victim.token)).toBe(false);
  });

  /** For each URL with a parameter, creates an object of the owner, and returns the object's key for the URL. */
  const THINGS: Readonly<Record<string, (owner: SignedIn) => Promise<string>>> = {
    "/account/sessions/{id}": async ({ browser }) => {
      const [first] = listOfRows.parse(parsed(await browser.get("/account/sessions"))).data;
      return row.parse(first).id;
    },
    "/account/api-keys/{id}": async ({ browser, user }) => {
      await browser.post("/api-keys/register", { name: "marker of the owner", email: user.email });
      const { apiKeys } = accountPage.parse(parsed(await browser.get("/account/me")));
      return apiKeys[0]?.id ?? "";
    },
    "/account/profile-claims/{id}": ({ browser }) =>
      of.made(browser, "/account/profile-claims", { authorSlug: of.researcher().slug }),
    "/account/visibility-requests/{id}": async ({ browser }) => {
      const researcher = of.researcher();
      await of.approvedClaim(browser, researcher);
      const body = { authorSlug: researcher.slug, requestType: "opt_out", reason: "marker of the owner" };
      return of.made(browser, "/account/visibility-requests", body);
    },
    "/account/saved-records/{recordId}": async ({ browser }) => {
      await browser.post("/account/saved-records", { recordId: RECORD, note: "marker of the owner" });
      return RECORD;
    },
    "/account/saved-authors/{authorId}": async ({ browser }) => {
      const { id, slug } = of.researcher();
      await browser.post("/account/saved-authors", { authorSlug: slug, note: "marker of the owner" });
      return id;
    },
    "/account/saved-repositories/{repository}": async ({ browser }) => {
      await browser.post("/account/saved-repositories", { repository: "Zenodo" });
      return "Zenodo";
    },
    "/account/saved-searches/{query}": async ({ browser }) => {
      await browser.post("/account/saved-searches", { query: "search=marker+of+the+owner" });
      return "search=marker+of+the+owner";
    },
    "/account/dataset-submissions/{id}": ({ browser }) =>
      of.made(browser, "/account/dataset-submissions", { identifier: of.unsubmitted() }),
    "/account/measurements/{id}": ({ browser }) =>
      of.made(browser, "/account/measurements", { identifier: SPECIAL.winner }),
  };

  test("reading or deleting another user's data: no URL shows or deletes the data", async () => {
    const [owner, thief] = [await of.person(), await of.person()];
    const keyed = SIGNED.filter(({ key }) => key !== null);
    // A new URL with a parameter needs an entry here.
    expect(Object.keys(THINGS).sort()).toEqual([...new Set(keyed.map(({ path }) => path))].sort());
    const keys = new Map<string, string>();
    for (const [path, make] of Object.entries(THINGS)) keys.set(path, await make(owner));
    const marks = [owner.user.id, owner.user.email ?? "", "marker of the owner", ...keys.values()];
    const before = await fetchExport(owner);

    for (const route of keyed) {
      const key = keys.get(route.path) ?? "";
      const nobodys = `${key.charAt(0)}${"0".repeat(route.path.startsWith("/account/api-keys") ? 11 : 24)}`;
      const method = route.method.toUpperCase();
      const theirs = await askAs(thief, method, at(route, key));
      const unknown = await askAs(thief, method, at(route, nobodys));
      expect([route.name, theirs.status]).toEqual([route.name, 404]);
      expect(theirs.text.replaceAll(encodeURIComponent(key), "")).toBe(unknown.text.replaceAll(nobodys, ""));
      if (method === "GET") expect((await askAs(thief, "HEAD", at(route, key))).status).toBe(404);
    }
    const smuggled = `accountId=${owner.user.id}&account_id=${owner.user.id}&user=${owner.user.id}&id=${owner.user.id}`;
    for (const route of SIGNED.filter(({ key, method }) => key === null && method === "get")) {
      const { status, text } = await thief.browser.get(`${route.path}?${smuggled}`, { "x-account-id": owner.user.id });
      expect([route.name, status, marks.filter((mark) => text.includes(mark))]).toEqual([route.name, 400, []]);
    }
    const claims = { accountId: owner.user.id, account_id: owner.user.id, id: keys.get("/account/measurements/{id}") };
    for (const route of SIGNED.filter(({ body }) => body !== null)) {
      const honest = await of.honest(route, thief.browser);
      const rejected = await thief.browser.post(`${route.path}?${smuggled}`, { ...honest, ...claims });
      expect([route.name, rejected.status]).toEqual([route.name, 400]);
      const reply = await thief.browser.post(route.path, { ...honest, ...claims });
      expect([route.name, reply.status]).toEqual([route.name, 201]);
    }
    expect((await askAs(thief, "DELETE", `/account/me?${smuggled}`, JSON.stringify(claims))).status).toBe(400);
    expect(describeVerdict(await askAs(thief, "DELETE", "/account/me", JSON.stringify(claims)))).toBe("200");
    expect(await of.site.opens(thief.token)).toBe(false);
    expect(await fetchExport(owner)).toEqual(before);

    // The owner can read and delete all these objects, the session last.
    const readFirst = keyed.toSorted((one, other) => other.method.localeCompare(one.method));
    for (const route of [
      ...readFirst.filter(({ name }) => name !== "session"),
      ...keyed.filter(({ name }) => name === "session"),
    ]) {
      const reply = await askAs(owner, route.method.toUpperCase(), at(route, keys.get(route.path) ?? ""));
      expect([route.name, reply.status]).toEqual([route.name, 200]);
    }
  });

  test("claiming another person's profile: ORCID confirms only the owner of the iD, and then a moderator cannot confirm others", async () => {
    const known = of.researcher({ orcid: true });
    const orcid = known.orcid ?? "";
    const stranger = await of.person();
    const colleague = await of.site.byOrcid({ orcid: "0000-0002-1694-233X", name: known.name });
    const body = {
      authorSlug: known.slug,
      state: "approved",
      orcid,
      decidedAt: "2026-01-01T00:00:00Z",
      user: { orcid },
    };
    const pending = [];
    for (const { browser } of [stranger, colleague]) {
      const claim = await browser.post("/account/profile-claims", body);
      expect(parsed(claim)).toMatchObject({ authorId: known.id, state: "pending", decidedAt: null });
      pending.push(row.parse(parsed(claim)).id);
      const use = await browser.post("/account/visibility-requests", { ...body, requestType: "opt_out" });
      expect(describeVerdict(use)).toBe("403 claim-needed");
    }
    // A slug with another name before the user's own iD leads to the user's own profile, or to none.
    const own = `${known.slug.slice(0, -19)}0000-0002-1694-233X`;
    expect(describeVerdict(await colleague.browser.post("/account/profile-claims", { authorSlug: own }))).toBe(
      "404 researcher-not-found",
    );
    // The researcher signs in with the iD and gets the profile at once. After that, no moderator can give it to others.
    const owner = await of.site.byOrcid({ orcid, name: known.name });
    expect(parsed(await owner.browser.post("/account/profile-claims", { authorSlug: known.slug }))).toMatchObject({
      state: "approved",
    });
    for (const id of pending) await expect(of.approve(id)).rejects.toThrow();
    for (const { browser } of [stranger, colleague]) {
      const use = await browser.post("/account/visibility-requests", { ...body, requestType: "opt_out" });
      expect(describeVerdict(use)).toBe("403 claim-needed");
    }
  });

  test("approving your own visibility request: no endpoint approves a request, and nobody is hidden before a moderator approves it", async () => {
    const person = await of.person();
    const researcher = of.researcher();
    await of.approvedClaim(person.browser, researcher);
    const decided = {
      state: "approved",
      decidedAt: "2026-01-01T00:00:00Z",
      decisionReason: "by myself",
      approve: true,
    };
    const asked = { authorSlug: researcher.slug, requestType: "opt_out", ...decided };
    expect((await person.browser.post("/account/visibility-requests?state=approved", asked)).status).toBe(400);
    const reply = await person.browser.post("/account/visibility-requests", asked);
    const request = row.parse(parsed(reply));
    expect(request).toMatchObject({ state: "pending", decidedAt: null, decisionReason: null });
    const path = `/account/visibility-requests/${request.id}`;
    for (const method of ["PUT", "PATCH", "POST"])
      expect([method, describeVerdict(await askAs(person, method, path, JSON.stringify(decided)))]).toEqual([
        method,
        "405 method-not-allowed",
      ]);
    for (const verb of ["approve", "decide", "moderate"])
      expect((await askAs(person, "POST", `${path}/${verb}`, "{}")).status).toBe(404);
    expect(ROUTES.filter((route) => /moderat|approv|decid|reject/.test(route.path))).toEqual([]);
    // A withdrawn request cannot be decided either.
    expect(describeVerdict(await person.browser.delete(path))).toBe("200");
    expect((await ask(port, `/authors/${researcher.slug}`)).status).toBe(200);
    expect(await of.site.accounts.db.selectFrom("hidden_researcher").selectAll().execute()).toEqual([]);

    const again = { authorSlug: researcher.slug, requestType: "opt_out" };
    await of.approve(await of.made(person.browser, "/account/visibility-requests", again));
    // The server rereads the hidden people at intervals.
    await expect.poll(async () => (await ask(port, `/authors/${researcher.slug}`)).status).toBe(404);
  });

  test("SQL and header injection: every text field stores a value as text, or rejects it", async () => {
    const person = await of.person();
    const tables = await of.site.accounts.db.introspection.getTables();
    const tried = new Set<string>();
    const kept = new Set<string>();
    for (const route of POSTED) {
      const honest = await of.honest(route, person.browser);
      for (const field of textFields(route)) {
        tried.add(`${route.path} ${field}`);
        for (const text of INJECTIONS) {
          const told = `${route.path} ${field} ${JSON.stringify(text)}`;
          const reply = await person.browser.post(route.path, { ...honest, [field]: text });
          expect([told, reply.status < 500, outlandish(reply)]).toEqual([told, true, []]);
          if (reply.status !== 201) continue;
          kept.add(`${route.path} ${field}`);
          const made = z.looseObject({ id: z.string().optional() }).parse(parsed(reply));
          if (field in made) expect([told, made[field]]).toEqual([told, text]);
          // Deletes the stored values to make room for the next.
          if (route.session && made.id !== undefined) await person.browser.delete(`${route.path}/${made.id}`);
        }
      }
    }
    expect([...kept].sort()).toEqual([
      "/account/dataset-submissions identifier",
      "/account/profile-claims evidence",
      "/account/saved-authors note",
      "/account/saved-records note",
      "/account/visibility-requests reason",
      "/api-keys/register description",
      "/api-keys/register name",
    ]);
    expect(tried.size).toBeGreaterThanOrEqual(22);

    // Text outside bodies: keys of paths, queries, cookies and headers.
    for (const text of INJECTIONS) {
      for (const route of SIGNED.filter(({ key }) => key !== null)) {
        const reply = await askAs(person, route.method.toUpperCase(), at(route, text));
        expect([route.name, text, reply.status, outlandish(reply)]).toEqual([route.name, text, 404, []]);
      }
      const query = await person.browser.get(`/account/saved-records?page=${encodeURIComponent(text)}`);
      expect(describeVerdict(query)).toBe("400 invalid-parameter");
      const encoded = encodeURIComponent(text);
      expect(await of.site.opens(encoded)).toBe(false);
      const guess = await ask(port, "/health", { headers: { "x-api-key": encoded } });
      expect(describeVerdict(guess)).toBe("401 bad-api-key");
    }
    const agent = "Mozilla'; drop table session; --";
    const { browser } = await of.person();
    const token = await of.site.world.linkFor("o'brien--or'1'='1@example.org");
    const signed = await browser.post("/auth/magic/consume", { token }, { "user-agent": agent });
    expect(parsed(signed)).toMatchObject({ user: { email: "o'brien--or'1'='1@example.org" } });
    expect(parsed(await browser.get("/account/sessions"))).toMatchObject({ data: [{ agent }] });
    for (const { to, email } of of.site.world.mailbox.received) {
      expect(to).toHaveLength(1);
      expect(email.headers.filter(({ key }) => /^(bcc|cc|set-cookie|location)$/.test(key))).toEqual([]);
    }
    expect(await of.site.accounts.db.introspection.getTables()).toEqual(tables);
    expect(await of.site.opens(person.token)).toBe(true);
  });

  test("oversized and deeply nested bodies: every URL rejects them", async () => {
    const person = await of.person();
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    for (const route of POSTED) {
      const honest = await of.honest(route, person.browser);
      const beside = (more: string) => `${JSON.stringify(honest).slice(0, -1)},"more":${more}}`;
      const post = async (body: string) => describeVerdict(await person.browser.post(route.path, body));
      expect([route.name, await post(beside(`"${"x".repeat(route.largestBody + 1024)}"`))]).toEqual([
        route.name,
        "413 body-too-large",
      ]);
      expect([
        route.name,
        await chunked(person.browser, route.path, `{"a":"${"x".repeat(3 * route.largestBody)}"}`),
      ]).toEqual([route.name, 413]);
      for (const body of [deep(30_000), `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, "[".repeat(60_000)])
        expect([route.name, await post(body)]).toEqual([route.name, "400 invalid-body"]);
      // A body at the limits of size and depth is accepted, and its values do not change other objects.
      const more = `{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"deep":${deep(2000)}}`;
      const taken = await post(beside(`[${more},"${"x".repeat(50_000)}"]`));
      expect([route.name, taken]).toEqual([route.name, expect.stringMatching(/^20[0-2]$/)]);
      expect(Reflect.has({}, "admin")).toBe(false);
    }
    // One of the bodies consumed a link, so there is another session now.
    const now = { token: getToken(person.browser) };
    for (const route of CHANGING.filter(({ method }) => method === "delete")) {
      const reply = await askAs(now, "DELETE", at(route, RECORD), `{"a":"${"x".repeat(65 * 1024)}"}`);
      expect([route.name, describeVerdict(reply)]).toEqual([route.name, "413 body-too-large"]);
    }
    expect(describeVerdict(await person.browser.get("/account/me"))).toBe("200");
  });

  /** Sends a body in pieces without stating its length. */
  function chunked(browser: Browser, path: string, body: string): Promise<number> {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, origin: of.site.world.origin, "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const outgoing = openRequest({ host: "127.0.0.1", port, path, method: "POST", headers }, (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode ?? 0);
      });
      outgoing.on("error", reject);
      outgoing.write(body.slice(0, 1000));
      outgoing.end(body.slice(1000));
    });
  }

  test("unicode confusables in slugs: a similar slug does not open a researcher's page", async () => {
    const person = await of.person();
    const { slug } = of.researcher();
    const forgeries = lookAlikes(slug);
    expect(forgeries.length).toBeGreaterThanOrEqual(12);
    const slugged = POSTED.filter((route) => textFields(route).includes("authorSlug"));
    expect(slugged.length).toBeGreaterThanOrEqual(3);
    for (const forged of forgeries) {
      for (const route of slugged) {
        const body = { requestType: "opt_out", authorSlug: forged };
        const reply = await person.browser.post(route.path, body);
        expect([forged, describeVerdict(reply)]).toEqual([forged, "400 invalid-body"]);
        expect(parsed(reply)).toMatchObject({ errors: [{ path: "authorSlug" }] });
      }
      for (const route of ROUTES.filter(({ subject, key }) => subject === "researcher" && key !== null)) {
        const reply = await ask(port, at(route, forged));
        // A badge states the error in a word.
        const said = route.name === "researcher-badge" ? String(reply.status) : describeVerdict(reply);
        const wanted = route.name === "researcher-badge" ? "404" : "404 researcher-not-found";
        expect([forged, route.name, said]).toEqual([forged, route.name, wanted]);
      }
      expect(describeVerdict(await person.browser.delete(`/account/saved-authors/${encodeURIComponent(forged)}`))).toBe(
        "404 not-saved",
      );
    }
    expect((await person.browser.post("/account/profile-claims", { authorSlug: slug })).status).toBe(201);
    expect((await person.browser.post("/account/saved-authors", { authorSlug: slug })).status).toBe(201);
    expect((await ask(port, `/authors/${slug}`)).status).toBe(200);
  });

  // This test is the last of the suite: it searches the store and the log for everything that the others received.
  test("reading stored data: neither database nor log contains a value that opens an account", async () => {
    const { handed, found } = await of.site.writtenDown();
    expect(handed).toEqual(expect.arrayContaining(["cookie share_session", "key", "link"]));
    expect(found).toEqual([]);
    // Checks that the search works: it finds the values that may be there.
    expect((await of.site.dump()).includes("person-1@example.org")).toBe(true);
    expect(of.site.world.logged()).toContain("/account/visibility-requests");
    expect(of.site.world.logged()).not.toMatch(/example\.org|marker of the owner|drop table|evil/);
  });
});

/** Lists headers that only an injection can have added. */
function outlandish({ headers }: Reply): string[] {
  return ["set-cookie", "location"].filter((name) => /evil/.test(String(headers[name] ?? "")));
}
