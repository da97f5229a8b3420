/** Defines the interface of engines, and implements it with DuckDB for one machine. No other file opens DuckDB. */

import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type {
  DuckDBAppender,
  DuckDBBitValue,
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBValue,
} from "@duckdb/node-api";
import { FORMULA } from "../../schemas/public/csv.ts";
import type { ColumnType, ValueOf } from "../../schemas/public/record-columns.ts";
import { ddl, sqlType, type Table } from "../../schemas/public/tables.ts";
import { DEFAULT_MEMORY } from "./memory.ts";
import { addAdvice, CheckError, fillSql, OutputError, quote, readSql, SqlError } from "./sql-text.ts";

export { quote } from "./sql-text.ts";

export interface DuckDBOptions {
  readonly threads?: number | undefined;
  /** DuckDB's memory limit, such as 512MB. Data beyond it are written to the folder `spill`. */
  readonly memory?: string | undefined;
  /** Folder for data that do not fit into the memory; by default a new one in the system's temporary folder. */
  readonly spill?: string | undefined;
  /** Limit of spilled data on the disk, such as 8GB; by default most of the free space. */
  readonly spillLimit?: string | undefined;
}

const ran = channel("share-release:sql-file");

const MACROS = new URL("./duckdb-macros.sql", import.meta.url);

const load = createRequire(import.meta.url);

/**
 * Loads DuckDB, but only when it is first needed. Most commands do not need it, and loading its modules would take
 * longer than the command itself.
 */
const loadDuckDB = (): typeof import("@duckdb/node-api") => load("@duckdb/node-api");
const loadBindings = (): typeof import("@duckdb/node-bindings") => load("@duckdb/node-bindings");

/** Returns the name of DuckDB and its version, such as `DuckDB v1.5.6`. */
export function describeDuckDB(): string {
  return `DuckDB ${loadDuckDB().version()}`;
}

/** A parameter of the type BIT. */
export type Bits = DuckDBBitValue;

/** Returns bits as a query parameter, given the bytes of {@link Database.positionBits}. */
export function toBits(bytes: Uint8Array): Bits {
  return new (loadDuckDB().DuckDBBitValue)(bytes);
}

/** Opens an in-memory database with our macros. Close it in a `finally`. */
export async function openDuckDB(options: DuckDBOptions = {}): Promise<Database> {
  const instance = await loadDuckDB().DuckDBInstance.create(":memory:", {
    threads: String(options.threads ?? cpus().length),
    memory_limit: options.memory ?? DEFAULT_MEMORY,
    preserve_insertion_order: "false",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // By default, the engine would spill into the working directory.
    temp_directory: options.spill ?? join(tmpdir(), `share-spill-${randomUUID()}`),
  });
  const database = new Database(instance, await instance.connect());
  // DuckDB 1.5 ignores this setting if it is given with the others.
  if (options.spillLimit !== undefined)
    await database.run(`set max_temp_directory_size = ${quote(options.spillLimit)}`);
  await database.runFile(MACROS);
  return database;
}

export class Database implements Engine {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** Connections on which results are still being read. */
  readonly #streams = new Set<DuckDBConnection>();

  constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  async run(sql: string, parameters?: Record<string, DuckDBValue>): Promise<void> {
    try {
      await this.#connection.run(sql, parameters);
    } catch (cause) {
      throw addAdvice(cause);
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

  /** Makes Parquet files readable under the name of the table. `path` may have wildcards. */
  async inputFile(table: Table, path: string): Promise<void> {
    const columns = Object.keys(table.columns).map((name) => `"${name}"`);
    await this.run(`create view ${table.name} as select ${columns.join(", ")} from read_parquet(${quote(path)})`);
  }

  input(table: Table, folder: string): Promise<void> {
    return this.inputFile(table, partsIn(folder));
  }

  /**
   * Returns the table without the columns that are missing in the Parquet files, because an earlier version may have
   * written the files.
   */
  async tableInFiles(table: Table, path: string): Promise<Table> {
    const described = await this.rows(`describe select * from read_parquet(${quote(path)})`);
    const presentColumns = new Set(described.map(({ column_name: name }) => name));
    const known = Object.entries({ ...table.columns, ...table.former });
    return { ...table, columns: Object.fromEntries(known.filter(([name]) => presentColumns.has(name))) };
  }

  /** Makes a table readable whose files an earlier version may have written. Columns that the files lack are null. */
  async inputOlder(table: Table, folder: string): Promise<void> {
    const path = partsIn(folder);
    const made = await this.tableInFiles(table, path);
    const columns = Object.entries(table.columns).map(([name, type]) =>
      name in made.columns ? `"${name}"` : `cast(null as ${sqlType(type)}) as "${name}"`,
    );
    const former = Object.keys(table.former ?? {}).filter((name) => name in made.columns);
    await this.run(
      `create view ${table.name} as select ${[...columns, ...former].join(", ")} from read_parquet(${quote(path)})`,
    );
  }

  fill(table: RowsTable, rows: readonly RowsTableRow[]): Promise<void> {
    return this.run(fillSql(table, rows));
  }

  async create(table: Table): Promise<void> {
    await this.run(ddl(table));
  }

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

  /** Writes the table as a single Parquet file. */
  async output(table: Table, folder: string): Promise<number> {
    await mkdir(folder, { recursive: true });
    return this.outputFile(table, join(folder, ONLY_PART));
  }

  async rows(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, Cell>[]> {
    const reader = await this.#connection.runAndReadAll(sql, parameters);
    return reader.getRowObjectsJS() as Record<string, Cell>[];
  }

  /** Yields rows in batches of up to 2,048. The values of a row have the order of the select list. */
  async *stream(sql: string, parameters?: Record<string, DuckDBValue>): AsyncGenerator<Cell[][]> {
    for await (const chunk of this.#chunks(sql, parameters)) yield chunk.getRows() as Cell[][];
  }

  /**
   * Yields the rows of a query with one text column (pages/columns.ts). This is several times faster than reading many
   * cells.
   */
  async *streamTexts(sql: string, parameters?: Record<string, DuckDBValue>): AsyncGenerator<Cell[][]> {
    for await (const chunk of this.#chunks(sql, parameters)) {
      yield chunk.getColumnValues(0).map((text) => JSON.parse(String(text)) as Cell[]);
    }
  }

  /**
   * Returns the positions that a query selects as bits, or null if it selects none. The first byte is 0. One bit
   * follows for each position below `size`, a multiple of 8; the first bit of a byte is the highest.
   */
  async positionBits(sql: string, size: number, parameters?: Record<string, DuckDBValue>): Promise<Uint8Array | null> {
    const bits = `select bitstring_agg(position, 0, ${size - 1}) from (${sql}) as selected`;
    const reader = await this.#connection.runAndReadAll(bits, parameters);
    return (reader.getRows()[0]?.[0] as DuckDBBitValue | null | undefined)?.data ?? null;
  }

  /**
   * Yields the results of a query whose columns are UUIDs without nulls. A batch contains row after row, with 16 bytes
   * for each column.
   */
  async *streamUuids(sql: string): AsyncGenerator<Buffer> {
    for await (const chunk of this.#chunks(sql)) yield uuidBytes(chunk);
  }

  /**
   * Yields the result of a query in chunks. Uses a new connection, because a second query on the same connection would
   * silently end the first one.
   */
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
      throw addAdvice(cause);
    } finally {
      this.#streams.delete(connection);
      // Otherwise an unfinished result would retain its memory until the instance is closed.
      connection.interrupt();
      connection.closeSync();
    }
  }

  async prepare(sql: string): Promise<Statement> {
    return new Statement(await this.#connection.prepare(sql));
  }

  appender(table: Table): Promise<DuckDBAppender> {
    return this.#connection.createAppender(table.name);
  }

  /** Opens another connection to the same tables, which can be interrupted separately. Close it in a `finally`. */
  async openConnection(): Promise<Database> {
    return new Database(this.#instance, await this.#instance.connect());
  }

  /** Interrupts the running statements of this connection and its open streams. They fail with DuckDB's error. */
  interrupt(): void {
    for (const connection of [this.#connection, ...this.#streams]) connection.interrupt();
  }

  /** Closes a connection from `openConnection`. The tables stay open. */
  closeConnection(): void {
    this.#connection.closeSync();
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

export class Statement {
  readonly #prepared: DuckDBPreparedStatement;

  constructor(prepared: DuckDBPreparedStatement) {
    this.#prepared = prepared;
  }

  /** Returns all rows of a small result. The values of a row have the order of the select list. */
  async rows(): Promise<Cell[][]> {
    const reader = await this.#prepared.runAndReadAll();
    return reader.getRowsJS() as Cell[][];
  }
}

const UUID = 16;
const WORDS = UUID / 4;

/** Returns the bytes of a chunk whose columns are UUIDs without nulls: row after row, with 16 bytes for each column. */
export function uuidBytes({ chunk, columnCount, rowCount }: DuckDBDataChunk): Buffer {
  const words = new Uint32Array(WORDS * columnCount * rowCount);
  for (let column = 0; column < columnCount; column += 1) {
    const duckdb = loadBindings();
    const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, column), UUID * rowCount);
    const cells = new Uint32Array(bytes.buffer, bytes.byteOffset, WORDS * rowCount);
    // A cell has 128 bits, with the lowest word first. Its highest bit is inverted, so that numbers sort like text.
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

export const PART_NAME = /^part-\d{4,}\.parquet$/;

/**
 * Returns the file name of the part with this number. Its digits are padded with zeros, so that the names sort like the
 * numbers.
 */
export function partName(number: number): string {
  return `part-${String(number).padStart(10, "0")}.parquet`;
}

/** The file name of the part if there is only one. */
export const ONLY_PART = "part-0000.parquet";

/** Returns the pattern that matches all parts in a folder. Special characters in the name of the folder are escaped. */
export function partsIn(folder: string): string {
  return join(folder.replace(/[[*?]/g, "[$&]"), "part-*.parquet");
}

/**
 * Writes a table as CSV, sorted by its key. Use `order: "file"` for a Parquet file, whose rows already have this order;
 * "key" sorts them, which computed rows need.
 */
export async function writeCsv(db: Database, table: Table, path: string, order: "file" | "key"): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, type]) => (type === "text" ? guardFormula(name) : name));
  await db.run("set preserve_insertion_order = true");
  const sorted = order === "file" ? "" : ` order by ${table.key.join(", ")}`;
  await db.run(
    `copy (select ${columns.join(", ")} from ${table.name}${sorted}) to ${quote(path)} (format csv, header)`,
  );
  await db.run("set preserve_insertion_order = false");
}

/** Adds an apostrophe before a value that spreadsheets would read as a formula. Spreadsheets do not show the apostrophe. */
function guardFormula(name: string): string {
  return `case when regexp_matches(${name}, ${quote(FORMULA)}) then '''' || ${name} else ${name} end as ${name}`;
}

/** A value of one of the column types, as an engine returns it. */
export type Cell = string | number | bigint | boolean | null;

export type RowsTable = Pick<Table, "name" | "columns">;

export type RowsTableRow = Readonly<Record<string, ValueOf<ColumnType> | null>>;

export interface Engine {
  run(sql: string): Promise<void>;
  /**
   * Runs every statement of a file. `getvariable('name')` in the file stands for the text or number of that name in
   * `variables`.
   * @throws SqlError with the name of the file and the engine's message
   */
  runFile(file: URL, variables?: Readonly<Record<string, string | number>>): Promise<void>;
  /**
   * Runs a file of checks. Each statement selects the rows that break one rule, and its first column is the name of the
   * rule.
   * @throws CheckError with the first rows found
   */
  check(file: URL): Promise<void>;
  /** Makes a folder of Parquet files readable under the name of the table. */
  input(table: Table, folder: string): Promise<void>;
  /**
   * Writes the relation that has the name of the table to Parquet files, with the columns and the order of the table.
   * Returns the number of rows.
   */
  output(table: Table, folder: string): Promise<number>;
  rows(sql: string): Promise<Record<string, Cell>[]>;
  /** Makes a table with the given rows, or an empty table. */
  fill(table: RowsTable, rows: readonly RowsTableRow[]): Promise<void>;
  close(): void | Promise<void>;
}
