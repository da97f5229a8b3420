/**
 * Everything that an account has: claims, saved items, submissions, stored checks, export and erasure. Each test asks a real
 * server, on every database.
 */

import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { accountExport } from "../../schemas/public/account/export.ts";
import { ACCOUNT_LIMITS, accountPage } from "../../schemas/public/account/me.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { decide } from "../../server/accounts/moderation.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { DEPOSITED, startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { ask } from "../server/ask.ts";
import { makeRecordId, type ReleasedStore, releasedStore, SPECIAL, UNLIMITED } from "../server/test-store.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type AccountServer, type Person, problemIn, serveAccounts } from "./world.ts";

const WINNER = makeRecordId(SPECIAL.winner);
const UNKNOWN_RECORD = `r${"0".repeat(24)}`;

let raw: ReleasedStore;
let upstream: Upstream;

beforeAll(async () => {
  raw = await releasedStore();
  upstream = await startUpstream();
}, 300_000);

afterAll(async () => {
  await upstream?.close();
  await raw?.[Symbol.asyncDispose]();
});

const row = z.looseObject({ id: z.string() });
const listOfRows = z.object({ data: z.array(z.looseObject({})), pagination: z.looseObject({ total: z.int() }) });

describeEachDatabase("an account", (newTarget) => {
  let server: AccountServer;
  /** Two researchers with high S-Indexes: `known` has an ORCID iD, and `nameless` has none. */
  let known: ResearcherRow & { readonly orcid: string };
  let nameless: ResearcherRow;
  let others: readonly ResearcherRow[];
  let next = 0;

  beforeAll(async () => {
    const evaluations = { upstreams: upstream.upstreams };
    server = await serveAccounts(raw.store, await newTarget(), { evaluations });
    const researchers = await server.researchers();
    const found = researchers.find(({ orcid }) => orcid !== null);
    const without = researchers.filter(({ orcid }) => orcid === null);
    if (found?.orcid == null || without[0] === undefined) throw new Error("the release lacks researchers");
    known = { ...found, orcid: found.orcid };
    [nameless, ...others] = [without[0], ...without.slice(1)];
  });

  afterAll(() => server?.close());

  /** Returns a researcher without an ORCID iD whom no other test has used. */
  function fresh(): ResearcherRow {
    const researcher = others[next];
    next += 1;
    if (researcher === undefined) throw new Error("the release has too few researchers for these tests");
    return researcher;
  }

  const approve = (id: string) =>
    decide(server.accounts, { id, verdict: "approved", reason: null, by: "moderator", now: server.now() });

  async function approvedClaim(person: Person, { slug }: ResearcherRow): Promise<string> {
    const { id } = row.parse(await person.posted("/account/profile-claims", { authorSlug: slug }));
    await approve(id);
    return id;
  }

  async function hide(researcher: ResearcherRow): Promise<Person> {
    const person = await server.person();
    await approvedClaim(person, researcher);
    const body = { authorSlug: researcher.slug, requestType: "opt_out" };
    await approve(row.parse(await person.posted("/account/visibility-requests", body)).id);
    // The server reads the list of hidden people at intervals, so this waits until it knows the decision.
    while ((await ask(server.port, `/authors/${researcher.slug}`)).status !== 404);
    return person;
  }

  describe("profile claims", () => {
    test("a claim is approved at once if its researcher has the ORCID iD of the account, and the decision is logged", async () => {
      const person = await server.person(known.orcid);
      const claim = await person.posted("/account/profile-claims", { authorSlug: known.slug });
      expect(claim).toMatchObject({ state: "approved", authorId: known.id, researcher: known });
      const { id } = row.parse(claim);
      const events = await server.accounts.db
        .selectFrom("audit_event")
        .selectAll()
        .where("subject_id", "=", id)
        .execute();
      expect(events).toMatchObject([{ actor: "orcid", action: "approved", subject_kind: "claim" }]);
    });

    test("withdrawing a claim deletes its visibility request, and others can then claim the researcher", async () => {
      const [person, other, researcher] = [await server.person(), await server.person(), fresh()];
      const id = await approvedClaim(person, researcher);
      const body = { authorSlug: researcher.slug, requestType: "opt_out" };
      await person.posted("/account/visibility-requests", body);
      await person.deleted(`/account/profile-claims/${id}`);
      expect(listOfRows.parse(await person.got("/account/visibility-requests")).data).toEqual([]);
      expect(problemIn(await person.ask("POST", "/account/visibility-requests", body)).type).toBe("claim-needed");
      await approvedClaim(other, researcher);
    });
  });

  describe("visibility requests", () => {
    test("a hidden researcher can ask to be shown again, and other users cannot tell that the researcher exists", async () => {
      const researcher = fresh();
      const saver = await server.person();
      await saver.posted("/account/saved-authors", { authorSlug: researcher.slug, note: "A colleague." });
      const person = await hide(researcher);
      expect(accountPage.parse(await person.got("/account/me"))).toMatchObject({
        hidden: [{ authorId: researcher.id, authorSlug: researcher.slug }],
        profileClaims: { data: [{ researcher: { name: researcher.name } }] },
      });

      const stranger = await server.person();
      const unknown = await stranger.ask("POST", "/account/saved-authors", { authorSlug: "nobody" });
      for (const [path, rest] of [
        ["/account/saved-authors", {}],
        ["/account/profile-claims", {}],
        ["/account/visibility-requests", { requestType: "opt_in" }],
      ] as const) {
        const reply = await stranger.ask("POST", path, { ...rest, authorSlug: researcher.slug });
        expect([reply.status, reply.text]).toEqual([404, unknown.text.replace("/account/saved-authors", path)]);
      }
      const seen = await saver.got("/account/saved-authors");
      expect(seen).toMatchObject({
        data: [{ authorId: researcher.id, authorSlug: null, note: "A colleague.", researcher: null }],
      });
      expect(JSON.stringify([seen, await saver.got("/account/export")])).not.toContain(researcher.slug);

      const body = { authorSlug: researcher.slug, requestType: "opt_in" };
      await approve(row.parse(await person.posted("/account/visibility-requests", body)).id);
      expect(accountPage.parse(await person.got("/account/me")).hidden).toEqual([]);
      await stranger.posted("/account/saved-authors", { authorSlug: researcher.slug });
    });

    test("a person who erased an account can create another with the same ORCID iD, and claim the same researcher", async () => {
      const researcher = (await server.researchers()).filter(({ orcid }) => orcid !== null).at(-1);
      const orcid = researcher?.orcid ?? "";
      const body = { authorSlug: researcher?.slug, requestType: "opt_out" };
      const first = await server.person(orcid);
      await first.posted("/account/profile-claims", { authorSlug: body.authorSlug });
      await approve(row.parse(await first.posted("/account/visibility-requests", body)).id);
      await first.deleted("/account/me");
      const second = await server.person(orcid);
      expect(second.id).not.toBe(first.id);
      const claim = await second.posted("/account/profile-claims", { authorSlug: body.authorSlug });
      expect(claim).toMatchObject({ state: "approved", authorId: researcher?.id });
      await approve(
        row.parse(await second.posted("/account/visibility-requests", { ...body, requestType: "opt_in" })).id,
      );
      expect(
        await server.accounts.db.selectFrom("hidden_researcher").select("researcher_id").execute(),
      ).not.toContainEqual({
        researcher_id: researcher?.id,
      });
    });
  });

  describe("the media type of a request without a body", () => {
    const TYPES = ["application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded", "?"];
    const ASKED = [
      { method: "POST", path: "/auth/logout", status: 201 },
      { method: "DELETE", path: "/account/me", status: 200 },
      { method: "DELETE", path: `/account/saved-records/${WINNER}`, status: 404 },
    ].flatMap((asked) => [
      ...TYPES.map((type) => ({ ...asked, type, body: undefined })),
      ...TYPES.map((type) => ({ ...asked, type, body: "" })),
    ]);
    test.each(ASKED)(
      "$method $path with the type $type and the body $body returns $status",
      async ({ method, path, status, type, body }) => {
        const person = await server.person();
        const reply = await person.ask(method, path, body, { "content-type": type });
        expect([reply.status, reply.text]).toEqual([status, expect.any(String)]);
      },
    );
  });

  describe("saved records, authors and measurements", () => {
    const SAVED = [
      {
        name: "a record",
        path: "/account/saved-records",
        body: () => ({ recordId: WINNER }),
        shown: () => ({ recordId: WINNER, record: { id: WINNER, score: { status: "scored" } } }),
      },
      {
        name: "an author",
        path: "/account/saved-authors",
        body: () => ({ authorSlug: nameless.slug }),
        shown: () => ({ authorId: nameless.id, authorSlug: nameless.slug, researcher: nameless }),
      },
    ] as const;

    test.each(SAVED)("$name can be saved again with a new note, and is listed once", async ({ path, body, shown }) => {
      const person = await server.person();
      const note = "é".repeat(500);
      const first = await person.posted(path, { ...body(), note, unknownMember: 1 });
      expect(first).toMatchObject({ ...shown(), note });
      const kept = await person.posted(path, body());
      expect(kept).toMatchObject({ note });
      const replaced = await person.posted(path, { ...body(), note: "  two\nlines " });
      expect(replaced).toMatchObject({ note: "two\nlines" });
      const emptied = await person.posted(path, { ...body(), note: "" });
      expect(emptied).toMatchObject({ note: null });
      const times = z.object({ savedAt: z.string(), updatedAt: z.string() });
      expect(times.parse(emptied).savedAt).toBe(times.parse(first).savedAt);
      expect(times.parse(emptied).updatedAt > times.parse(first).updatedAt).toBe(true);
      expect(await person.got(path)).toEqual({
        data: [emptied],
        pagination: { total: 1, page: 1, limit: 10, totalPages: 1, hasNext: false, hasPrev: false },
      });
    });

    describe("a saved record that was merged into another", () => {
      const LOSER = makeRecordId(SPECIAL.loser);
      const CASES = [
        { saved: LOSER, again: WINNER, removed: LOSER },
        { saved: LOSER, again: LOSER, removed: WINNER },
        { saved: WINNER, again: LOSER, removed: LOSER },
      ];
      test.each(CASES)(
        "a record that was saved under the id $saved and again under $again is removed by $removed",
        async ({ saved, again, removed }) => {
          const person = await server.person();
          for (const recordId of [saved, again]) {
            expect(await person.posted("/account/saved-records", { recordId })).toMatchObject({ recordId: WINNER });
          }
          expect(await person.got("/account/saved-records")).toMatchObject({ pagination: { total: 1 } });
          await person.deleted(`/account/saved-records/${removed}`);
          expect(await person.got("/account/saved-records")).toMatchObject({ data: [] });
          for (const id of [WINNER, LOSER]) await person.deleted(`/account/saved-records/${id}`, 404);
        },
      );

      test.each([WINNER, LOSER])(
        "a record that was saved before it was merged into another is found and removed by either id: %s",
        async (id) => {
          const person = await server.person();
          const at = server.now().toISOString();
          const kept = { account_id: person.id, record_id: LOSER, note: "old", saved_at: at, updated_at: at };
          await server.accounts.db.insertInto("saved_record").values(kept).execute();
          expect(await person.posted("/account/saved-records", { recordId: id, note: "new" })).toMatchObject({
            recordId: LOSER,
            note: "new",
            savedAt: at,
            record: { id: WINNER },
          });
          expect(await person.got(`/account/saved-records?recordId=${id}`)).toMatchObject({
            data: [{ recordId: LOSER }],
            pagination: { total: 1 },
          });
          await person.deleted(`/account/saved-records/${id}`);
          expect(await person.got("/account/saved-records")).toMatchObject({ data: [] });
        },
      );
    });

    test("a saved record or author that the current release does not have stays saved, and is shown as null", async () => {
      const person = await server.person();
      const at = server.now().toISOString();
      const kept = { account_id: person.id, note: "old", saved_at: at, updated_at: at };
      const { db } = server.accounts;
      await db
        .insertInto("saved_record")
        .values([
          { ...kept, record_id: UNKNOWN_RECORD },
          { ...kept, record_id: makeRecordId(SPECIAL.loser) },
        ])
        .execute();
      await db
        .insertInto("saved_author")
        .values({ ...kept, researcher_id: `a${"0".repeat(24)}`, slug: "left" })
        .execute();
      expect(await person.got("/account/saved-records")).toMatchObject({
        data: expect.arrayContaining([
          expect.objectContaining({ recordId: UNKNOWN_RECORD, record: null }),
          expect.objectContaining({
            recordId: makeRecordId(SPECIAL.loser),
            record: expect.objectContaining({ id: WINNER }),
          }),
        ]),
      });
      expect(await person.got("/account/saved-authors")).toMatchObject({
        data: [{ authorSlug: "left", researcher: null }],
      });
    });

    test("the pages of saved items list each item once, newest first", async () => {
      const person = await server.person();
      const slugs = (await server.researchers()).slice(-7).map(({ slug }) => slug);
      for (const authorSlug of slugs) await person.posted("/account/saved-authors", { authorSlug });
      const pages = [];
      for (const page of [1, 2, 3, 4]) pages.push(await person.got(`/account/saved-authors?limit=3&page=${page}`));
      const found = pages.flatMap((page) => listOfRows.parse(page).data.map(({ authorSlug }) => authorSlug));
      expect(found).toEqual(slugs.toReversed());
      expect(pages[1]).toMatchObject({
        pagination: { total: 7, page: 2, limit: 3, totalPages: 3, hasNext: true, hasPrev: true },
      });
      expect(pages[3]).toMatchObject({ data: [], pagination: { hasNext: false } });
    });
  });

  describe("dataset submissions", () => {
    test("a dataset that one user submitted cannot be submitted by others until a moderator rejects it", async () => {
      const [person, other] = [await server.person(), await server.person()];
      const identifier = `  https://zenodo.org/records/77000001 `;
      const first = await person.posted("/account/dataset-submissions", { identifier });
      expect(first).toMatchObject({
        identifier: identifier.trim(),
        source: "zenodo",
        sourceId: "77000001",
        rubricVersion: "2.0",
        state: "queued",
        harvestedAt: null,
      });
      for (const same of ["zenodo/77000001", "10.5281/zenodo.77000001"]) {
        const reply = await other.ask("POST", "/account/dataset-submissions", { identifier: same });
        expect(problemIn(reply)).toMatchObject({ status: 409, type: "duplicate" });
      }
      const { id } = row.parse(first);
      expect(await person.got(`/account/dataset-submissions/${id}`)).toEqual(first);
      await decide(server.accounts, { id, verdict: "rejected", reason: "Not data.", by: "m", now: server.now() });
      expect(await person.got(`/account/dataset-submissions/${id}`)).toMatchObject({
        state: "rejected",
        decisionReason: "Not data.",
      });
      await other.posted("/account/dataset-submissions", { identifier: "zenodo/77000001", rubricVersion: "1.0.0" });
    });

    test("only one of ten simultaneous submissions of the same dataset is accepted", async () => {
      const people = await Promise.all(Array.from({ length: 10 }, () => server.person()));
      const body = { identifier: "zenodo/77000002" };
      const replies = await Promise.all(
        people.map((person) => person.ask("POST", "/account/dataset-submissions", body)),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    });

    test("a submission that its user deletes is removed if undecided, and otherwise stays without an owner", async () => {
      const person = await server.person();
      const submit = async (identifier: string) =>
        row.parse(await person.posted("/account/dataset-submissions", { identifier })).id;
      const [queued, accepted] = [await submit("zenodo/77000003"), await submit("zenodo/77000004")];
      await approve(accepted);
      for (const id of [queued, accepted]) {
        await person.deleted(`/account/dataset-submissions/${id}`);
        await person.got(`/account/dataset-submissions/${id}`, 404);
      }
      const left = await server.accounts.db
        .selectFrom("dataset_submission")
        .select(["id", "account_id", "state"])
        .where("id", "in", [queued, accepted])
        .execute();
      expect(left).toEqual([{ id: accepted, account_id: null, state: "accepted" }]);
    });
  });

  describe("measurements", () => {
    test("a measurement (a stored check) contains the response of POST /evaluations", async () => {
      const person = await server.person();
      const fetched = await person.posted("/account/measurements", { identifier: ` zenodo/${DEPOSITED[0]}` });
      expect(fetched).toMatchObject({
        identifier: `zenodo/${DEPOSITED[0]}`,
        rubricVersion: "2.0",
        evaluation: { identifier: `zenodo/${DEPOSITED[0]}`, release: null },
      });
      expect(await person.got(`/account/measurements/${row.parse(fetched).id}`)).toEqual(fetched);
      expect(fetched).toMatchObject(listOfRows.parse(await person.got("/account/measurements")).data[0] ?? {});
      const published = await person.posted("/account/measurements", {
        identifier: SPECIAL.winner,
        rubricVersion: "1.0",
      });
      const page: unknown = JSON.parse((await ask(server.port, `/records/${WINNER}?rubric=1.0`)).text);
      expect(published).toMatchObject({
        recordId: WINNER,
        evaluation: { record: page, release: { releaseDigest: /^sha256:/ } },
      });
    });

    test("a stored measurement does not name a creator who was hidden later", async () => {
      const person = await server.person();
      const researcher = fresh();
      const records = await ask(server.port, `/authors/${researcher.slug}`);
      const { datasets } = z.object({ datasets: z.array(row) }).parse(JSON.parse(records.text));
      const detail = await ask(server.port, `/records/${datasets[0]?.id}`);
      const { identifier } = z.object({ identifier: z.string() }).parse(JSON.parse(detail.text));
      const { id } = row.parse(await person.posted("/account/measurements", { identifier }));
      const before = JSON.stringify(await person.got(`/account/measurements/${id}`));
      expect(before).toContain(researcher.slug);
      await hide(researcher);
      const after = JSON.stringify([
        await person.got(`/account/measurements/${id}`),
        await person.got("/account/export"),
      ]);
      expect(after).not.toContain(researcher.slug);
      expect(after).toContain('"withheld"');
    });
  });

  describe("limits of an account", () => {
    const at = "2026-11-01T00:00:00.000Z";
    const saved = (person: Person) => ({ account_id: person.id, note: null, saved_at: at, updated_at: at });
    const hex = (i: number) => i.toString(16).padStart(24, "0");

    test("an account can save records up to its limit, and at the limit only save an existing one again", async () => {
      const person = await server.person();
      const most = ACCOUNT_LIMITS.savedRecords;
      const { db } = server.accounts;
      for (let first = 0; first < most - 1; first += 2000) {
        const rows = Array.from({ length: Math.min(2000, most - 1 - first) }, (_, i) => ({
          ...saved(person),
          record_id: `r${hex(first + i)}`,
        }));
        await db.insertInto("saved_record").values(rows).execute();
      }
      await person.posted("/account/saved-records", { recordId: WINNER });
      const reply = await person.ask("POST", "/account/saved-records", { recordId: makeRecordId(SPECIAL.failed) });
      expect(problemIn(reply)).toMatchObject({ status: 409, type: "account-full", detail: /10000 saved records/ });
      await person.posted("/account/saved-records", { recordId: WINNER, note: "again" });
      await person.deleted(`/account/saved-records/${WINNER}`);
      await person.posted("/account/saved-records", { recordId: makeRecordId(SPECIAL.failed) });

      const me = await person.ask("GET", "/account/me");
      expect(me.body.length).toBeLessThan(100_000);
      expect(accountPage.parse(JSON.parse(me.text)).savedRecords).toMatchObject({
        pagination: { total: most, limit: 10 },
      });
      const packed = await person.ask("GET", "/account/export", undefined, { "accept-encoding": "gzip" });
      expect([packed.headers["content-encoding"], packed.headers["cache-control"]]).toEqual(["gzip", "no-store"]);
      expect(accountExport.parse(JSON.parse(gunzipSync(packed.body).toString("utf8"))).savedRecords).toHaveLength(most);
      const { savedRecords } = accountExport.parse(await person.got("/account/export"));
      expect(new Set(savedRecords.map(({ recordId }) => recordId)).size).toBe(most);
    });

    test("an account rejects further claims and measurements once it has the maximum number", async () => {
      const person = await server.person();
      const { db } = server.accounts;
      const claims = Array.from({ length: ACCOUNT_LIMITS.profileClaims }, (_, i) => ({
        id: `c${person.id.slice(1, 13)}${hex(i).slice(12)}`,
        account_id: person.id,
        researcher_id: `a${hex(i)}`,
        slug: "x",
        state: "rejected",
        created_at: at,
        decided_at: at,
      }));
      await db.insertInto("profile_claim").values(claims).execute();
      const claim = await person.ask("POST", "/account/profile-claims", { authorSlug: nameless.slug });
      expect(problemIn(claim)).toMatchObject({ status: 409, type: "account-full" });

      const evaluation = JSON.stringify({ record: { authors: [] } });
      const measurements = Array.from({ length: ACCOUNT_LIMITS.measurements }, (_, i) => ({
        id: `m${person.id.slice(1, 13)}${hex(i).slice(12)}`,
        account_id: person.id,
        identifier: "x",
        rubric_version: "2.0",
        record_id: WINNER,
        created_at: at,
        evaluation,
      }));
      await db.insertInto("measurement").values(measurements).execute();
      const asked = upstream.asked.length;
      const reply = await person.ask("POST", "/account/measurements", { identifier: `zenodo/${DEPOSITED[2]}` });
      expect(problemIn(reply)).toMatchObject({ status: 409, type: "account-full" });
      expect(upstream.asked.length).toBe(asked);
    });
  });

  describe("the account, its export and its erasure", () => {
    test("GET /account/me returns the user, the saved items and the limits for the page of the account", async () => {
      const person = await server.person();
      await person.posted("/account/saved-records", { recordId: WINNER });
      const page = accountPage.strict().parse(await person.got("/account/me"));
      expect(page).toMatchObject({
        user: { id: person.id, email: person.email, orcid: null },
        sessions: 1,
        savedRecords: { data: [{ recordId: WINNER }], pagination: { total: 1 } },
        limits: ACCOUNT_LIMITS,
      });
    });

    test("the export of an account is a download that no cache stores, also for HEAD", async () => {
      const person = await server.person();
      const reply = await person.ask("GET", "/account/export");
      expect(reply.headers).toMatchObject({
        "content-disposition": `attachment; filename="share-account-${person.id}.json"`,
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
      });
      expect(accountExport.strict().parse(JSON.parse(reply.text))).toMatchObject({
        user: { id: person.id },
        sessions: [{ method: "mail", agent: "test" }],
      });
      const head = await person.ask("HEAD", "/account/export");
      expect([head.status, head.text, head.headers["content-disposition"]]).toEqual([
        200,
        "",
        reply.headers["content-disposition"],
      ]);
    });
  });

  test("an erasure during other writes of the account deletes all its rows, and no write returns 500", async () => {
    const person = await server.person();
    const write = (i: number) =>
      i === 12
        ? person.ask("DELETE", "/account/me")
        : i % 3 === 0
          ? person.ask("POST", "/account/saved-records", { recordId: WINNER, note: `${i}` })
          : i % 3 === 1
            ? person.ask("POST", "/account/dataset-submissions", { identifier: `zenodo/7800${i}` })
            : person.ask("POST", "/account/profile-claims", { authorSlug: nameless.slug });
    const replies = await Promise.all(Array.from({ length: 36 }, (_, i) => write(i)));
    expect(replies[12]?.status).toBe(200);
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([200, 201, 401, 409]))).toEqual(new Set());
    const { db } = server.accounts;
    for (const table of ["saved_record", "profile_claim", "dataset_submission", "session"] as const) {
      const left = await db.selectFrom(table).select("account_id").where("account_id", "=", person.id).execute();
      expect([table, left]).toEqual([table, []]);
    }
  });

  test("POST /account/measurements and POST /evaluations share one rate limit", async () => {
    const two = { requests: 2, seconds: 60 };
    const strict = await serveAccounts(raw.store, await newTarget(), { quotas: { ...UNLIMITED, evaluation: two } });
    try {
      const person = await strict.person();
      const body = { identifier: SPECIAL.winner, rubricVersion: "2.0" };
      const replies = [];
      for (const path of ["/evaluations", "/account/measurements", "/account/measurements", "/evaluations"]) {
        replies.push(await person.ask("POST", path, body));
      }
      expect(replies.map(({ status }) => status)).toEqual([200, 201, 429, 429]);
    } finally {
      await strict.close();
    }
  });

  test("before the first release, an account can submit datasets and be exported, but saving a record returns 503", async () => {
    await using empty = await temporaryStore();
    const early = await serveAccounts(empty.store, await newTarget());
    try {
      const person = await early.person();
      accountPage.parse(await person.got("/account/me"));
      await person.posted("/account/dataset-submissions", { identifier: "zenodo/77000006" });
      accountExport.parse(await person.got("/account/export"));
      const reply = await person.ask("POST", "/account/saved-records", { recordId: WINNER });
      expect(problemIn(reply)).toMatchObject({ status: 503, type: "no-release" });
    } finally {
      await early.close();
    }
  });
});
