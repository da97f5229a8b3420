/** Statements about the impact of a record, in which stewardship and outcomes are separate. */

import { ALIAS, FAILED, RECORD } from "./addresses.ts";
import { field, header, members, OK, sameAs, status } from "./expectations.ts";
import { clause, row, type Statement } from "./statement.ts";
import { exactly, INTEGER, kind, like, NULL, orNull, POINTS } from "./values.ts";

const OUTCOMES = ["views", "downloads", "citations", "derivatives", "mentions"] as const;
const KNOWN = { views: 9000, downloads: 40, citations: 31 } as const;
const ABSENT = kind("absent", (value) => value === undefined);

export const IMPACT: readonly Statement[] = clause("decisions.md, Rows: impact", [
  row("id", `${RECORD}/impact`, OK, field("id", exactly(RECORD.slice(9)))),
  row("rubric is the one asked for", `${RECORD}/impact?rubric=1.0`, OK, field("rubric", exactly("1.0"))),
  row(
    "no rubric means 2.0",
    `${RECORD}/impact`,
    OK,
    field("rubric", exactly("2.0")),
    sameAs(`${RECORD}/impact?rubric=2.0`),
  ),
  row("its members", `${RECORD}/impact`, OK, members("", "id rubric stewardship outcomes")),
  row("its outcomes", `${RECORD}/impact`, OK, members("outcomes", OUTCOMES)),
  ...["S", "H", "A", "R", "E"].map((bucket) =>
    row(`stewardship.${bucket} under 2.0`, `${RECORD}/impact`, OK, field(`stewardship.${bucket}`, POINTS)),
  ),
  row(
    "R, reuse under 1.0, does not count as stewardship there",
    `${RECORD}/impact?rubric=1.0`,
    OK,
    field("stewardship.R", ABSENT),
  ),
  ...OUTCOMES.map((name) =>
    row(`outcomes.${name}.value`, `${RECORD}/impact`, OK, field(`outcomes.${name}.value`, orNull(INTEGER))),
  ),
  ...OUTCOMES.map((name) =>
    row(
      `outcomes.${name}.state`,
      `${RECORD}/impact`,
      OK,
      field(`outcomes.${name}.state`, like(/^(known|source_missing|unsupported)$/)),
    ),
  ),
  ...Object.entries(KNOWN).map(([name, value]) =>
    row(
      `the largest ${name} known among merged sources`,
      `${RECORD}/impact`,
      OK,
      field(`outcomes.${name}.value`, exactly(value)),
    ),
  ),
  row("a failed record has no stewardship", `${FAILED}/impact`, OK, field("stewardship", NULL)),
  row("an alias is redirected", `${ALIAS}/impact`, status(308), header("location", `${RECORD}/impact`)),
]);
