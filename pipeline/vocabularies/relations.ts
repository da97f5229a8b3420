// What a relation to another work counts as: relation type × type of the related work → evidence.
import { wordKey } from "./keys.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";
import type { VocabularyRow } from "./vocabulary-row.ts";

const RELATION_COUNTS = ["reference", "publication", "data", "code", "derivative", "related", "version"] as const;

/** One of the counts a relation can add to. */
export type RelationCount = (typeof RELATION_COUNTS)[number];

/** Sorts relations, as DataCite, Zenodo and Dryad word them. */
export interface Relations {
  /**
   * What the relation counts as. A related type that is null or unlisted is read as "not stated", and so is an unlisted
   * relation type. The set is shared between calls.
   */
  countsAs(relationType: string, relatedType: string | null): ReadonlySet<RelationCount>;
}

/** Reads relations.csv, and related-types.csv, which turns other services' words for a type into DataCite's. */
export function readRelations(relations: VocabularyTable, relatedTypes: VocabularyTable): Relations {
  const rows = indexRows(relations.rows, (row) => pair(row.text("relation_type"), row.text("related_type")));
  const counts = new Map([...rows].map(([key, row]) => [key, row.wordSet("counts_as", RELATION_COUNTS)]));
  for (const row of rows.values()) requireFallback(row, counts);
  const notStated = counts.get(pair("", "")) ?? new Set<RelationCount>();
  const keyOf = memoise(wordKey);
  const dataciteType = readRelatedTypes(relatedTypes, relations);

  return {
    countsAs(relationType, relatedType) {
      const word = keyOf(relatedType ?? "");
      const type = dataciteType.get(word) ?? word;
      const relation = keyOf(relationType);
      const stated = counts.get(`${relation} ${type}`) ?? counts.get(`${relation} `);
      return stated ?? counts.get(` ${type}`) ?? notStated;
    },
  };
}

function pair(relationType: string, relatedType: string): string {
  return `${wordKey(relationType)} ${wordKey(relatedType)}`;
}

function requireFallback(row: VocabularyRow, counts: ReadonlyMap<string, unknown>): void {
  const relationType = row.text("relation_type");
  if (!counts.has(pair(relationType, ""))) row.fail(`"${relationType}" has no row for an unstated related type`);
}

function readRelatedTypes(table: VocabularyTable, relations: VocabularyTable): ReadonlyMap<string, string> {
  const known = new Set(relations.rows.map((row) => row.text("related_type")));
  const types = new Map<string, string>();
  for (const [word, row] of indexRows(table.rows, (row) => wordKey(row.filled("text")))) {
    const type = row.filled("related_type");
    if (!known.has(type)) row.fail(`"${type}" is no related type of ${relations.file}`);
    types.set(word, wordKey(type));
  }
  return types;
}
