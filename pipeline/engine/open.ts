/** DuckDB, the engine of one machine: the one place that opens it. */

import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { mkdir } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from "@duckdb/node-api";
import { ddl, sqlType, type Table } from "../../schemas/public/tables.ts";
import type { Cell, Engine, GivenRow, GivenTable } from "./engine.ts";
import { advised, CheckError, OutputError, SqlError } from "./errors.ts";
import { DEFAULT_MEMORY } from "./memory.ts";
import { ONLY_PART, partsIn } from "./parts.ts";
import { fillSql, quote, readSql } from "./sql-text.ts";
import { uuidBytes } from "./uuid-bytes.ts";

export type { Cell } from "./engine.ts";
export { quote } from "./sql-text.ts";

export interface DuckDBOptions {
  readonly threads?: number | undefined;
  /** Such as 512MB; beyond it DuckDB spills to `spill`. */
  readonly memory?: string | undefined;
  /** Folder for what does not fit in memory; one of its own in the system's temporary folder, if left out. */
  readonly spill?: string | undefined;
}

/** Tells whoever listens (the tests do) which of our SQL files ran: messages are their URLs. */
const ran = channel("share-release:sql-file");

const MACROS = new URL("./duckdb-macros.sql", import.meta.url);

/** Opens an in-memory database with our macros; close it in a `finally`. */
export async function openDuckDB(options: DuckDBOptions = {}): Promise<Database> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(options.threads ?? cpus().length),
    memory_limit: options.memory ?? DEFAULT_MEMORY,
    preserve_insertion_order: "false",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // By itself the engine would spill into the folder that the command was given in.
    temp_directory: options.spill ?? join(tmpdir(), `share-spill-${randomUUID()}`),
  });
  const database = new Database(instance, await instance.connect());
  await database.runFile(MACROS);
  return database;
}

export class Database implements Engine {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** Connections of the streams that are being read. */
  readonly #streams = new Set<DuckDBConnection>();

  constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  async run(sql: string, parameters?: Record<string, DuckDBValue>): Promise<void> {
    try {
      await this.#connection.run(sql, parameters);
    } catch (cause) {
      throw advised(cause);
    }
  }

  async runFile(file: URL, variables: Readonly<Record<string, string | number>> = {}): Promise<void> {
    const sql = await readSql(file, variables);
    try {
      await this.#connection.run(sql);
    } catch (cause) {
      throw new SqlError(file, cause instanceof Error ? cause.message : String(cause), { cause });
    }
    ran.publish(file);
  }

  async check(file: URL): Promise<void> {
    const statements = await this.#connection.extractStatements(await readSql(file));
    for (let i = 0; i < statements.count; i += 1) {
      const prepared = await statements.prepare(i);
      const reader = await prepared.streamAndReadUntil(20);
      const rows = reader.getRowObjectsJson();
      prepared.destroySync();
      if (rows.length > 0) throw new CheckError(file, rows);
    }
    ran.publish(file);
  }

  /** Makes Parquet files readable under the table's name; `path` may have wildcards. */
  async inputFile(table: Table, path: string): Promise<void> {
    const columns = Object.keys(table.columns).map((name) => `"${name}"`);
    await this.run(`create view ${table.name} as select ${columns.join(", ")} from read_parquet(${quote(path)})`);
  }

  input(table: Table, folder: string): Promise<void> {
    return this.inputFile(table, partsIn(folder));
  }

  /** A table with those of its columns that Parquet files have: an earlier version may have written them, which knew fewer. */
  async tableAsMade(table: Table, path: string): Promise<Table> {
    const described = await this.rows(`describe select * from read_parquet(${quote(path)})`);
    const there = new Set(described.map(({ column_name: name }) => name));
    return { ...table, columns: Object.fromEntries(Object.entries(table.columns).filter(([name]) => there.has(name))) };
  }

  /** Reads a folder that an earlier version may have made: columns it did not know are null. */
  async inputAsMade(table: Table, folder: string): Promise<void> {
    const path = partsIn(folder);
    const made = await this.tableAsMade(table, path);
    const columns = Object.entries(table.columns).map(([name, type]) =>
      name in made.columns ? `"${name}"` : `cast(null as ${sqlType(type)}) as "${name}"`,
    );
    await this.run(`create view ${table.name} as select ${columns.join(", ")} from read_parquet(${quote(path)})`);
  }

  fill(table: GivenTable, rows: readonly GivenRow[]): Promise<void> {
    return this.run(fillSql(table, rows));
  }

  /** Creates an empty table. */
  async create(table: Table): Promise<void> {
    await this.run(ddl(table));
  }

  /** Writes the relation of the table's name as one Parquet file. */
  async outputFile(table: Table, path: string): Promise<number> {
    const columns = Object.keys(table.columns).map((name) => `"${name}"`);
    const order = table.key.map((name) => `"${name}"`).join(", ");
    const select = `select ${columns.join(", ")} from ${table.name} order by ${order}`;
    const copy = `copy (${select}) to ${quote(path)} (format parquet, compression zstd, row_group_size 65536)`;
    try {
      return (await this.#connection.run(copy)).rowsChanged;
    } catch (cause) {
      throw new OutputError(table.name, cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  /** The folder has one part. */
  async output(table: Table, folder: string): Promise<number> {
    await mkdir(folder, { recursive: true });
    return this.outputFile(table, join(folder, ONLY_PART));
  }

  async rows(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, Cell>[]> {
    const reader = await this.#connection.runAndReadAll(sql, parameters);
    return reader.getRowObjectsJS() as Record<string, Cell>[];
  }

  /** Rows in batches of up to 2,048, never all in memory. Values in select order. */
  async *stream(sql: string, parameters?: Record<string, DuckDBValue>): AsyncGenerator<Cell[][]> {
    for await (const chunk of this.#chunks(sql, parameters)) yield chunk.getRows() as Cell[][];
  }

  /** Rows of a select of one column, of their texts (pages/columns.ts): cell by cell takes several times as long. */
  async *streamTexts(sql: string, parameters?: Record<string, DuckDBValue>): AsyncGenerator<Cell[][]> {
    for await (const chunk of this.#chunks(sql, parameters)) {
      yield chunk.getColumnValues(0).map((text) => JSON.parse(String(text)) as Cell[]);
    }
  }

  /** Rows of a select of UUIDs that are never null, many at a time: row after row, 16 bytes a column. */
  async *streamUuids(sql: string): AsyncGenerator<Buffer> {
    for await (const chunk of this.#chunks(sql)) yield uuidBytes(chunk);
  }

  /** Each stream has a connection of its own: a connection that starts another query silently ends the stream it had. */
  async *#chunks(sql: string, parameters?: Record<string, DuckDBValue>): AsyncGenerator<DuckDBDataChunk> {
    const connection = await this.#instance.connect();
    this.#streams.add(connection);
    try {
      const result = await connection.stream(sql, parameters);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk;
      }
    } catch (cause) {
      throw advised(cause);
    } finally {
      this.#streams.delete(connection);
      // A result that is left before its end would hold its memory for as long as the instance lives.
      connection.interrupt();
      connection.closeSync();
    }
  }

  /** A statement that is planned once and run often; it ends with the database. */
  async prepare(sql: string): Promise<Statement> {
    return new Statement(await this.#connection.prepare(sql));
  }

  appender(table: Table): Promise<DuckDBAppender> {
    return this.#connection.createAppender(table.name);
  }

  /** The same tables over a connection of its own, to be interrupted without the others. Leave it in a `finally`. */
  async beside(): Promise<Database> {
    return new Database(this.#instance, await this.#instance.connect());
  }

  /** Ends what is running on the connections of this object, with DuckDB's error. */
  interrupt(): void {
    for (const connection of [this.#connection, ...this.#streams]) connection.interrupt();
  }

  /** Gives up what beside() opened; the tables stay open. */
  leave(): void {
    this.#connection.closeSync();
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A planned statement without parameters. */
export class Statement {
  readonly #prepared: DuckDBPreparedStatement;

  constructor(prepared: DuckDBPreparedStatement) {
    this.#prepared = prepared;
  }

  /** All rows of a small result; values in select order. */
  async rows(): Promise<Cell[][]> {
    const reader = await this.#prepared.runAndReadAll();
    return reader.getRowsJS() as Cell[][];
  }
}
