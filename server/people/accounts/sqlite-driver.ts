/** The driver that orders the use of an SQLite file: readers at once, writers one after the other, and whoever finds it locked tries again. */

import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  type SqliteDatabase,
  SqliteDriver,
} from "kysely";
import { patience, whenFree } from "./busy.ts";

/** The connection that writes. */
export interface WritingDatabase extends SqliteDatabase {
  /** Whether a transaction is open on it. */
  readonly isTransaction: boolean;
}

export class PatientSqliteDriver implements Driver {
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
