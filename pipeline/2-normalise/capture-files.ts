/** Writes the rows of captures to Parquet files, one file for each table. */

import { CAPTURE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { ParquetFile } from "../engine/parquet.ts";
import type { CaptureSinks } from "./rows.ts";

type OpenFile = Pick<ParquetFile<Table>, "drain" | "close" | "abandon">;

export class CaptureFiles {
  readonly sinks: CaptureSinks;
  readonly #files: readonly OpenFile[];

  private constructor(files: { readonly [Name in keyof CaptureSinks]: CaptureSinks[Name] & OpenFile }) {
    this.sinks = files;
    this.#files = Object.values(files);
  }

  static async create(getPath: (table: string) => string): Promise<CaptureFiles> {
    const create = <T extends Table>(table: T) => ParquetFile.create(getPath(table.name), table);
    return new CaptureFiles({
      capture: await create(CAPTURE_TABLES.capture),
      capture_creator: await create(CAPTURE_TABLES.capture_creator),
      capture_affiliation: await create(CAPTURE_TABLES.capture_affiliation),
      capture_facet: await create(CAPTURE_TABLES.capture_facet),
      capture_funding: await create(CAPTURE_TABLES.capture_funding),
      capture_value: await create(CAPTURE_TABLES.capture_value),
    });
  }

  /** Writes the rows collected so far, so that memory stays limited. */
  async drain(): Promise<void> {
    for (const file of this.#files) await file.drain();
  }

  /**
   * Finishes all files.
   * @throws Error if one of them cannot be completed
   */
  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
  }

  async abandon(): Promise<void> {
    for (const file of this.#files) await file.abandon();
  }
}
