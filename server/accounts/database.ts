/** The account store: what belongs to people rather than to a release, in SQLite or PostgreSQL behind one interface. */

import { createHmac } from "node:crypto";
import { type Dialect, Kysely, type KyselyConfig, PostgresDialect, sql, type Transaction } from "kysely";
import { Pool, types } from "pg";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { AccountStoreError, type AccountTarget } from "../../pipeline/store/account-target.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import { NodeSqliteDialect, openSqlite } from "./sqlite.ts";
import type { AccountTables } from "./tables.ts";

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

const CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 5000;
/** What one statement may take on the server; a transaction left open by a lost client, too. */
const STATEMENT_MILLISECONDS = 10_000;
/** When even the server says nothing any more. */
const ANSWER_MILLISECONDS = 15_000;

/** The type of `count` and `sum`: our counts stay far below 2^53. */
const INT8 = types.builtins.INT8;

/** `answerMilliseconds`: how long an answer is waited for, whatever the server says. */
export function postgresDialect(
  url: string,
  log: Effects["log"],
  answerMilliseconds = ANSWER_MILLISECONDS,
): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    application_name: "share-release",
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
    idle_in_transaction_session_timeout: STATEMENT_MILLISECONDS,
    query_timeout: answerMilliseconds,
    types: { getTypeParser: (id, format) => (id === INT8 ? Number : types.getTypeParser(id, format)) },
  });
  // A connection that breaks is replaced by the next request. Unheard, the event would end the process: the pool hears it
  // of those that are idle, and we of those that are in use.
  const lost = (error: Error) => log({ level: "warn", event: "account-connection-lost", message: error.message });
  pool.on("connect", (client) => client.on("error", lost));
  pool.on("error", () => undefined);
  return new PostgresDialect({ pool });
}

export interface AccountCounts {
  readonly people: number;
  /** Not expired. */
  readonly sessions: number;
  readonly apiKeys: number;
  readonly claimsPending: number;
  readonly claimsApproved: number;
  readonly visibilityPending: number;
  readonly hiddenResearchers: number;
  readonly submissionsQueued: number;
  /** Accepted, and not harvested yet. */
  readonly submissionsWaiting: number;
  readonly measurements: number;
  /** The last one that ran. */
  readonly migration: number;
}

export async function accountCounts(db: Kysely<AccountTables>, now: Date): Promise<AccountCounts> {
  const { rows } = await sql<AccountCounts>`
    select
      (select count(*) from account) as "people",
      (select count(*) from session where expires_at > ${now.toISOString()}) as "sessions",
      (select count(*) from api_key where revoked_at is null) as "apiKeys",
      (select count(*) from profile_claim where state = 'pending') as "claimsPending",
      (select count(*) from profile_claim where state = 'approved') as "claimsApproved",
      (select count(*) from visibility_request where state = 'pending') as "visibilityPending",
      (select count(*) from hidden_researcher) as "hiddenResearchers",
      (select count(*) from dataset_submission where state = 'queued') as "submissionsQueued",
      (select count(*) from dataset_submission where state = 'accepted' and harvested_at is null) as "submissionsWaiting",
      (select count(*) from measurement) as "measurements",
      (select max(number) from schema_migration) as "migration"`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error("a select without a table gave no row");
  return counts;
}

/** Primary codes of SQLite: busy, locked, no memory, read-only, interrupted, a fault of the disk, a full disk, cannot open. */
const SQLITE = [5, 6, 7, 8, 9, 10, 13, 14];

/** Classes of SQLSTATE: connection, resources, operator intervention, system error (PostgreSQL, Appendix A). */
const POSTGRES = /^(?:08|53|57|58)/;
/** Read-only, deadlock, serialization, a lock that was not to be had. */
const POSTGRES_CODES = ["25006", "40001", "40P01", "55P03"];

/** Of the connection to PostgreSQL. */
const NETWORK = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];

/** Of a connection over a Unix socket: it is gone, or may not be used. Files have the same codes. */
const SOCKET = ["ENOENT", "EACCES"];

/** What the driver says without a code. */
const DRIVER =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

export function isStoreFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return SQLITE.includes(Number(error.errcode) % 256);
  const code = "code" in error ? String(error.code) : "";
  if (SOCKET.includes(code)) return "syscall" in error && error.syscall === "connect";
  if (NETWORK.includes(code)) return "syscall" in error || "errors" in error;
  return (isSqlState(error) && (POSTGRES.test(code) || POSTGRES_CODES.includes(code))) || DRIVER.test(error.message);
}

/** An error that a PostgreSQL has sent has a severity. */
function isSqlState(error: Error): boolean {
  return "severity" in error;
}

/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE = [1555, 2067];

/** unique_violation (PostgreSQL, Appendix A). */
const POSTGRES_UNIQUE = "23505";

/** Errors which say that a value that must be one of its kind is there already. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ("errcode" in error && SQLITE_UNIQUE.includes(Number(error.errcode))) ||
    ("code" in error && error.code === POSTGRES_UNIQUE)
  );
}
