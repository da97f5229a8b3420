/** Brings the tables up to what this program knows: forward only, each migration once, whoever starts at the same time. */

import { type Kysely, sql, type Transaction } from "kysely";
import { AccountStoreError } from "./error.ts";
import type { Migration } from "./schema/migration.ts";
import type { AccountTables } from "./schema/tables.ts";

/** Which lock of a PostgreSQL is ours; any number that nothing else there takes. */
const LOCK = 7_420_225;

/** The time that a migration may take on a PostgreSQL; whoever starts meanwhile waits for as long. */
export const MIGRATION_MILLISECONDS = 600_000;

/**
 * Runs what is missing in one transaction: all of it is there afterwards, or nothing of it.
 * @throws AccountStoreError where the tables are newer than the program
 */
export async function migrate(
  db: Kysely<AccountTables>,
  kind: "sqlite" | "postgres",
  migrations: readonly Migration[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // On SQLite the transaction itself is the lock.
    if (kind === "postgres") await lockPostgres(trx);
    const done = await lastMigration(trx);
    const known = migrations.at(-1)?.number ?? 0;
    if (done > known) throw newer(done, known);
    for (const { number, name, up } of migrations.filter((migration) => migration.number > done)) {
      await up(trx, kind);
      await trx.insertInto("schema_migration").values({ number, name }).execute();
    }
  });
}

/** Held until the transaction ends. A migration may take longer than a request may. */
async function lockPostgres(trx: Transaction<AccountTables>): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(MIGRATION_MILLISECONDS)}, true)`.execute(trx);
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
}

async function lastMigration(trx: Transaction<AccountTables>): Promise<number> {
  await trx.schema
    .createTable("schema_migration")
    .ifNotExists()
    .addColumn("number", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .execute();
  const last = await trx
    .selectFrom("schema_migration")
    .select(({ fn }) => fn.max("number").as("number"))
    .executeTakeFirst();
  return last?.number ?? 0;
}

function newer(done: number, known: number): AccountStoreError {
  return new AccountStoreError(
    `the account store was migrated by a newer program (migration ${done}; this one knows ${known}); start that one, or restore a backup`,
  );
}
