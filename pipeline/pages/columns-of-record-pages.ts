/** The columns that the pages of a record are made from: the batch reads them from tables, the evaluator from one capture. */

import type { RecordData, ScoreData } from "../../api-static/pages/rows.ts";
import { DETAIL_COLUMNS } from "../../schemas/public/record-columns.ts";

/** Of the table `record`, or of a capture that would become one. */
export const RECORD = DETAIL_COLUMNS satisfies readonly (keyof RecordData)[];

/** Of the table `score`. */
export const SCORE = [
  "total",
  "s",
  "h",
  "a",
  "r",
  "e",
  "supported_mask",
  "evaluable_mask",
  "passed_mask",
  "source_missing_mask",
  "failed_mask",
] as const satisfies readonly (keyof ScoreData)[];
