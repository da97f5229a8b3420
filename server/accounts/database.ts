/** The account store: a SQLite or PostgreSQL database with the data of users, such as sessions and API keys. */

import { createHmac } from "node:crypto";
import { statSync } from "node:fs";
import { type Dialect, Kysely, type KyselyConfig, PostgresDialect, sql, type Transaction } from "kysely";
import { Pool, types } from "pg";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { AccountStoreError, type AccountTarget } from "../../pipeline/store/account-target.ts";
import { poll } from "../http/poll.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import { NodeSqliteDialect, openSqlite, openSqliteReadOnly, readFileIdentity, SqliteFileGone } from "./sqlite.ts";
import type { AccountTables } from "./tables.ts";

export interface Accounts {
  readonly kind: "sqlite" | "postgres";
  readonly db: Kysely<AccountTables>;
  /**
   * Returns a keyed hash in place of a value that must not be stored, such as an IP address: 64 hex digits, the same on
   * all servers of this store.
   */
  pseudonym(value: string): string;
  /** Closes the store. Call it after the app is closed, because closing the app writes the remaining counts. */
  close(): Promise<void>;
}

/** The pause between attempts to open an unavailable store. */
const REOPEN_MILLISECONDS = 5000;

/** The account store of a server. `standings` can read the hidden researchers even while the file cannot be written. */
export interface ServerAccounts extends Accounts {
  readonly standings: Pick<Accounts, "db">;
}

export interface DatabaseOpening {
  /** True if the store had accounts before. Then an empty database is rejected, because its rows must have been lost. */
  readonly mustExist: () => boolean;
  /** Runs as soon as the accounts are open. */
  readonly onOpen: () => Promise<void>;
}

/**
 * Opens the account store. If it is not available, the server starts without it, because scores can be read without
 * accounts, and tries again every five seconds. Until the store is open, and after its file was removed or replaced,
 * each use throws an error for which `isStoreFault` is true.
 */
export async function openAccountsWhenAvailable(
  target: AccountTarget,
  { log, sleep }: Pick<Effects, "log" | "sleep">,
  { mustExist, onOpen }: DatabaseOpening,
): Promise<ServerAccounts> {
  const closed = new AbortController();
  const state: {
    open: Accounts | null;
    /** The identity of the open SQLite file, which shows whether another file replaced it. */
    file: string | null;
    /** Accounts whose file was removed. They close at the next check of the file, once their queries have ended. */
    removed: Accounts | null;
    readOnly: Accounts["db"] | null;
    logged: string | null;
  } = { open: null, file: null, removed: null, readOnly: null, logged: null };
  // Another machine may write to the file, so the file is opened again for reading at each attempt.
  const replaceReadOnly = async (next: Accounts["db"] | null) => {
    const before = state.readOnly;
    state.readOnly = next;
    await before?.destroy();
  };
  const attempt = async () => {
    try {
      // A file that was open before must not be created again.
      state.open = await openAccounts(target, { log, mustExist: state.file !== null || mustExist() });
      state.file = identifyDatabaseFile(target);
      await replaceReadOnly(null);
      await onOpen();
      if (state.logged !== null) log({ level: "info", event: "accounts-opened" });
      state.logged = null;
    } catch (error) {
      if (!(error instanceof AccountStoreError)) throw error;
      await replaceReadOnly("sqlite" in target ? await openReadOnly(target.sqlite) : null);
      if (state.logged !== error.message) log({ level: "error", event: "accounts-not-opened", message: error.message });
      state.logged = error.message;
    }
  };
  const closeRemoved = async () => {
    const { removed } = state;
    state.removed = null;
    await removed?.close();
  };
  const look = async () => {
    await closeRemoved();
    // Without this check, changes by users would be written to the removed file, and lost.
    if (state.open !== null && identifyDatabaseFile(target) !== state.file) {
      state.logged = "the file was removed or replaced";
      log({ level: "error", event: "accounts-removed", message: state.logged });
      state.removed = state.open;
      state.open = null;
    }
    if (state.open === null) await attempt();
  };
  await attempt();
  const looks = poll(look, REOPEN_MILLISECONDS, sleep, closed.signal);
  const opened = () => {
    if (state.open === null) throw new AccountsUnavailable(`the accounts are not open: ${state.logged}`);
    return state.open;
  };
  return {
    kind: "sqlite" in target ? "sqlite" : "postgres",
    get db() {
      return opened().db;
    },
    standings: {
      get db() {
        return state.open === null && state.readOnly !== null ? state.readOnly : opened().db;
      },
    },
    pseudonym: (value) => opened().pseudonym(value),
    async close() {
      closed.abort();
      await looks;
      await closeRemoved();
      await replaceReadOnly(null);
      await state.open?.close();
    },
  };
}

/** Thrown while the account store is not open, or its hidden researchers were not read yet. */
export class AccountsUnavailable extends Error {
  readonly code = "ERR_ACCOUNTS_UNAVAILABLE";
}

export interface AccountEffects {
  readonly log: Effects["log"];
  /** Receives every statement with its values. */
  readonly onQuery: (sql: string, values: readonly unknown[]) => void;
  /** True if the database must already have its tables. By default, missing tables are created. */
  readonly mustExist: boolean;
}

/**
 * Opens the store, creates it if necessary, and migrates its tables.
 * @throws AccountStoreError if the store cannot be reached, is newer than this program, or is empty although
 * `mustExist` is true
 */
export async function openAccounts(target: AccountTarget, effects: Partial<AccountEffects> = {}): Promise<Accounts> {
  const { log = () => undefined, onQuery, mustExist = false } = effects;
  const kind = "sqlite" in target ? "sqlite" : "postgres";
  try {
    if (mustExist && "sqlite" in target && !hasContent(target.sqlite)) throw lostAccounts(target);
    const dialect = await openDialect(target, log);
    const hearing: Pick<KyselyConfig, "log"> =
      onQuery === undefined ? {} : { log: ({ query }) => onQuery(query.sql, query.parameters) };
    const db = new Kysely<AccountTables>({ dialect, ...hearing });
    return await preparedAccounts(db, kind, async () => {
      if (mustExist && !(await hasTables(db))) throw lostAccounts(target);
      await migrateTarget(target, db, log);
    });
  } catch (error) {
    throw error instanceof AccountStoreError ? error : cannotOpen(target, error);
  }
}

/** Opens the SQLite file for reading only; null if it cannot be read, or has no tables that this program knows. */
async function openReadOnly(path: string): Promise<Accounts["db"] | null> {
  if (!hasContent(path)) return null;
  let db: Accounts["db"] | null = null;
  try {
    db = new Kysely<AccountTables>({ dialect: new NodeSqliteDialect(openSqliteReadOnly(path)) });
    const { number } = await db
      .selectFrom("schema_migration")
      .select(({ fn }) => fn.max("number").as("number"))
      .executeTakeFirstOrThrow();
    if (number !== null && number <= (MIGRATIONS.at(-1)?.number ?? 0)) return db;
  } catch {
    // The attempt to open it for writing has reported the reason.
  }
  await db?.destroy();
  return null;
}

export interface AccountsVersion {
  /** The number of the last migration that the tables have; 0 without tables. */
  readonly stored: number;
  /** The number of the last migration that this program knows. */
  readonly known: number;
}

/**
 * Reads the version of the tables without changing anything. Returns null if the SQLite file is missing or empty.
 * @throws AccountStoreError
 */
export async function accountsVersion(target: AccountTarget): Promise<AccountsVersion | null> {
  const known = MIGRATIONS.at(-1)?.number ?? 0;
  if ("sqlite" in target && !hasContent(target.sqlite)) return null;
  try {
    const dialect =
      "sqlite" in target
        ? new NodeSqliteDialect(openSqliteReadOnly(target.sqlite))
        : postgresDialect(target.postgres, () => undefined);
    await using db = new Kysely<AccountTables>({ dialect });
    if (!(await hasTables(db))) return { stored: 0, known };
    const { number } = await db
      .selectFrom("schema_migration")
      .select(({ fn }) => fn.max("number").as("number"))
      .executeTakeFirstOrThrow();
    return { stored: number ?? 0, known };
  } catch (error) {
    throw cannotOpen(target, error);
  }
}

function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function identifyDatabaseFile(target: AccountTarget): string | null {
  return "sqlite" in target ? readFileIdentity(target.sqlite) : null;
}

async function hasTables(db: Kysely<AccountTables>): Promise<boolean> {
  const tables = await db.introspection.getTables();
  return tables.some(({ name }) => name === "schema_migration");
}

function lostAccounts(target: AccountTarget): AccountStoreError {
  const place = "sqlite" in target ? target.sqlite : "the database at DATABASE_URL";
  return new AccountStoreError(
    `the accounts of this store are lost: ${place} is missing or empty. Without them nobody knows who is hidden. ` +
      "Restore them from a backup, or start `share-release serve --new-accounts` once if they are meant to be empty.",
  );
}

async function openDialect(target: AccountTarget, log: Effects["log"]): Promise<Dialect> {
  return "sqlite" in target
    ? new NodeSqliteDialect(await openSqlite(target.sqlite))
    : postgresDialect(target.postgres, log);
}

/** Migrates the tables. On PostgreSQL, uses a connection of its own, with a longer timeout than requests have. */
async function migrateTarget(target: AccountTarget, db: Kysely<AccountTables>, log: Effects["log"]): Promise<void> {
  if ("sqlite" in target) return migrate(db, "sqlite", MIGRATIONS);
  const dialect = postgresDialect(target.postgres, log, 2 * MIGRATION_MILLISECONDS);
  await using patient = new Kysely<AccountTables>({ dialect });
  await migrate(patient, "postgres", MIGRATIONS);
}

async function preparedAccounts(
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

/** Returns an error with only the error code, because the driver's message could contain the connection string. */
function cannotOpen(target: AccountTarget, cause: unknown): AccountStoreError {
  const reason = cause instanceof Error && "code" in cause ? `${cause.code}` : "unknown reason";
  const where =
    "sqlite" in target
      ? `${target.sqlite} (${cause instanceof Error ? cause.message : reason}); check that its folder can be written`
      : `at DATABASE_URL (${reason}); check that the server runs, and the user, password and database`;
  return new AccountStoreError(`cannot open the account store ${where}`, { cause });
}

/** Key of the PostgreSQL advisory lock for migrations. The number is arbitrary. */
const LOCK = 7_420_225;

/** The time that a migration on PostgreSQL may take. Other servers wait for a migration just as long. */
export const MIGRATION_MILLISECONDS = 600_000;

/**
 * Runs all missing migrations in one transaction.
 * @throws AccountStoreError if the tables are newer than the program
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
    if (done > known) throw newerStore(done, known);
    for (const { number, name, up } of migrations.filter((migration) => migration.number > done)) {
      await up(trx, kind);
      await trx.insertInto("schema_migration").values({ number, name }).execute();
    }
  });
}

/**
 * Lets only one server migrate until the transaction ends. A longer timeout than that of requests allows for slow migrations.
 */
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

function newerStore(done: number, known: number): AccountStoreError {
  return new AccountStoreError(
    `a newer program has migrated the account store (migration ${done}; this one supports ${known}); use the newer program, or restore a backup`,
  );
}

const CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 5000;
/** Timeout of a statement, and of a transaction whose client is lost. */
const STATEMENT_MILLISECONDS = 10_000;
/** Timeout if the database does not respond at all. */
const ANSWER_MILLISECONDS = 15_000;

/** The PostgreSQL type of `count` and `sum`. Its values are read as numbers, because the counts here stay far below 2^53. */
const INT8 = types.builtins.INT8;

/** Returns kysely's dialect for PostgreSQL. `answerMilliseconds` is the timeout for a response of the database. */
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
  // The next query replaces a lost connection. Without a listener, the error event would end the process. `pool.on("error")`
  // listens on idle connections, and `client.on("error")` on connections in use.
  const lost = (error: Error) => log({ level: "warn", event: "account-connection-lost", message: error.message });
  pool.on("connect", (client) => client.on("error", lost));
  pool.on("error", () => undefined);
  return new PostgresDialect({ pool });
}

export interface AccountCounts {
  readonly people: number;
  readonly sessions: number;
  readonly apiKeys: number;
  readonly claimsPending: number;
  readonly claimsApproved: number;
  readonly visibilityPending: number;
  readonly hiddenResearchers: number;
  readonly reportsPending: number;
  readonly submissionsQueued: number;
  /** Submissions that were accepted, but not yet harvested. */
  readonly submissionsWaiting: number;
  readonly measurements: number;
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
      (select count(*) from problem_report) as "reportsPending",
      (select count(*) from dataset_submission where state = 'queued') as "submissionsQueued",
      (select count(*) from dataset_submission where state = 'accepted' and harvested_at is null) as "submissionsWaiting",
      (select count(*) from measurement) as "measurements",
      (select max(number) from schema_migration) as "migration"`.execute(db);
  const [counts] = rows;
  if (counts === undefined)
    throw new Error("the account store returned no row for the counts of accounts and requests; report this");
  return counts;
}

/**
 * Primary error codes of SQLite for an unavailable store: busy, locked, no memory, read-only, interrupted, disk error,
 * damaged, full disk, cannot open, not a database.
 */
const SQLITE = [5, 6, 7, 8, 9, 10, 11, 13, 14, 26];

/**
 * Error classes of PostgreSQL for an unavailable store: connection, missing database, resources, operator intervention,
 * system error (SQLSTATE, Appendix A).
 */
const POSTGRES = /^(?:08|3D|53|57|58)/;
/**
 * Further SQLSTATE codes for an unavailable store: read-only, deadlock, serialization failure, missing table of a lost
 * database, lock not available.
 */
const POSTGRES_CODES = ["25006", "40001", "40P01", "42P01", "55P03"];

/** Network errors of a connection to PostgreSQL. */
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

/** Error codes of a Unix socket that is missing or not permitted. Errors of files have the same codes. */
const SOCKET = ["ENOENT", "EACCES"];

/** Messages of the PostgreSQL driver about a lost connection. These errors have no code. */
const DRIVER =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

export function isStoreFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AccountsUnavailable || error instanceof SqliteFileGone) return true;
  if ("errcode" in error) return SQLITE.includes(Number(error.errcode) % 256);
  const code = "code" in error ? String(error.code) : "";
  if (SOCKET.includes(code)) return "syscall" in error && error.syscall === "connect";
  if (NETWORK.includes(code)) return "syscall" in error || "errors" in error;
  return (isSqlState(error) && (POSTGRES.test(code) || POSTGRES_CODES.includes(code))) || DRIVER.test(error.message);
}

/** True for an error sent by PostgreSQL, which has a severity. */
function isSqlState(error: Error): boolean {
  return "severity" in error;
}

/** SQLite's codes for a value that must be unique: SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE = [1555, 2067];

/** PostgreSQL's code for a value that must be unique: unique_violation (Appendix A). */
const POSTGRES_UNIQUE = "23505";

export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ("errcode" in error && SQLITE_UNIQUE.includes(Number(error.errcode))) ||
    ("code" in error && error.code === POSTGRES_UNIQUE)
  );
}

/** Returns how many entries wait for a moderator or for an evaluation, by queue. Rejects if the database cannot be used. */
export async function waitingEntries(
  { db }: Pick<Accounts, "db">,
  now: Date,
): Promise<Readonly<Record<string, number>>> {
  const counts = await accountCounts(db, now);
  const { evaluations } = await db
    .selectFrom("evaluation_job")
    .select(({ fn }) => fn.countAll<number>().as("evaluations"))
    .where("finished_at", "is", null)
    .executeTakeFirstOrThrow();
  const { claimsPending: claims, visibilityPending: visibility, reportsPending: reports } = counts;
  return { claims, visibility, reports, submissions: counts.submissionsQueued, evaluations };
}
