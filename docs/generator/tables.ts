/** The tables between stages and in a release, and the reasons input is refused for. */

import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { meaningOf } from "../../schemas/public/column-meanings.ts";
import { REFUSALS } from "../../schemas/public/problem.ts";
import {
  AGGREGATE_TABLES,
  CAPTURE_TABLES,
  OTHER_SCORE_TABLES,
  RECORD_TABLES,
  SCORE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { blocks, code, codes, table } from "./markdown.ts";

const GROUPS: Readonly<Record<string, Readonly<Record<string, Table>>>> = {
  capture: CAPTURE_TABLES,
  record: RECORD_TABLES,
  score: { ...SCORE_TABLES, ...OTHER_SCORE_TABLES },
  aggregate: AGGREGATE_TABLES,
  diff: DIFF_TABLES,
};

/** The tables of the group named. */
export async function tables(group: string): Promise<string> {
  const found = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (found === undefined)
    throw new Error(`no tables are called "${group}"; there are ${Object.keys(GROUPS).join(", ")}`);
  const file = group === "diff" ? ".parquet" : "/part-0000.parquet";
  return blocks(...Object.values(found).map((each) => ofTable(each, file)));
}

/** `file`: the end of the path of a published table. */
function ofTable(of: Table, file: string): string {
  const rows = Object.entries(of.columns).map(([name, type]) => [
    code(name),
    type,
    of.key.includes(name) ? "key" : of.always?.includes(name) ? "always" : "",
    meaningOf(of, name),
  ]);
  return blocks(
    `### ${of.name}`,
    [
      `- One row: ${of.grain}.`,
      `- Key: ${codes(of.key)}.`,
      `- Published as: ${of.published === undefined ? "not published" : code(`data/${of.published}${file}`)}.`,
    ].join("\n"),
    table(["column", "type", "", "states"], rows),
  );
}

/** The closed list of reasons input is refused for. */
export async function refusals(): Promise<string> {
  return `${codes(REFUSALS)}.`;
}
