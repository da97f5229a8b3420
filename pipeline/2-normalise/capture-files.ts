/** A Parquet file for each capture table: what one task writes. */

import { CAPTURE_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Database } from "../engine/open.ts";
import { ParquetFile } from "../engine/parquet.ts";
import { RowAppender } from "../engine/row-appender.ts";
import type { CaptureSinks } from "./rows.ts";

type UnderWay = Pick<ParquetFile<Table>, "drain" | "close" | "abandon">;

export class CaptureFiles {
  readonly sinks: CaptureSinks;
  readonly #files: readonly UnderWay[];

  private constructor(files: { readonly [Name in keyof CaptureSinks]: CaptureSinks[Name] & UnderWay }) {
    this.sinks = files;
    this.#files = Object.values(files);
  }

  /** `pathOf` gives the file of a table, by its name. */
  static async create(pathOf: (table: string) => string): Promise<CaptureFiles> {
    const create = <T extends Table>(table: T) => ParquetFile.create(pathOf(table.name), table);
    return new CaptureFiles({
      capture: await create(CAPTURE_TABLES.capture),
      capture_creator: await create(CAPTURE_TABLES.capture_creator),
      capture_affiliation: await create(CAPTURE_TABLES.capture_affiliation),
      capture_facet: await create(CAPTURE_TABLES.capture_facet),
    });
  }

  /** Writes what is held where it is much: called now and then, memory is bounded. */
  async drain(): Promise<void> {
    for (const file of this.#files) await file.drain();
  }

  /** All files are there, whole, or an error says that one is not. */
  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
  }

  /** Leaves none. */
  async abandon(): Promise<void> {
    for (const file of this.#files) await file.abandon();
  }
}

/** The tables must be there. Rows are in them after `flush`. */
export async function captureAppenders(db: Database) {
  const open = async <T extends Table>(table: T) => new RowAppender(await db.appender(table), table);
  const sinks = {
    capture: await open(CAPTURE_TABLES.capture),
    capture_creator: await open(CAPTURE_TABLES.capture_creator),
    capture_affiliation: await open(CAPTURE_TABLES.capture_affiliation),
    capture_facet: await open(CAPTURE_TABLES.capture_facet),
  };
  return {
    sinks,
    flush: () => {
      for (const appender of Object.values(sinks)) appender.flush();
    },
    close: () => {
      for (const appender of Object.values(sinks)) appender.close();
    },
  };
}
