/** DuckDB, the engine of one machine: the one place that opens it. */

import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { mkdir } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import {
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import type { ColumnType, ValueOf } from "../../schemas/public/record-columns.ts";
import { FORMULA } from "../../schemas/public/rubric.ts";
import { ddl, sqlType, type Table } from "../../schemas/public/tables.ts";
import { advised, CheckError, fillSql, OutputError, quote, readSql, SqlError } from "./sql-text.ts";

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

/** Bytes of a UUID. */
const UUID = 16;
const WORDS = UUID / 4;

/** The rows of a chunk whose columns are all UUIDs that are never null: row after row, 16 bytes a column. */
export function uuidBytes({ chunk, columnCount, rowCount }: DuckDBDataChunk): Buffer {
  const words = new Uint32Array(WORDS * columnCount * rowCount);
  for (let column = 0; column < columnCount; column += 1) {
    const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, column), UUID * rowCount);
    const cells = new Uint32Array(bytes.buffer, bytes.byteOffset, WORDS * rowCount);
    // A cell is a whole number of 128 bits, lowest word first, its highest bit turned over so that numbers sort as texts do.
    for (let row = 0; row < rowCount; row += 1) {
      const to = WORDS * (row * columnCount + column);
      const from = WORDS * row;
      words[to] = (cells[from + 3] ?? 0) ^ 0x8000_0000;
      words[to + 1] = cells[from + 2] ?? 0;
      words[to + 2] = cells[from + 1] ?? 0;
      words[to + 3] = cells[from] ?? 0;
    }
  }
  return Buffer.from(words.buffer).swap32();
}

/** Where nobody says how much, and what is done holds little of each row. */
export const DEFAULT_MEMORY = "512MB";

const LEAST = Number.parseInt(DEFAULT_MEMORY, 10) * 1e6;

/** Engines that a stage may have open at a time, with room left for what is no engine. */
const SHARES = 4;

/** Bytes of memory that this process may use: those of the machine, or of the container that it runs in. */
export function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}

/**
 * Memory for what joins and sorts whole tables, made of so many bytes on the disk: as much as these, from {@link DEFAULT_MEMORY}
 * on and up to a quarter of what there is. With less, joins that are put on the disk can find no room for what they hold.
 */
export function memoryFor(bytes: number, machine = machineMemory()): string {
  const most = Math.max(machine / SHARES, LEAST);
  return `${Math.ceil(Math.min(Math.max(bytes, LEAST), most) / 1e6)}MB`;
}

/** What the names of parts are like, below the folder of their table. */
export const PART_NAME = /^part-\d{4,}\.parquet$/;

/** The name of a part by its number: those of a table sorted by its key are in the order of their names. */
export function partName(number: number): string {
  return `part-${String(number).padStart(10, "0")}.parquet`;
}

/** The only part, where the engine writes one. */
export const ONLY_PART = "part-0000.parquet";

/** All parts of a folder, as the engine is asked for them: letters of the folder's own name mean nothing else to it. */
export function partsIn(folder: string): string {
  return join(folder.replace(/[[*?]/g, "[$&]"), "part-*.parquet");
}

/** In the order of the Parquet files it is read from, which is that of the table's key. */
export async function writeCsv(db: Database, table: Table, path: string): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, type]) => (type === "text" ? guarded(name) : name));
  await db.run("set preserve_insertion_order = true");
  await db.run(`copy (select ${columns.join(", ")} from ${table.name}) to ${quote(path)} (format csv, header)`);
  await db.run("set preserve_insertion_order = false");
}

/** An apostrophe before it, which spreadsheets do not show. */
function guarded(name: string): string {
  return `case when regexp_matches(${name}, ${quote(FORMULA)}) then '''' || ${name} else ${name} end as ${name}`;
}

/** A value of one of our column types as an engine gives it back. */
export type Cell = string | number | bigint | boolean | null;

/** A table that is handed over, not computed. */
export type GivenTable = Pick<Table, "name" | "columns">;

/** A row of one, every column by its name. */
export type GivenRow = Readonly<Record<string, ValueOf<ColumnType> | null>>;

export interface Engine {
  /** One statement. */
  run(sql: string): Promise<void>;
  /**
   * Every statement of a file. Where it says `getvariable('name')`, it reads the text or number that is given.
   * @throws SqlError naming the file, with the engine's message
   */
  runFile(file: URL, variables?: Readonly<Record<string, string | number>>): Promise<void>;
  /**
   * A file of checks: each statement selects the rows that break one rule, the first column naming the rule.
   * @throws CheckError with the first rows found
   */
  check(file: URL): Promise<void>;
  /** Makes a folder of Parquet files readable under the table's name (parts.ts). */
  input(table: Table, folder: string): Promise<void>;
  /** Writes the relation of the table's name as such a folder, columns and order as the table declares them; gives its rows. */
  output(table: Table, folder: string): Promise<number>;
  /** All rows of a small result, as objects. */
  rows(sql: string): Promise<Record<string, Cell>[]>;
  /** Makes a table of rows at hand, of which there may be none. */
  fill(table: GivenTable, rows: readonly GivenRow[]): Promise<void>;
  /** Gives up all tables. */
  close(): void | Promise<void>;
}
