/** Suites that run on every database of an account store: always on SQLite, and on PostgreSQL if it is installed and the test tier allows. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../support/postgres.ts";
import { IS_FIRST } from "../tiers.ts";

/** A URL or path at which a new, empty store can be created. */
export type NewTarget = () => Promise<AccountTarget>;

/** `suite` gets a new, empty place for a store on each call, from its hooks and tests. */
type Suite = (newTarget: NewTarget) => void;

/** The first tier tests the store itself on both, and everything above it on SQLite alone. */
export function describeEachDatabase(name: string, suite: Suite): void {
  describeOnSqlite(name, suite);
  if (!IS_FIRST) describeOnPostgres(name, suite);
}

/** For suites of behaviour that differs between databases. */
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
