/** An account store as an older program left it. */

import { Kysely } from "kysely";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { migrate, postgresDialect } from "../../server/accounts/database.ts";
import { MIGRATIONS } from "../../server/accounts/migrations.ts";
import { NodeSqliteDialect, openSqlite } from "../../server/accounts/sqlite.ts";
import type { AccountTables } from "../../server/accounts/tables.ts";

/** Creates one with the first so many migrations, and runs `work` on it. */
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
