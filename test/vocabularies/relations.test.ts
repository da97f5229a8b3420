// relations.csv and related-types.csv: the counts that each relation to another work adds to.
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { readVocabularyRows } from "./rows-of.ts";

const { relations } = await loadVocabularies();
const rows = (await readVocabularyRows("relations.csv")).map((cell) => ({
  relation: cell("relation_type"),
  type: cell("related_type"),
  counts: cell("counts_as").split(";").filter(Boolean),
}));
const relationTypes = [...new Set(rows.map(({ relation }) => relation))];

const counted = (relation: string, type: string | null): string[] => [...relations.countsAs(relation, type)].sort();

describe("each row of relations.csv", () => {
  it.each(rows)(
    "the relation $relation to a work of the type $type counts as $counts",
    ({ relation, type, counts }) => {
      expect(counted(relation, type)).toEqual(counts.toSorted());
      expect(counted(relation.toLowerCase(), type.toUpperCase())).toEqual(counts.toSorted());
    },
  );

  it.each(relationTypes)(
    "for the relation %s, an unlisted or missing type of work counts as an unstated type",
    (relation) => {
      expect(counted(relation, "Cartoon")).toEqual(counted(relation, ""));
      expect(counted(relation, null)).toEqual(counted(relation, ""));
    },
  );

  it("relations.csv has a row for every relation with every type of related work", () => {
    const types = new Set(rows.map(({ type }) => type));
    expect(rows.length).toBe(relationTypes.length * types.size);
  });

  it.each(rows)(
    "the relation $relation to $type counts as related if it counts as anything but a version",
    ({ counts }) => {
      const alone = counts.length === 0 || counts.join() === "version";
      expect(alone || counts.includes("related")).toBe(true);
    },
  );
});

describe("each row of related-types.csv", async () => {
  const words = (await readVocabularyRows("related-types.csv")).map((cell) => ({
    text: cell("text"),
    type: cell("related_type"),
  }));

  it.each(words)("the type of work $text is read as $type", ({ text, type }) => {
    for (const relation of relationTypes) expect(counted(relation, text)).toEqual(counted(relation, type));
  });
});

describe("relations, as the contracts count them", () => {
  const untyped: [string, string[]][] = [
    ["References", ["reference", "related"]],
    ["Cites", ["reference", "related"]],
    ["IsSupplementTo", ["publication", "related"]],
    ["isSupplementTo", ["publication", "related"]],
    ["IsDocumentedBy", ["publication", "related"]],
    ["IsDescribedBy", ["publication", "related"]],
    ["IsReviewedBy", ["publication", "related"]],
    ["IsDerivedFrom", ["data", "related"]],
    ["IsSourceOf", ["data", "derivative", "related"]],
    ["IsPublishedIn", ["related"]],
    ["Continues", ["related"]],
    ["IsSupplementedBy", ["related"]],
    ["HasVersion", ["version"]],
    ["Obsoletes", ["version"]],
    ["IsVariantFormOf", ["version"]],
    ["HasPart", []],
    ["IsPartOf", []],
    ["IsIdenticalTo", []],
    ["isAlternateIdentifier", []],
    ["HasMetadata", []],
    ["IsCitedBy", []],
    ["IsReferencedBy", []],
    ["IsFriendOf", ["related"]],
    ["", ["related"]],
  ];
  it.each(untyped)("the relation %j to a work of unstated type counts as %j", (relation, counts) => {
    expect(counted(relation, null)).toEqual(counts);
  });

  const typed: [string, string, string[]][] = [
    ["References", "JournalArticle", ["publication", "reference", "related"]],
    ["IsSupplementTo", "Dataset", ["data", "related"]],
    ["IsSupplementTo", "Software", ["code", "data", "related"]],
    ["isSupplementTo", "publication-preprint", ["publication", "related"]],
    ["isSupplementedBy", "software", ["code", "data", "related"]],
    ["IsSupplementTo", "Instrument", ["related"]],
    ["IsSupplementTo", "Other", ["publication", "related"]],
    ["IsDerivedFrom", "JournalArticle", ["publication", "related"]],
    ["IsSourceOf", "Preprint", ["derivative", "publication", "related"]],
    ["Requires", "ComputationalNotebook", ["code", "data", "related"]],
    ["IsPartOf", "Collection", []],
    ["IsCitedBy", "JournalArticle", []],
    ["IsVersionOf", "Dataset", ["version"]],
    ["IsFriendOf", "Dataset", ["data", "related"]],
    ["IsSupplementTo", "primary_article", ["publication", "related"]],
  ];
  it.each(typed)("the relation %s to a work of the type %s counts as %j", (relation, type, counts) => {
    expect(counted(relation, type)).toEqual(counts);
  });
});
