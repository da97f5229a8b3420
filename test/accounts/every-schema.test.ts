/** Account stores of every earlier schema are migrated to the current one with all their rows. */

import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { openAccounts } from "../../server/accounts/database.ts";
import { MIGRATIONS } from "../../server/accounts/migrations.ts";
import type { AccountTables } from "../../server/accounts/tables.ts";
import { describeBothDatabases } from "./each-database.ts";
import { withOlder } from "./older-store.ts";

type Row = Readonly<Record<string, string | number | null>>;
type Rows = readonly (readonly [table: string, row: Row])[];

const AT = "2026-01-02T03:04:05.000Z";
const LATER = "2026-12-02T03:04:05.000Z";
const RESEARCHER = { researcher_id: `a${"1".repeat(24)}`, slug: "ada-lovelace-0000-0002-1825-0097" };
const OWN = { account_id: "u1" };
const DECIDED = { decision_reason: "Known in person.", created_at: AT, decided_at: AT };

/**
 * Rows by the number of the migration that made them possible, with the columns of that time. A new migration needs a new
 * entry.
 */
const ADDED: Readonly<Record<number, Rows>> = {
  1: [
    ["secret", { name: "kept", value: "v" }],
    [
      "api_key",
      { id: "k1", digest: "d1", name: "N", email: "n@example.org", description: null, created_at: AT, revoked_at: AT },
    ],
    ["api_key_usage", { key_id: "k1", day: "2026-01-02", requests: 7 }],
    ["attempt_window", { kind: "registration", subject: "s", instants: `["${AT}"]`, expires_at: LATER }],
  ],
  2: [
    [
      "evaluation_job",
      {
        id: `j${"1".repeat(32)}`,
        subject: "2.0.0-beta.2 doi:10.5072/x",
        identifier: "10.5072/X",
        rubric_version: "2.0",
        status: "succeeded",
        attempts: 1,
        faults: 0,
        created_at: AT,
        started_at: AT,
        finished_at: AT,
        due_at: null,
        result: "{}",
        error: null,
      },
    ],
  ],
  3: [
    ["account", { id: "u1", name: "Ada", email: "ada@example.org", orcid: "0000-0002-1825-0097", created_at: AT }],
    [
      "session",
      { id: "s1", digest: "sd", ...OWN, method: "mail", agent: null, created_at: AT, seen_at: AT, expires_at: LATER },
    ],
    [
      "magic_link",
      { digest: "ml", email: "a@example.org", return_to: "/", created_at: AT, expires_at: LATER, used_at: AT },
    ],
    ["pending_sign_in", { digest: "ps", return_to: "/", created_at: AT, expires_at: LATER }],
  ],
  4: [
    ["profile_claim", { id: "c1", ...OWN, ...RESEARCHER, state: "approved", ...DECIDED }],
    [
      "visibility_request",
      { id: "v1", ...OWN, ...RESEARCHER, request_type: "opt_out", reason: "r", state: "approved", ...DECIDED },
    ],
    ["hidden_researcher", { ...RESEARCHER, since: AT }],
    ["saved_record", { ...OWN, record_id: "r1", note: null, saved_at: AT, updated_at: AT }],
    ["saved_author", { ...OWN, ...RESEARCHER, note: "n", saved_at: AT, updated_at: AT }],
    [
      "dataset_submission",
      {
        id: "d1",
        ...OWN,
        identifier: "10.5072/x",
        source: "datacite",
        source_id: "10.5072/x",
        rubric_version: "2.0",
        state: "accepted",
        ...DECIDED,
      },
    ],
    [
      "measurement",
      {
        id: "m1",
        ...OWN,
        identifier: "10.5072/x",
        rubric_version: "2.0",
        record_id: "r1",
        repository: null,
        title: "T",
        total: 72,
        created_at: AT,
        evaluation: "{}",
      },
    ],
    [
      "audit_event",
      { at: AT, actor: "ada", action: "approved", subject_kind: "claim", subject_id: "c1", detail: "{}" },
    ],
  ],
  5: [],
  6: [],
  7: [],
  8: [],
  9: [],
  10: [
    ["saved_repository", { ...OWN, repository: "Zenodo", saved_at: AT }],
    ["change_mail", { ...OWN, id: "n1", since: AT, release: null }],
  ],
  11: [],
  12: [
    [
      "api_key",
      {
        ...{ id: "k2", digest: "d2", name: "N", email: "n@example.org", description: null, created_at: AT },
        ...{ revoked_at: null, confirmed: 1 },
      },
    ],
  ],
  13: [
    [
      "problem_report",
      {
        ...{ id: "p1", ...OWN, page: "/", text: "T", reply_to: "a@example.org", state: "pending" },
        ...{ decision_reason: null, created_at: AT, decided_at: null },
      },
    ],
  ],
  14: [],
  15: [["saved_search", { ...OWN, query: "search=soil", saved_at: AT }]],
  16: [["profile_claim", { id: "c2", ...OWN, ...RESEARCHER, evidence: "A page.", state: "rejected", ...DECIDED }]],
  17: [],
};

async function insert(db: Kysely<AccountTables>, [table, row]: Rows[number]): Promise<void> {
  const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(row));
  await sql`insert into ${sql.table(table)} (${names}) values (${values})`.execute(db);
}

describeBothDatabases("a store of an earlier schema", (newTarget) => {
  for (let last = 1; last <= MIGRATIONS.length; last += 1) {
    test(`a database with ${last} migrations is migrated and keeps every row`, async () => {
      const target = await newTarget();
      const rows = MIGRATIONS.slice(0, last).flatMap(({ number }) => ADDED[number] ?? []);
      await withOlder(target, last, async (db) => {
        for (const row of rows) await insert(db, row);
      });
      const accounts = await openAccounts(target);
      try {
        for (const [table, row] of rows) {
          const found = await sql<Row>`select * from ${sql.table(table)}`.execute(accounts.db);
          expect([table, found.rows]).toEqual([table, expect.arrayContaining([expect.objectContaining(row)])]);
        }
        const done = await sql<{ number: number }>`select number from schema_migration order by number`.execute(
          accounts.db,
        );
        expect(done.rows.map(({ number }) => number)).toEqual(MIGRATIONS.map(({ number }) => number));
      } finally {
        await accounts.close();
      }
    });
  }

  test.each([7, 8])("the table of disputes in a database with %i migrations is removed", async (last) => {
    const target = await newTarget();
    await withOlder(target, last, async (db) => {
      for (const row of ADDED[3] ?? []) await insert(db, row);
      await sql`create table dispute (id text primary key,
        account_id text references account (id) on delete set null, state text not null)`.execute(db);
      await sql`create index dispute_account on dispute (account_id)`.execute(db);
      await sql`create unique index dispute_once on dispute (account_id) where state = 'open'`.execute(db);
      await insert(db, ["dispute", { id: "w1", ...OWN, state: "open" }]);
    });
    const accounts = await openAccounts(target);
    try {
      const tables = await accounts.db.introspection.getTables();
      expect(tables.map(({ name }) => name)).not.toContain("dispute");
      expect((await accounts.db.deleteFrom("account").executeTakeFirst()).numDeletedRows).toBe(1n);
    } finally {
      await accounts.close();
    }
  });

  test("the harvest outcome “refused” of an older program becomes “rejected”", async () => {
    const target = await newTarget();
    const [submission] = (ADDED[4] ?? []).filter(([table]) => table === "dataset_submission");
    if (submission === undefined) throw new Error("the rows of migration 4 have no dataset_submission");
    await withOlder(target, 16, async (db) => {
      for (const row of ADDED[3] ?? []) await insert(db, row);
      await insert(db, [submission[0], { ...submission[1], harvested_at: AT, harvest_outcome: "refused" }]);
    });
    const accounts = await openAccounts(target);
    try {
      const rows = await accounts.db.selectFrom("dataset_submission").select("harvest_outcome").execute();
      expect(rows).toEqual([{ harvest_outcome: "rejected" }]);
    } finally {
      await accounts.close();
    }
  });

  test("every migration has an entry in the rows that the tests store", () => {
    expect(Object.keys(ADDED).map(Number)).toEqual(MIGRATIONS.map(({ number }) => number));
  });
});
