/** A summary of relations.csv: relation types that count alike, by kinds of related work that count alike. */

import { VOCABULARY_COLUMNS } from "../../pipeline/vocabularies/index.ts";
import { readTable } from "../../pipeline/vocabularies/read-table.ts";
import { blocks, code, table } from "./markdown.ts";

const FILE = "relations.csv";
const FOLDER = new URL("../../pipeline/vocabularies/", import.meta.url);

/** What a relation of one type to a work of another counts as; `counts(relation, related)`. */
interface Matrix {
  readonly relations: readonly string[];
  readonly related: readonly string[];
  counts(relation: string, related: string): string;
}

/** The legend of related types, then the table. */
export async function relations(): Promise<string> {
  const matrix = await readMatrix();
  const kinds = alike(matrix.related, (related) =>
    matrix.relations.map((relation) => matrix.counts(relation, related)).join("|"),
  );
  const groups = alike(matrix.relations, (relation) =>
    matrix.related.map((related) => matrix.counts(relation, related)).join("|"),
  );
  const letter = (index: number) => String.fromCodePoint(0x41 + index);
  const legend = kinds.map((kind, index) => `- **${letter(index)}**: ${namesOf(kind)}`).join("\n");
  const rows = groups.map((group) => [
    namesOf(group),
    ...kinds.map((kind) => matrix.counts(group[0] ?? "", kind[0] ?? "").replaceAll(";", ", ") || "nothing"),
  ]);
  return blocks(legend, table(["relation type", ...kinds.map((_, index) => letter(index))], rows));
}

async function readMatrix(): Promise<Matrix> {
  const { rows } = await readTable(FOLDER, FILE, VOCABULARY_COLUMNS[FILE]);
  const cells = new Map(
    rows.map((row) => [`${row.text("relation_type")}|${row.text("related_type")}`, row.text("counts_as")]),
  );
  return {
    relations: [...new Set(rows.map((row) => row.text("relation_type")))],
    related: [...new Set(rows.map((row) => row.text("related_type")))],
    counts: (relation, related) => cells.get(`${relation}|${related}`) ?? cells.get(`${relation}|`) ?? "",
  };
}

/** Names grouped by what is said of them, in the order of each group's first. */
function alike(names: readonly string[], saying: (name: string) => string): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(saying(name)) ?? [];
    group.push(name);
    groups.set(saying(name), group);
  }
  return [...groups.values()];
}

function namesOf(group: readonly string[]): string {
  return group.map((name) => (name === "" ? "not stated" : code(name))).join(", ");
}
