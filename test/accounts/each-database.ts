/**
 * Runs suites on every database of an account store: always on SQLite, and on PostgreSQL if it is installed and the test tier
 * allows it.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../support/postgres.ts";
import { IS_FIRST } from "../tiers.ts";

/** Returns a place for a new account store: a path for SQLite, or the URL of an empty PostgreSQL database. */
export type NewTarget = () => Promise<AccountTarget>;

/** Declares the hooks and tests of a suite, which call `newTarget` for each account store that they need. */
type Suite = (newTarget: NewTarget) => void;

/** Runs a suite on SQLite, and in every tier but the first on PostgreSQL too. */
export function describeEachDatabase(name: string, suite: Suite): void {
  describeOnSqlite(name, suite);
  if (!IS_FIRST) describeOnPostgres(name, suite);
}

/** Runs a suite on both databases in every tier. It is for behaviour that depends on the database. */
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
