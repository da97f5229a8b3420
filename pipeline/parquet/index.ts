/** A Parquet file under way: rows by name in, a row group whenever enough of them are held. */

import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ValueOf } from "../../schemas/public/column-type.ts";
import type { Table, TableRow } from "../../schemas/public/tables.ts";
import type { RowSink } from "../engine/row-sink.ts";
import { oneFrame } from "../files/one-frame.ts";
import { Column } from "./column.ts";
import { fileMetadata, pageHeader, type WrittenColumn, type WrittenGroup, type WrittenType } from "./metadata.ts";

/** Bytes of values that are held before they are written: one row group. */
const GROUP_BYTES = 16 * 1024 * 1024;

const MAGIC = Buffer.from("PAR1");
/** What comes out is read once or twice: the fastest level gives three quarters of what the best would. */
const COMPRESSION_LEVEL = 1;

/**
 * Written under a name of this attempt and renamed when it is complete, so that an attempt that runs twice, or ends half way,
 * leaves a whole file or none. The same rows give the same bytes.
 */
export class ParquetFile<T extends Table> implements RowSink<TableRow<T>> {
  readonly #path: string;
  readonly #attempt: string;
  readonly #file: FileHandle;
  readonly #columns: readonly Column[];
  readonly #groups: WrittenGroup[] = [];
  #offset = 0;
  #rows = 0;

  private constructor(path: string, attempt: string, file: FileHandle, table: T) {
    this.#path = path;
    this.#attempt = attempt;
    this.#file = file;
    this.#columns = Object.entries(table.columns).map(([name, type]) => {
      if (type === "hundredths") throw new Error(`${table.name} has a column of decimals, which only the engine makes`);
      return new Column(table.name, name, type);
    });
  }

  static async create<T extends Table>(path: string, table: T): Promise<ParquetFile<T>> {
    // A hidden name: engines read whatever else is in a folder of parts.
    const attempt = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
    const file = new ParquetFile(path, attempt, await open(attempt, "wx"), table);
    await file.#write(MAGIC);
    return file;
  }

  append(row: TableRow<T>): void {
    const values: Readonly<Record<string, ValueOf<WrittenType> | null>> = row;
    for (const column of this.#columns) column.push(values[column.name] ?? null);
    this.#rows += 1;
  }

  /** Writes what is held, where it is enough for a row group: memory is bounded where this is called now and then. */
  async drain(): Promise<void> {
    if (this.#columns.reduce((sum, { size }) => sum + size, 0) >= GROUP_BYTES) await this.#writeGroup();
  }

  /** Writes the rest, and gives the file its name. */
  async close(): Promise<void> {
    if (this.#rows > 0) await this.#writeGroup();
    const metadata = fileMetadata(
      this.#columns.map(({ name, type }) => [name, type]),
      this.#groups,
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    await this.#write(Buffer.concat([metadata, length, MAGIC]));
    await this.#file.close();
    await rename(this.#attempt, this.#path);
  }

  /** Leaves nothing. */
  async abandon(): Promise<void> {
    await this.#file.close();
    await rm(this.#attempt, { force: true });
  }

  async #writeGroup(): Promise<void> {
    const columns: WrittenColumn[] = [];
    const pieces: Buffer[] = [];
    let offset = this.#offset;
    for (const column of this.#columns) {
      const { name, type } = column;
      const page = column.page();
      const packed = oneFrame(page, COMPRESSION_LEVEL);
      const header = pageHeader(this.#rows, page.length, packed.length);
      pieces.push(header, packed);
      const compressed = header.length + packed.length;
      columns.push({ name, type, offset, compressed, uncompressed: header.length + page.length });
      offset += compressed;
    }
    await this.#write(Buffer.concat(pieces));
    this.#groups.push({ rows: this.#rows, columns });
    this.#rows = 0;
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#file.writeFile(bytes);
    this.#offset += bytes.length;
  }
}
