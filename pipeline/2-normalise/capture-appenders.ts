/** The capture tables of a database, to be filled row by row: for one record, which needs no files. */

import { CAPTURE_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Database } from "../engine/open.ts";
import { RowAppender } from "../engine/row-appender.ts";

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
