/**
 * Export and erasure of an account are complete. The tests find every table with an account or email address in the database
 * itself, so that a new table cannot be forgotten.
 */

import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { addKey } from "../../server/accounts/api-keys.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import { decide } from "../../server/accounts/moderation.ts";
import { markHarvested } from "../../server/accounts/submissions.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { makeRecordId, type ReleasedStore, releasedStore, SPECIAL } from "../server/test-store.ts";
import { type AccountServer, type Person, serveAccounts } from "./world.ts";

let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
}, 300_000);

afterAll(() => raw?.[Symbol.asyncDispose]());

/** Columns that say to which person a row belongs. */
const OWNERS = ["account_id", "email"] as const;

/** Columns that the export leaves out, each with the reason. */
const UNSHOWN: Readonly<Record<string, string>> = {
  "session.digest": "only identifies a secret; useless to the person",
  "magic_link.digest": "likewise",
  "api_key.digest": "likewise",
  "api_key.email": "shown as the account's",
  "magic_link.email": "shown as the account's",
  "magic_link.return_to": "the path a link returns to; the link itself shows it",
  "problem_report.state": "always the same: a closed report is deleted",
  "change_mail.id": "each email shows it in the link that stops the emails",
};

const FORM = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };

const row = z.looseObject({ id: z.string() });
const anyRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
type AnyRow = z.infer<typeof anyRow>;

interface Owned {
  readonly table: string;
  readonly owner: (typeof OWNERS)[number] | "id";
}

/**
 * Returns the tables whose rows belong to a person, each with the column that names the owner. The database describes its
 * tables.
 */
async function ownedTables({ db }: Accounts): Promise<Owned[]> {
  const tables = await db.introspection.getTables();
  return tables.flatMap(({ name, columns }): Owned[] => {
    if (name === "account") return [{ table: name, owner: "id" }];
    const owner = OWNERS.find((column) => columns.some((known) => known.name === column));
    return owner === undefined ? [] : [{ table: name, owner }];
  });
}

async function selectRows({ db }: Accounts, { table, owner }: Owned, person: Person): Promise<AnyRow[]> {
  const value = owner === "email" ? person.email : person.id;
  const { rows } = await sql`select * from ${sql.table(table)} where ${sql.ref(owner)} = ${value}`.execute(db);
  return z.array(anyRow).parse(rows.map((each) => ({ ...z.looseObject({}).parse(each) })));
}

/** Returns every row of every table of the store as text. */
async function dump({ db }: Accounts): Promise<string> {
  const parts: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    parts.push(JSON.stringify([name, (await sql`select * from ${sql.table(name)}`.execute(db)).rows]));
  }
  return parts.join("\n");
}

describeEachDatabase("the stored data of a person", (newTarget) => {
  let target: AccountTarget;
  let server: AccountServer;
  let person: Person;
  let slug: string;

  /** Creates a row for the person in every table, with texts such as "marker-claim-decision" that the tests look for. */
  beforeAll(async () => {
    target = await newTarget();
    server = await serveAccounts(raw.store, target);
    person = await server.person();
    const researchers = await server.researchers();
    slug = researchers.find(({ orcid }) => orcid === null)?.slug ?? "";
    const by = { verdict: "approved", by: "moderator", now: server.now() } as const;
    const claim = row.parse(await person.posted("/account/profile-claims", { authorSlug: slug }));
    await decide(server.accounts, { ...by, id: claim.id, reason: "marker-claim-decision" });
    const body = { authorSlug: slug, requestType: "opt_out", reason: "marker-request-reason" };
    const request = row.parse(await person.posted("/account/visibility-requests", body));
    await decide(server.accounts, { ...by, id: request.id, reason: "marker-request-decision" });
    await person.posted("/account/saved-records", {
      recordId: makeRecordId(SPECIAL.winner),
      note: "marker-record-note",
    });
    const saved = { authorSlug: researchers.find((each) => each.slug !== slug)?.slug, note: "marker-author-note" };
    await person.posted("/account/saved-authors", saved);
    await person.posted("/account/saved-repositories", { repository: "Zenodo" });
    await person.posted("/account/saved-searches", { query: "search=soil" });
    await person.ask("POST", "/account/change-mails");
    const submission = { identifier: "zenodo/66000001" };
    const { id } = row.parse(await person.posted("/account/dataset-submissions", submission));
    await decide(server.accounts, { ...by, id, reason: "marker-submission-decision" });
    await markHarvested(server.accounts.db, "zenodo", new Map([["66000001", "kept"]]), server.now());
    await person.posted("/account/measurements", { identifier: SPECIAL.winner });
    const report = { page: "/marker-report-page", text: "marker-report-text", email: "marker-report@example.org" };
    await person.ask("POST", "/report", new URLSearchParams(report).toString(), FORM);
    const key = {
      name: "marker-key-reason",
      email: person.email ?? "",
      description: "marker-key-note",
      isConfirmed: true,
    };
    const ofAnother = { name: "Another", email: "another@example.org" };
    await server.accounts.db.transaction().execute(async (trx) => {
      await addKey(trx, key, server.now());
      await addKey(trx, ofAnother, server.now());
    });
    const at = server.now().toISOString();
    await server.accounts.db
      .insertInto("magic_link")
      .values({ digest: "marker-digest", email: person.email ?? "", return_to: "/", created_at: at, expires_at: at })
      .execute();
  });

  afterAll(() => server?.close());

  describe("the account before its erasure", () => {
    test("the test account has a row in every table that names an account, so that no new table is forgotten", async () => {
      const tables = await ownedTables(server.accounts);
      expect(tables.length).toBeGreaterThanOrEqual(8);
      const rows = await Promise.all(
        tables.map(async (owned) => (await selectRows(server.accounts, owned, person)).length),
      );
      expect(tables.map(({ table }, i) => `${table} ${rows[i]}`)).toEqual(tables.map(({ table }) => `${table} 1`));
    });

    test("the export of an account has every column of its rows, except those that this file lists with a reason", async () => {
      const { text } = await person.ask("GET", "/account/export");
      const missing: string[] = [];
      for (const owned of await ownedTables(server.accounts)) {
        for (const [column, value] of (await selectRows(server.accounts, owned, person)).flatMap(Object.entries)) {
          const name = `${owned.table}.${column}`;
          if (typeof value !== "string" || UNSHOWN[name] !== undefined) continue;
          // Stored JSON is in the export as it is, and other text is escaped as JSON.
          if (!text.includes(value) && !text.includes(JSON.stringify(value).slice(1, -1))) missing.push(name);
        }
      }
      expect(missing).toEqual([]);
    });

    test("the export of an account contains no digest of a secret", async () => {
      const { text } = await person.ask("GET", "/account/export");
      const digests = await server.accounts.db.selectFrom("session").select("digest").execute();
      expect(digests.length).toBeGreaterThan(0);
      for (const secret of ["marker-digest", ...digests.map(({ digest }) => digest)])
        expect(text).not.toContain(secret);
    });
  });

  test("after an erasure, no table and no byte of the SQLite file has data of the person", async () => {
    const before = await dump(server.accounts);
    const traces = [
      person.id,
      person.email ?? "",
      "marker-digest",
      ...(before.match(/marker-[a-z]+-(?:note|reason)/g) ?? []),
    ];
    expect(new Set(traces).size).toBe(8);
    for (const trace of traces) expect(before).toContain(trace);
    expect(await person.deleted("/account/me")).toEqual({ deleted: true });

    for (const owned of await ownedTables(server.accounts)) {
      expect([owned.table, await selectRows(server.accounts, owned, person)]).toEqual([owned.table, []]);
    }
    const after = await dump(server.accounts);
    for (const trace of traces) expect(after).not.toContain(trace);
    const { db } = server.accounts;
    expect(await db.selectFrom("dataset_submission").select(["account_id", "source_id", "state"]).execute()).toEqual([
      { account_id: null, source_id: "66000001", state: "accepted" },
    ]);
    expect(await db.selectFrom("api_key").select("name").execute()).toEqual([{ name: "Another" }]);
    expect(await db.selectFrom("hidden_researcher").select("slug").execute()).toEqual([{ slug }]);
    // The log keeps the three decisions, but no data of the person.
    expect(await db.selectFrom("audit_event").select("actor").execute()).toHaveLength(3);
    if (!("sqlite" in target)) return;
    const bytes = [target.sqlite, `${target.sqlite}-wal`].map((path) => readFileSync(path, "latin1")).join("");
    expect(bytes).toContain("66000001");
    for (const trace of traces) expect(bytes).not.toContain(trace);
  });
});
