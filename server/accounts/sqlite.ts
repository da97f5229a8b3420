/** Opens the SQLite file of an account store, so that committed data survives a crash and a power failure. */

import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

/** Two connections to one file, so that reads do not wait for writes. A read only sees committed data. */
export interface SqliteConnections {
  readonly reader: DatabaseSync;
  readonly writer: DatabaseSync;
  /** Checks that the file was not replaced, after each committed write and before the write is reported as done. */
  readonly requireSameFile: () => void;
}

/** Thrown if the file was removed or replaced while open. SQLite does not notice, and writes to the file that is gone. */
export class SqliteFileGone extends Error {
  readonly code = "ERR_SQLITE_FILE_GONE";
}

/** Returns the device and inode of a file, which a file that replaces it does not have. Null if it is missing or empty. */
export function readFileIdentity(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined || stats.size === 0n ? null : `${stats.dev}:${stats.ino}`;
}

/** Creates the file for its owner only, and its folder. SQLite gives its companion files the same mode. */
export async function openSqlite(path: string): Promise<SqliteConnections> {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  const writer = connect(path);
  try {
    // Readers and the writer do not block each other.
    await whenFree(() => writer.exec("pragma journal_mode = wal"));
    // In WAL mode, NORMAL may lose the last transactions in a power failure, for example a new API key.
    writer.exec("pragma synchronous = full");
    // Deleted data is overwritten.
    writer.exec("pragma secure_delete = on");
    const identity = readFileIdentity(path);
    const requireSameFile = () => {
      if (readFileIdentity(path) !== identity)
        throw new SqliteFileGone(
          `${path} was removed or replaced; restore it if necessary, then start the server again`,
        );
    };
    return { reader: connectReader(path), writer, requireSameFile };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * Opens a file that can only be read, for example because the disk is read-only.
 * @throws an error of SQLite if the file cannot be read
 */
export function openSqliteReadOnly(path: string): SqliteConnections {
  const settings = { readOnly: true, timeout: BUSY_MILLISECONDS };
  // Without a log, no process has the file open. SQLite then needs `immutable`, because it cannot create a log here.
  const isClosed = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const url = pathToFileURL(path);
  if (isClosed) url.searchParams.set("immutable", "1");
  const [reader, writer] = [new DatabaseSync(url, settings), new DatabaseSync(url, settings)];
  return { reader, writer, requireSameFile: () => undefined };
}

function connect(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_MILLISECONDS, enableForeignKeyConstraints: true });
}

function connectReader(path: string): DatabaseSync {
  const reader = connect(path);
  reader.exec("pragma query_only = on");
  return reader;
}

/** Connects Kysely to `node:sqlite`, because Kysely's own dialect is for another package. */
export class NodeSqliteDialect implements Dialect {
  readonly #connections: SqliteConnections;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  createDriver(): Driver {
    const { reader, writer, requireSameFile } = this.#connections;
    return new QueueingSqliteDriver({ reader: adaptDatabase(reader), writer: adaptDatabase(writer) }, requireSameFile);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new ManyConnectionsAdapter();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

/**
 * Tells Kysely that the driver can use several connections. Otherwise Kysely would run one query at a time, but this
 * driver lets readers run while writers wait for each other.
 */
class ManyConnectionsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function adaptDatabase(database: DatabaseSync) {
  return {
    get isTransaction() {
      return database.isTransaction;
    },
    close: () => database.close(),
    prepare(sql: string) {
      const statement = database.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...parameters.map(bindable)),
        run: (parameters: readonly unknown[]) => statement.run(...parameters.map(bindable)),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...parameters.map(bindable)),
      };
    },
  };
}

/** Returns the value as SQLite accepts it. The tables contain only text, numbers and null. */
function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  throw new TypeError(
    `the account tables store only text, numbers and null, but the value to store is of the type ${typeof value}`,
  );
}

interface WritingDatabase extends SqliteDatabase {
  readonly isTransaction: boolean;
}

class QueueingSqliteDriver implements Driver {
  readonly #reader: SqliteDriver;
  readonly #writer: SqliteDriver;
  readonly #written: WritingDatabase;
  readonly #turns = new Turns();
  readonly #requireSameFile: () => void;

  constructor(
    { reader, writer }: { readonly reader: SqliteDatabase; readonly writer: WritingDatabase },
    requireSameFile: () => void,
  ) {
    this.#requireSameFile = requireSameFile;
    this.#reader = new SqliteDriver({ database: reader });
    this.#writer = new SqliteDriver({ database: writer });
    this.#written = writer;
  }

  async init(): Promise<void> {
    await Promise.all([this.#reader.init(), this.#writer.init()]);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const [reader, writer] = [await this.#reader.acquireConnection(), await this.#writer.acquireConnection()];
    return new QueueingConnection(reader, writer, this.#turns, this.#requireSameFile);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await asOwn(connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
    this.#requireSameFile();
  }

  /** Rolls back, unless SQLite has already done so after a disk error. A second rollback would fail and hide that error. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#written.isTransaction) return;
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    asOwn(connection).end();
  }

  async destroy(): Promise<void> {
    await this.#reader.destroy();
    // The last connection to close writes the log back.
    await this.#writer.destroy();
  }
}

function asOwn(connection: DatabaseConnection): QueueingConnection {
  if (!(connection instanceof QueueingConnection))
    throw new TypeError(
      "a connection that another database driver opened was passed to the SQLite driver; report this",
    );
  return connection;
}

class QueueingConnection implements DatabaseConnection {
  readonly #reader: DatabaseConnection;
  readonly #writer: DatabaseConnection;
  readonly #turns: Turns;
  readonly #requireSameFile: () => void;
  #end: (() => void) | null = null;

  constructor(reader: DatabaseConnection, writer: DatabaseConnection, turns: Turns, requireSameFile: () => void) {
    this.#reader = reader;
    this.#writer = writer;
    this.#turns = turns;
    this.#requireSameFile = requireSameFile;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#end !== null) return whenFree(() => this.#writer.executeQuery<R>(query));
    if (SelectQueryNode.is(query.query)) return whenFree(() => this.#reader.executeQuery<R>(query));
    const waiting = waitSignal();
    const end = await this.#turns.take();
    try {
      const result = await whenFree(() => this.#writer.executeQuery<R>(query), waiting);
      this.#requireSameFile();
      return result;
    } finally {
      end();
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return (this.#end === null ? this.#reader : this.#writer).streamQuery<R>(query, chunkSize);
  }

  /**
   * Begins a transaction and takes the write lock at once. A transaction that starts with a read would fail at its
   * first write if another process has written in between.
   */
  async begin(): Promise<void> {
    const waiting = waitSignal();
    this.#end = await this.#turns.take();
    await whenFree(() => this.#writer.executeQuery(CompiledQuery.raw("begin immediate")), waiting);
  }

  end(): void {
    this.#end?.();
    this.#end = null;
  }
}

class Turns {
  #last: Promise<void> = Promise.resolve();

  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }
}

/** The time in milliseconds that SQLite itself waits, which blocks the process. It suffices for a usual commit. */
const BUSY_MILLISECONDS = 2;

/** The time that a statement may wait in all, including the time for its turn. */
const PATIENCE_MILLISECONDS = 5000;

/** The pause between two attempts, in which other work runs. */
const PAUSE_MILLISECONDS = 10;

/** Returns a signal that fires when a statement has waited long enough. */
function waitSignal(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MILLISECONDS);
}

/**
 * Repeats `work` while the file is locked, until `waiting` fires. Without `waiting`, gives up PATIENCE_MILLISECONDS
 * after the first failure.
 */
async function whenFree<T>(work: () => T | Promise<T>, waiting?: AbortSignal): Promise<T> {
  let over = waiting;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      over ??= waitSignal();
      if (over.aborted) throw error;
    }
    await sleep(PAUSE_MILLISECONDS);
  }
}

const SQLITE_BUSY = 5;

/** True for the error SQLITE_BUSY, which means that the file was locked, and for its extended codes. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === SQLITE_BUSY;
}
