/** The published tables of a release, as the reference describes them. */

import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { OPTIONAL_TABLES, RELEASE_TABLES, type Table } from "../../schemas/public/tables.ts";

export const PUBLISHED_TABLES: readonly Table[] = [
  ...RELEASE_TABLES,
  ...OPTIONAL_TABLES,
  ...Object.values(DIFF_TABLES),
];

export const TABLES_INTRO =
  "Tables in `data/` of a release, with their columns. `text` is a string, `int` has 32 bits, `bigint` has 64 bits, and `hundredths` is a decimal with two places. Columns of the key are never null, and rows are ordered by it.";
