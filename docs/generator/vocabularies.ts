/** Sections about digests and word lists: contracts, pledges, vocabularies, and the summary of relations.csv. */

import { digestText } from "../../pipeline/6-release/digest.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { jsonDigest } from "../../pipeline/files/json-digest.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { VOCABULARY_COLUMNS, type VocabularyFile } from "../../pipeline/vocabularies/columns.ts";
import { compileVocabularies } from "../../pipeline/vocabularies/compile.ts";
import { makeTable } from "../../pipeline/vocabularies/read-table.ts";
import { blocks, code, codes, table } from "./markdown.ts";

export async function contractDigests(): Promise<string> {
  const rows = [...(await readContracts()).values()].map((contract) => [
    contract.publicVersion ?? "–",
    code(contract.contract),
    contract.status,
    code(jsonDigest(contract)),
  ]);
  return table(["public version", "contract", "status", "digest"], rows);
}

export async function pledgeDigests(): Promise<string> {
  const rows = [...(await readPledges())].map(([source, pledge]) => [
    code(source),
    code(digestText(canonicalJson(pledge))),
  ]);
  return table(["source", "digest of its pledge"], rows);
}

export async function vocabularies(): Promise<string> {
  const rows: string[][] = [];
  for (const [file, { rows: lines, digest }] of Object.entries(await compileVocabularies())) {
    rows.push([code(file), String(lines.length), codes(VOCABULARY_COLUMNS[file as VocabularyFile]), code(digest)]);
  }
  return table(["file", "rows", "columns", "sha256 of the file"], rows);
}

const FILE = "relations.csv";

/**
 * The content of relations.csv: `counts(relation, related)` returns what a relation to this type of related work counts
 * as.
 */
interface Matrix {
  readonly relations: readonly string[];
  readonly related: readonly string[];
  counts(relation: string, related: string): string;
}

/**
 * Writes a legend with types of related work, then a table of relation types. Types that count as the same are grouped.
 */
export async function relations(): Promise<string> {
  const matrix = await readMatrix();
  const kinds = groupAlike(matrix.related, (related) =>
    matrix.relations.map((relation) => matrix.counts(relation, related)).join("|"),
  );
  const groups = groupAlike(matrix.relations, (relation) =>
    matrix.related.map((related) => matrix.counts(relation, related)).join("|"),
  );
  const letter = (index: number) => String.fromCodePoint(0x41 + index);
  const legend = kinds.map((kind, index) => `- **${letter(index)}**: ${formatNames(kind)}`).join("\n");
  const rows = groups.map((group) => [
    formatNames(group),
    ...kinds.map((kind) => matrix.counts(group[0] ?? "", kind[0] ?? "").replaceAll(";", ", ") || "nothing"),
  ]);
  return blocks(legend, table(["relation type", ...kinds.map((_, index) => letter(index))], rows));
}

async function readMatrix(): Promise<Matrix> {
  const { rows } = makeTable(FILE, VOCABULARY_COLUMNS[FILE], (await compileVocabularies())[FILE]);
  const cells = new Map(
    rows.map((row) => [`${row.text("relation_type")}|${row.text("related_type")}`, row.text("counts_as")]),
  );
  return {
    relations: [...new Set(rows.map((row) => row.text("relation_type")))],
    related: [...new Set(rows.map((row) => row.text("related_type")))],
    counts: (relation, related) => cells.get(`${relation}|${related}`) ?? cells.get(`${relation}|`) ?? "",
  };
}

/** Groups the names that have the same key. The groups are in the order of their first names. */
function groupAlike(names: readonly string[], getKey: (name: string) => string): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(getKey(name)) ?? [];
    group.push(name);
    groups.set(getKey(name), group);
  }
  return [...groups.values()];
}

function formatNames(group: readonly string[]): string {
  return group.map((name) => (name === "" ? "not stated" : code(name))).join(", ");
}
