/** Values behind the counts of evidence: what counts and what does not, bounded, safe to show, and without names of people. */

import { expect, test } from "vitest";
import { readPayload } from "../../pipeline/reading/read-payload.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { StatedValue } from "../../schemas/internal/capture.ts";

const vocabularies = loadVocabularies();
const [zenodo] = SOURCES.filter(({ name }) => name === "zenodo");

const METADATA = {
  title: "Invented tides",
  resource_type: { type: "dataset" },
  access_right: "open",
  creators: [{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }],
  keywords: ["tides", "Tides", "N/A", "sea level"],
  related_identifiers: [
    { identifier: "10.1000/paper", relation: "isSupplementTo", resource_type: "publication-article" },
  ],
  references: ["Carberry 2019, no identifier", "https://doi.org/10.1000/cited"],
  contributors: [
    { name: "Doe, Jane", type: "DataCurator" },
    { name: "Roe, Richard", type: "Other" },
  ],
};

function valuesOf(metadata: object, files: readonly string[] = []): readonly StatedValue[] {
  if (zenodo === undefined) throw new Error("there is no source zenodo");
  const payload = JSON.stringify({ id: 1, stats: {}, metadata, files: files.map((key) => ({ key })) });
  const captured = { status: 200, payload, sourceId: "1" };
  return readPayload(zenodo, captured, { asOf: "2026-11-01", vocabularies }).values;
}

const texts = (values: readonly StatedValue[], evidence: string, counts: boolean) =>
  values.filter((each) => each.evidence === evidence && each.counts === counts).map(({ value }) => value);

test("a value says whether its column counts it", () => {
  const values = valuesOf(METADATA, ["README.md", "data.csv", "tide-heights.csv", "plot.xls"]);
  expect(texts(values, "keyword_count", true)).toEqual(["tides", "sea level"]);
  expect(texts(values, "keyword_count", false)).toEqual(["N/A"]);
  expect(texts(values, "publication_link_count", true)).toEqual(["10.1000/paper"]);
  expect(texts(values, "reference_pid_count", true)).toEqual(["https://doi.org/10.1000/cited"]);
  expect(texts(values, "reference_pid_count", false)).toEqual(["Carberry 2019, no identifier"]);
  expect(texts(values, "contributor_role_count", true)).toEqual(["DataCurator"]);
  expect(texts(values, "contributor_role_count", false)).toEqual(["Other"]);
  expect(texts(values, "documentation_file_count", true)).toEqual(["README.md"]);
  expect(texts(values, "descriptive_filename_count", false)).toContain("data.csv");
  expect(texts(values, "open_format_file_count", false)).toEqual(["plot.xls"]);
});

test("no value names a creator, in any order or spelling, and none names a contributor", () => {
  const named = ["Josiah Carberry", "CARBERRY, JOSIAH", "carberry_josiah_tides"];
  const values = valuesOf(
    {
      ...METADATA,
      keywords: [...named, "tides"],
      references: [`${named[0]}: a letter`],
      grants: [{ funder: { name: named[0] } }],
    },
    ["josiah-carberry.csv"],
  );
  const all = values.map(({ value }) => value);
  expect(all).toContain("tides");
  for (const { name } of METADATA.contributors) expect(all).not.toContain(name);
  expect(all.filter((value) => /carberry/i.test(value) && /josiah/i.test(value))).toEqual([]);
});

test("at most ten values of a kind are kept, each of at most 120 characters and safe to show", () => {
  const keywords = Array.from({ length: 40 }, (_, i) => `keyword ${i}`);
  expect(texts(valuesOf({ ...METADATA, keywords }), "keyword_count", true)).toEqual(keywords.slice(0, 10));
  const long = "𝄞 tide ".repeat(60);
  const hostile = ["<script>alert(1)</script>tides", "tides\u202Egnp", `a${"\u0000"}b`, long];
  const shown = texts(valuesOf({ ...METADATA, keywords: hostile }), "keyword_count", true);
  expect(shown).toHaveLength(4);
  for (const value of shown) {
    expect(value.length).toBeLessThanOrEqual(120);
    expect(value).toBe(value.toWellFormed());
    for (const unsafe of ["<", ">", "\u0000", "\u202E"]) expect(value).not.toContain(unsafe);
  }
  expect(shown[3]).toMatch(/…$/);
});
