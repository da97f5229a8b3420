/** Makes account stores as older versions of the program left them. */

import { chmod, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { Client } from "pg";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { migrate, postgresDialect } from "../../server/accounts/database.ts";
import { MIGRATIONS } from "../../server/accounts/migrations.ts";
import { NodeSqliteDialect, openSqlite } from "../../server/accounts/sqlite.ts";
import type { AccountTables } from "../../server/accounts/tables.ts";

/** Creates a store with only this number of migrations, runs `work` on it, and closes it. */
export async function withOlder(
  target: AccountTarget,
  migrations: number,
  work: (db: Kysely<AccountTables>) => Promise<void>,
): Promise<void> {
  const [kind, dialect] =
    "sqlite" in target
      ? (["sqlite", new NodeSqliteDialect(await openSqlite(target.sqlite))] as const)
      : (["postgres", postgresDialect(target.postgres, () => undefined)] as const);
  const db = new Kysely<AccountTables>({ dialect });
  await migrate(db, kind, MIGRATIONS.slice(0, migrations));
  await work(db);
  await db.destroy();
}

/**
 * Restores a database that the program made at this commit. The dumps in `earlier/` are from `.dump` of sqlite3 and from
 * pg_dump.
 */
export async function restoreAccounts(target: AccountTarget, commit: string): Promise<void> {
  const kind = "sqlite" in target ? "sqlite" : "postgres";
  const dump = await readFile(join(import.meta.dirname, "earlier", `${commit}-${kind}.dump`), "utf8");
  if ("sqlite" in target) {
    await mkdir(dirname(target.sqlite), { recursive: true });
    const db = new DatabaseSync(target.sqlite);
    db.exec(dump);
    db.close();
    await chmod(target.sqlite, 0o600);
    return;
  }
  const client = new Client(target.postgres);
  await client.connect();
  await client.query(dump);
  await client.end();
}
