/** Suites on every database an account store may lie in: SQLite always, PostgreSQL where it is installed and the ring has time for it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { IS_FIRST } from "../rings.ts";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../support/postgres.ts";

/** Where a new, empty store may be made. */
export type NewTarget = () => Promise<AccountTarget>;

/** `suite` gets a new, empty place for a store whenever it asks, from its hooks and tests. */
type Suite = (newTarget: NewTarget) => void;

/** The first ring asks the store itself on both, and what is built upon it on SQLite alone. */
export function describeEachDatabase(name: string, suite: Suite): void {
  describeOnSqlite(name, suite);
  if (!IS_FIRST) describeOnPostgres(name, suite);
}

/** For suites of what differs from database to database. */
export function describeBothDatabases(name: string, suite: Suite): void {
  describeOnSqlite(name, suite);
  describeOnPostgres(name, suite);
}

export function describeOnSqlite(name: string, suite: Suite): void {
  describe(`${name}, on SQLite`, () => {
    const folder = mkdtempSync(join(tmpdir(), "share-accounts-"));
    let stores = 0;
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    suite(async () => {
      stores += 1;
      return { sqlite: join(folder, `store-${stores}`, "accounts.sqlite") };
    });
  });
}

export function describeOnPostgres(name: string, suite: Suite): void {
  describe.skipIf(POSTGRES_PROGRAMS === null)(`${name}, on PostgreSQL`, () => {
    let server: Postgres | null = null;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(async () => {
      await server?.stop();
    });
    suite(async () => {
      if (server === null) throw new Error("PostgreSQL is not running");
      return { postgres: await server.database() };
    });
  });
}
