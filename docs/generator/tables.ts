/** Sections about tables: those of a release, the columns of Arrow streams, and the reasons for rejected input. */

import { routeNamed } from "../../api-static/routes/index.ts";
import { type ArrowColumn, arrowColumns } from "../../schemas/public/api/arrow-columns.ts";
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

/** The tables of a group. */
export async function tables(group: string): Promise<string> {
  const found = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (found === undefined)
    throw new Error(`no group of tables is called "${group}"; the groups are ${Object.keys(GROUPS).join(", ")}`);
  const file = group === "diff" ? ".parquet" : "/part-0000.parquet";
  return blocks(...Object.values(found).map((each) => describeTable(each, file)));
}

/** Describes a table. `file` is the end of the path of a published table. */
function describeTable(of: Table, file: string): string {
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
    table(["column", "type", "", "meaning"], rows),
  );
}

/** The closed list of reasons for rejected input. */
export async function refusals(): Promise<string> {
  return `${codes(REFUSALS)}.`;
}

const LISTS = ["records", "authors", "institutions", "geography", "release-changes"] as const;

/** A table of columns for each list. */
export async function arrow(): Promise<string> {
  return blocks(...LISTS.flatMap((name) => [`### ${routeNamed(name).path}`, columnsOf(name)]));
}

function columnsOf(name: (typeof LISTS)[number]): string {
  const rows = arrowColumns(routeNamed(name).answer).flatMap(rowsOf);
  return table(["column", "type", "null", "meaning"], rows);
}

/** Rows of a column and its fields. Fields that are all alike, such as those of a distribution, share a row. */
function rowsOf({ path, nullable, meaning, of }: ArrowColumn): string[][] {
  const own = (type: string) => [code(path), type, nullable ? "yes" : "", meaning];
  if (of.kind === "words") return [own(`dictionary of utf8: ${codes(of.words)}`)];
  if (of.kind !== "struct") return [own(of.kind)];
  const { members } = of;
  const [first] = members;
  const alike = members.every((each) => each.of.kind === first?.of.kind && each.meaning === "");
  if (first === undefined || !alike || first.of.kind === "struct" || members.length < 5)
    return [own("struct"), ...members.flatMap(rowsOf)];
  return [
    own(
      `struct of ${first.of.kind}${first.nullable ? ", each may be null" : ""}: ${codes(members.map(({ name }) => name))}`,
    ),
  ];
}
