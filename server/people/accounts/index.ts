/** The account store: what belongs to people rather than to a release, in SQLite or PostgreSQL behind one interface. */

import { createHmac } from "node:crypto";
import { type Dialect, Kysely, type KyselyConfig } from "kysely";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import { AccountStoreError } from "./error.ts";
import { MIGRATION_MILLISECONDS, migrate } from "./migrate.ts";
import { postgresDialect } from "./postgres.ts";
import { MIGRATIONS } from "./schema/index.ts";
import type { AccountTables } from "./schema/tables.ts";
import { openSqlite } from "./sqlite.ts";
import { NodeSqliteDialect } from "./sqlite-dialect.ts";
import type { AccountTarget } from "./target.ts";

export interface Accounts {
  readonly kind: "sqlite" | "postgres";
  readonly db: Kysely<AccountTables>;
  /**
   * What stands for a value that must not be kept, such as a network address: 64 hex digits, the same for all servers of
   * this store, and of no use without the secret that lies in it.
   */
  pseudonym(value: string): string;
  /** After the last query; the counts of addLimits are written by the server's own close, which comes before. */
  close(): Promise<void>;
}

export interface AccountEffects {
  readonly log: Effects["log"];
  /** Hears every statement as the database gets it, its values apart. */
  readonly onQuery: (sql: string, values: readonly unknown[]) => void;
}

/**
 * Opens the store, makes it where there is none, and brings its tables up to date.
 * @throws AccountStoreError where it cannot be reached, or is newer than this program
 */
export async function openAccounts(target: AccountTarget, effects: Partial<AccountEffects> = {}): Promise<Accounts> {
  const { log = () => undefined, onQuery } = effects;
  const kind = "sqlite" in target ? "sqlite" : "postgres";
  try {
    const dialect = await dialectOf(target, log);
    const hearing: Pick<KyselyConfig, "log"> =
      onQuery === undefined ? {} : { log: ({ query }) => onQuery(query.sql, query.parameters) };
    const db = new Kysely<AccountTables>({ dialect, ...hearing });
    return await prepared(db, kind, () => migrated(target, db, log));
  } catch (error) {
    throw error instanceof AccountStoreError ? error : cannotOpen(target, error);
  }
}

async function dialectOf(target: AccountTarget, log: Effects["log"]): Promise<Dialect> {
  return "sqlite" in target
    ? new NodeSqliteDialect(await openSqlite(target.sqlite))
    : postgresDialect(target.postgres, log);
}

/** Over a connection of its own where there are many: on those of requests nothing may take as long. */
async function migrated(target: AccountTarget, db: Kysely<AccountTables>, log: Effects["log"]): Promise<void> {
  if ("sqlite" in target) return migrate(db, "sqlite", MIGRATIONS);
  const dialect = postgresDialect(target.postgres, log, 2 * MIGRATION_MILLISECONDS);
  await using patient = new Kysely<AccountTables>({ dialect });
  await migrate(patient, "postgres", MIGRATIONS);
}

async function prepared(
  db: Kysely<AccountTables>,
  kind: Accounts["kind"],
  bringUpToDate: () => Promise<void>,
): Promise<Accounts> {
  try {
    await bringUpToDate();
    const { value: secret } = await db
      .selectFrom("secret")
      .select("value")
      .where("name", "=", "pseudonym")
      .executeTakeFirstOrThrow();
    return {
      kind,
      db,
      pseudonym: (value) => createHmac("sha256", secret).update(value).digest("hex"),
      close: () => db.destroy(),
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** The code says what is wrong; a message of the driver could repeat the connection string. */
function cannotOpen(target: AccountTarget, cause: unknown): AccountStoreError {
  const reason = cause instanceof Error && "code" in cause ? `${cause.code}` : "unknown reason";
  const where =
    "sqlite" in target
      ? `${target.sqlite} (${cause instanceof Error ? cause.message : reason}); check that its folder can be written`
      : `at DATABASE_URL (${reason}); check that the server runs, and the user, password and database`;
  return new AccountStoreError(`cannot open the account store ${where}`, { cause });
}
