/** A table as a folder of Parquet files, its parts, which are read as one: other engines write many of them. */

import { join } from "node:path";

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
