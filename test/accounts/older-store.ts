/** A store of accounts as an older program left it. */

import { Kysely } from "kysely";
import { migrate } from "../../server/accounts/migrate.ts";
import { MIGRATIONS } from "../../server/accounts/migrations/index.ts";
import { postgresDialect } from "../../server/accounts/postgres.ts";
import { openSqlite } from "../../server/accounts/sqlite.ts";
import { NodeSqliteDialect } from "../../server/accounts/sqlite-dialect.ts";
import type { AccountTables } from "../../server/accounts/tables.ts";
import type { AccountTarget } from "../../server/accounts/target.ts";

/** Makes one with the first so many migrations, and works on it. */
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
