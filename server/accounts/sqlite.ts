/** Opens the SQLite file of an account store, so that what was acknowledged survives a kill and a power cut. */

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
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

/**
 * Two connections to one file: what is only read need not wait for what is being written, here or in another process,
 * and sees nothing of it before it is committed.
 */
export interface SqliteConnections {
  readonly reader: DatabaseSync;
  readonly writer: DatabaseSync;
}

/** The file's folder is made, and the file too, for its owner alone; SQLite gives its companions the same mode. */
export async function openSqlite(path: string): Promise<SqliteConnections> {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  const writer = connect(path);
  try {
    // Readers do not block the writer, nor the writer readers.
    await whenFree(() => writer.exec("pragma journal_mode = wal"));
    // In WAL mode, NORMAL may lose the last transactions to a power cut; a key that was shown must not be lost.
    writer.exec("pragma synchronous = full");
    // What is deleted is overwritten: people ask for that.
    writer.exec("pragma secure_delete = on");
    return { reader: connectReader(path), writer };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function connect(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_MILLISECONDS, enableForeignKeyConstraints: true });
}

function connectReader(path: string): DatabaseSync {
  const reader = connect(path);
  reader.exec("pragma query_only = on");
  return reader;
}

/** SQLite for kysely through Node's own engine; kysely's dialect expects the shape of another package. */
export class NodeSqliteDialect implements Dialect {
  readonly #connections: SqliteConnections;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  createDriver(): Driver {
    const { reader, writer } = this.#connections;
    return new PatientSqliteDriver({ reader: shapeOf(reader), writer: shapeOf(writer) });
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

/** Kysely would let one query in at a time; the driver lets writers wait and readers pass. */
class ManyConnectionsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function shapeOf(database: DatabaseSync) {
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

/** Text, numbers and null are all our tables hold. */
function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  throw new TypeError(`SQLite cannot be given a ${typeof value}`);
}

/** The connection that writes. */
interface WritingDatabase extends SqliteDatabase {
  /** Whether a transaction is open on it. */
  readonly isTransaction: boolean;
}

class PatientSqliteDriver implements Driver {
  readonly #reader: SqliteDriver;
  readonly #writer: SqliteDriver;
  readonly #written: WritingDatabase;
  readonly #turns = new Turns();

  constructor({ reader, writer }: { readonly reader: SqliteDatabase; readonly writer: WritingDatabase }) {
    this.#reader = new SqliteDriver({ database: reader });
    this.#writer = new SqliteDriver({ database: writer });
    this.#written = writer;
  }

  async init(): Promise<void> {
    await Promise.all([this.#reader.init(), this.#writer.init()]);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const [reader, writer] = [await this.#reader.acquireConnection(), await this.#writer.acquireConnection()];
    return new PatientConnection(reader, writer, this.#turns);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await ours(connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  /** A full disk, or one that fails, has undone all of it by then; to undo nothing is an error that would hide that one. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#written.isTransaction) return;
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ours(connection).end();
  }

  async destroy(): Promise<void> {
    await this.#reader.destroy();
    // The last one to close writes back what lies in the log.
    await this.#writer.destroy();
  }
}

function ours(connection: DatabaseConnection): PatientConnection {
  if (!(connection instanceof PatientConnection)) throw new TypeError("the connection is another driver's");
  return connection;
}

class PatientConnection implements DatabaseConnection {
  readonly #reader: DatabaseConnection;
  readonly #writer: DatabaseConnection;
  readonly #turns: Turns;
  /** Ends the turn of a transaction that has begun. */
  #end: (() => void) | null = null;

  constructor(reader: DatabaseConnection, writer: DatabaseConnection, turns: Turns) {
    this.#reader = reader;
    this.#writer = writer;
    this.#turns = turns;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#end !== null) return whenFree(() => this.#writer.executeQuery<R>(query));
    if (SelectQueryNode.is(query.query)) return whenFree(() => this.#reader.executeQuery<R>(query));
    const waiting = patience();
    const end = await this.#turns.take();
    try {
      return await whenFree(() => this.#writer.executeQuery<R>(query), waiting);
    } finally {
      end();
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return (this.#end === null ? this.#reader : this.#writer).streamQuery<R>(query, chunkSize);
  }

  /**
   * Takes the write lock at once. A transaction that began by reading would fail at its first write, without waiting,
   * if another process had written in between.
   */
  async begin(): Promise<void> {
    const waiting = patience();
    this.#end = await this.#turns.take();
    await whenFree(() => this.#writer.executeQuery(CompiledQuery.raw("begin immediate")), waiting);
  }

  end(): void {
    this.#end?.();
    this.#end = null;
  }
}

/** One after the other, in the order of asking. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Returns what ends the turn. */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }
}

/** How long SQLite itself waits, and with it the whole process: the usual commit of another process, and no more. */
const BUSY_MILLISECONDS = 2;

/** How long a statement waits in all, its turn included. */
const PATIENCE_MILLISECONDS = 5000;

/** Between two tries everything else goes on. */
const PAUSE_MILLISECONDS = 10;

/** Begins to wait now; fires when it has been long enough. */
function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MILLISECONDS);
}

/** Tries until the file is free, at least once, and until `waiting` is over: from the first try on where it is not given. */
async function whenFree<T>(work: () => T | Promise<T>, waiting?: AbortSignal): Promise<T> {
  let over = waiting;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      over ??= patience();
      if (over.aborted) throw error;
    }
    await sleep(PAUSE_MILLISECONDS);
  }
}

const SQLITE_BUSY = 5;

/** Whether the file was locked, whatever the extended code. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === SQLITE_BUSY;
}
