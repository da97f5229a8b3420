/** Sections about tables: those of a release, the columns of Arrow streams, and the reasons for rejected input. */

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { type ArrowColumn, arrowColumns } from "../../schemas/public/api/arrow-columns.ts";
import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { getColumnMeaning } from "../../schemas/public/column-meanings.ts";
import { REJECTIONS } from "../../schemas/public/problem.ts";
import { receipt } from "../../schemas/public/release.ts";
import {
  AGGREGATE_TABLES,
  CAPTURE_TABLES,
  OTHER_SCORE_TABLES,
  RECORD_TABLES,
  REPORTED_TABLES,
  SCORE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { blocks, code, codes, table } from "./markdown.ts";

const GROUPS: Readonly<Record<string, Readonly<Record<string, Table>>>> = {
  capture: CAPTURE_TABLES,
  record: RECORD_TABLES,
  score: { ...SCORE_TABLES, ...OTHER_SCORE_TABLES },
  aggregate: { ...AGGREGATE_TABLES, ...REPORTED_TABLES },
  diff: DIFF_TABLES,
};

/** Writes a table of columns for each table in a group, such as the group `diff`. */
export async function tables(group: string): Promise<string> {
  const found = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (found === undefined)
    throw new Error(`no group of tables is called "${group}"; the groups are ${Object.keys(GROUPS).join(", ")}`);
  const file = group === "diff" ? ".parquet" : "/part-0000.parquet";
  return blocks(...Object.values(found).map((each) => describeTable(each, file)));
}

/**
 * Describes a table: its rows, its key, its path and its columns. `file` is the end of the path if the table is
 * published.
 */
function describeTable(of: Table, file: string): string {
  const rows = Object.entries(of.columns).map(([name, type]) => [
    code(name),
    type,
    of.key.includes(name) ? "key" : of.always?.includes(name) ? "always" : "",
    getColumnMeaning(of, name),
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

/** Writes the list of all reasons for which input is rejected. */
export async function rejections(): Promise<string> {
  return `${codes(REJECTIONS)}.`;
}

const LISTS = ["records", "authors", "institutions", "geography", "release-changes"] as const;

/** Writes a table of the Arrow columns for each list. */
export async function arrow(): Promise<string> {
  return blocks(...LISTS.flatMap((name) => [`### ${routeNamed(name).path}`, writeColumnsTable(name)]));
}

function writeColumnsTable(name: (typeof LISTS)[number]): string {
  const rows = arrowColumns(routeNamed(name).answer).flatMap(listRows);
  return table(["column", "type", "null", "meaning"], rows);
}

/**
 * Returns the rows for a column and its fields. If all fields of a struct are alike, as in a distribution, they share a
 * row.
 */
function listRows({ path, nullable, meaning, of }: ArrowColumn): string[][] {
  const own = (type: string) => [code(path), type, nullable ? "yes" : "", meaning];
  if (of.kind === "words") return [own(`dictionary of utf8: ${codes(of.words)}`)];
  if (of.kind !== "struct") return [own(of.kind)];
  const { members } = of;
  const [first] = members;
  const alike = members.every((each) => each.of.kind === first?.of.kind && each.meaning === "");
  if (first === undefined || !alike || first.of.kind === "struct" || members.length < 5)
    return [own("struct"), ...members.flatMap(listRows)];
  return [
    own(
      `struct of ${first.of.kind}${first.nullable ? ", each may be null" : ""}: ${codes(members.map(({ name }) => name))}`,
    ),
  ];
}

/**
 * The outcome of a command: `found` is a finding, `partly` is exit code 4, which says that something was not compared,
 * and `missed` is exit code 0.
 */
const outcome = z.enum(["found", "partly", "missed"]);

/**
 * The outcome of each command for one forged part of a release. test/trust/statements.test.ts writes these outcomes.
 */
const proof = z.object({
  verify: outcome,
  tables: outcome,
  raw: outcome,
  python: z.boolean(),
  activate: z.enum(["found", "missed"]),
});
export type Proof = z.infer<typeof proof>;

export const proofsFile = z.record(z.string(), proof);

const OUTCOMES: Readonly<Record<Proof["raw"], string>> = { found: "found", partly: "exit code 4", missed: "" };

/** The text for a forged value that no command computes again, so that only a signature proves it. */
const ONLY_SIGNATURE = "only a signature";

/** Writes a table of the forged parts of a release, with the outcome of each command. */
export async function proofs(): Promise<string> {
  const results = proofsFile.parse(JSON.parse(await readFile(new URL("../proofs.json", import.meta.url), "utf8")));
  return table(
    [
      "forged part",
      "`release verify`",
      "`--rebuild` without raw payloads",
      "`--rebuild` with raw payloads",
      "`share-scores verify`",
      "`release activate`",
    ],
    Object.entries(results).map(([part, { verify, tables, raw, python, activate }]) => [
      part,
      OUTCOMES[verify],
      OUTCOMES[tables],
      raw === "missed" && !python ? ONLY_SIGNATURE : OUTCOMES[raw],
      python ? "found" : "",
      activate === "found" ? "rejected" : "",
    ]),
  );
}

/** Writes a table of the fields of a receipt. */
export async function receiptFields(): Promise<string> {
  const schema = z.toJSONSchema(receipt, { io: "output", reused: "inline" });
  return table(["field", "type", "meaning"], listFieldRows(jsonSchema.parse(schema), ""));
}

interface JsonSchema {
  readonly type?: string | string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
}

const jsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    items: jsonSchema.optional(),
    additionalProperties: z.union([z.boolean(), jsonSchema]).optional(),
    anyOf: z.array(jsonSchema).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
  }),
);

/** Returns rows for the fields of an object, each followed by the fields inside it. */
function listFieldRows(schema: JsonSchema, before: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${before}${name}`;
    const optional = schema.required?.includes(name) === true ? "" : "?";
    const inner = listInnerSchemas(field);
    const rest = inner.flatMap(([mark, each]) => listFieldRows(each, `${path}${mark}.`));
    const description = field.description ?? field.anyOf?.find((each) => each.description)?.description ?? "";
    return [[code(`${path}${optional}`), formatType(field), description.replaceAll("|", "\\|")], ...rest];
  });
}

/**
 * Returns the schemas of objects inside a field, each with the mark that follows the field in a path, such as `[]` for
 * a list.
 */
function listInnerSchemas(field: JsonSchema): [string, JsonSchema][] {
  const inside = field.anyOf?.flatMap(listInnerSchemas) ?? [];
  if (field.items !== undefined) return [["[]", field.items], ...inside];
  if (typeof field.additionalProperties === "object") return [[".*", field.additionalProperties], ...inside];
  return field.properties === undefined ? inside : [["", field], ...inside];
}

function formatType({ type, anyOf, enum: values, const: only }: JsonSchema): string {
  if (anyOf !== undefined) return [...new Set(anyOf.map(formatType))].join(" or ");
  if (only !== undefined) return code(String(only));
  if (values !== undefined) return values.map((value) => code(String(value))).join(", ");
  return Array.isArray(type) ? type.join(" or ") : (type ?? "any");
}
