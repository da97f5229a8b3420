/** A store of accounts as an older program left it. */

import { Kysely } from "kysely";
import { migrate } from "../../server/people/accounts/migrate.ts";
import { postgresDialect } from "../../server/people/accounts/postgres.ts";
import { MIGRATIONS } from "../../server/people/accounts/schema/index.ts";
import type { AccountTables } from "../../server/people/accounts/schema/tables.ts";
import { openSqlite } from "../../server/people/accounts/sqlite.ts";
import { NodeSqliteDialect } from "../../server/people/accounts/sqlite-dialect.ts";
import type { AccountTarget } from "../../server/people/accounts/target.ts";

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
