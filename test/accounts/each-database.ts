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

/** Returns a URL or path at which a new, empty store can be created. */
export type NewTarget = () => Promise<AccountTarget>;

/** The hooks and tests of a suite. They get a new, empty place for a store each time they call `newTarget`. */
type Suite = (newTarget: NewTarget) => void;

/** Runs a suite on SQLite, and in every tier but the first on PostgreSQL too. */
export function describeEachDatabase(name: string, suite: Suite): void {
  describeOnSqlite(name, suite);
  if (!IS_FIRST) describeOnPostgres(name, suite);
}

/** Runs a suite on both databases in every tier, because its behaviour depends on the database. */
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
