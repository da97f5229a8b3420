/** Counts of terms, relations, licences and files of a payload. A count that cannot be known is null, and not zero. */

import { describe, expect, test } from "vitest";
import { countRelations, readFiles, readLicence, type StatedRelation } from "../../pipeline/reading/evidence.ts";
import { blankEvidence, counted, ownFamily, settled } from "../../pipeline/reading/normalised.ts";
import { asList, asObject, asText, at, firstText, Reader } from "../../pipeline/reading/reader.ts";
import { countTerms } from "../../pipeline/reading/search-terms.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";

const vocabularies = await loadVocabularies();

test.each([
  { terms: [], count: 0 },
  { terms: [null, "", "  ", "N/A", ":unav", "TODO"], count: 0 },
  { terms: ["Rain", "rain", " RAIN ", "rain  fall", "Rain fall"], count: 2 },
  { terms: ["雨", "雪"], count: 2 },
])("the terms $terms contain $count different terms", ({ terms, count }) => {
  expect(countTerms("keyword_count", terms, vocabularies)).toBe(count);
});

function relation(
  type: string,
  identifier: string,
  relatedType: string | null = null,
  identifierType: string | null = null,
): StatedRelation {
  return { type, relatedType, identifier, identifierType };
}

const NOTHING = {
  reference_count: 0,
  reference_pid_count: 0,
  publication_link_count: 0,
  data_link_count: 0,
  linked_code_count: 0,
  derivative_count: 0,
  related_identifier_count: 0,
  version: false,
};

describe("counting relations to other works", () => {
  test.each([
    {
      given: relation("References", "10.1234/a"),
      counts: { reference_count: 1, reference_pid_count: 1, related_identifier_count: 1 },
    },
    { given: relation("Cites", "a book"), counts: { reference_count: 1, related_identifier_count: 1 } },
    {
      given: relation("Cites", "12345", null, "PMID"),
      counts: { reference_count: 1, reference_pid_count: 1, related_identifier_count: 1 },
    },
    {
      given: relation("Cites", "https://example.org"),
      counts: { reference_count: 1, reference_pid_count: 1, related_identifier_count: 1 },
    },
    {
      given: relation("IsSupplementTo", "10.1234/a"),
      counts: { publication_link_count: 1, related_identifier_count: 1 },
    },
    {
      given: relation("IsDocumentedBy", "10.1234/a"),
      counts: { publication_link_count: 1, related_identifier_count: 1 },
    },
    {
      given: relation("IsDescribedBy", "10.1234/a"),
      counts: { publication_link_count: 1, related_identifier_count: 1 },
    },
    {
      given: relation("IsReviewedBy", "10.1234/a"),
      counts: { publication_link_count: 1, related_identifier_count: 1 },
    },
    { given: relation("IsDerivedFrom", "10.1234/a"), counts: { data_link_count: 1, related_identifier_count: 1 } },
    {
      given: relation("IsSourceOf", "10.1234/a"),
      counts: { data_link_count: 1, derivative_count: 1, related_identifier_count: 1 },
    },
    { given: relation("IsCitedBy", "10.1234/a"), counts: {} },
    { given: relation("IsReferencedBy", "10.1234/a"), counts: {} },
    { given: relation("IsPartOf", "10.1234/a"), counts: {} },
    { given: relation("HasPart", "10.1234/a"), counts: {} },
    { given: relation("IsMetadataFor", "10.1234/a"), counts: {} },
    { given: relation("IsVersionOf", "10.1234/a"), counts: { version: true } },
    { given: relation("HasVersion", "10.1234/a", "Dataset"), counts: { version: true } },
    { given: relation("References", ":unav"), counts: {} },
    { given: relation("References", " "), counts: {} },
    {
      given: relation("isSupplementedBy", "https://github.com/a/b"),
      counts: { data_link_count: 1, linked_code_count: 1, related_identifier_count: 1 },
    },
    {
      given: relation("IsSupplementTo", "10.1234/a", "Software"),
      counts: { data_link_count: 1, linked_code_count: 1, related_identifier_count: 1 },
    },
  ])("a relation to another work is counted by its type and identifier: $given", ({ given, counts }) => {
    expect(countRelations([given], vocabularies)).toEqual({ ...NOTHING, ...counts });
  });

  test("relations to the same work count once for each type of relation", () => {
    const works = ["10.1234/A", "https://doi.org/10.1234/a", "doi:10.1234/a", "10.1234/a"];
    const once = works.map((work, i) => relation(i % 2 === 0 ? "References" : "references", work));
    expect(countRelations(once, vocabularies).reference_count).toBe(1);
    const twice = [relation("References", "10.1234/a"), relation("Cites", "10.1234/a")];
    expect(countRelations(twice, vocabularies).reference_count).toBe(2);
  });
});

describe("reading the licence of a dataset", () => {
  const statement = (text: string, ...spellings: string[]) => ({ text, spellings: [text, ...spellings] });
  test.each([
    { given: [], text: "", spdx: "", permissive: false, open: false },
    { given: [statement("Ask me")], text: "Ask me", spdx: "", permissive: false, open: false },
    { given: [statement("CC0-1.0")], text: "CC0-1.0", spdx: "CC0-1.0", permissive: true, open: true },
    {
      given: [statement("Ask me"), statement("MIT License")],
      text: "MIT License",
      spdx: "MIT",
      permissive: true,
      open: true,
    },
    {
      given: [statement("see page", "https://creativecommons.org/licenses/by-nd/4.0/")],
      text: "see page",
      spdx: "CC-BY-ND-4.0",
      permissive: false,
      open: false,
    },
    {
      given: [statement("CC BY-NC 4.0"), statement("CC0")],
      text: "CC BY-NC 4.0",
      spdx: "CC-BY-NC-4.0",
      permissive: false,
      open: false,
    },
    { given: [statement("CC BY-SA 4.0")], text: "CC BY-SA 4.0", spdx: "CC-BY-SA-4.0", permissive: false, open: true },
    { given: [statement("CC BY")], text: "CC BY", spdx: null, permissive: true, open: true },
    { given: [statement("terms"), statement("CC BY SA")], text: "CC BY SA", spdx: null, permissive: false, open: true },
    { given: [statement("CC BY-NC")], text: "CC BY-NC", spdx: null, permissive: false, open: false },
    { given: [statement("CC BY"), statement("CC0")], text: "CC0", spdx: "CC0-1.0", permissive: true, open: true },
  ])("the licence statements $given have the SPDX id $spdx", ({ given, text, spdx, permissive, open }) => {
    expect(readLicence(given, vocabularies)).toEqual({
      license_text: text,
      license_spdx: spdx,
      license_permissive: permissive,
      license_open: open,
    });
  });
});

describe("counting the files of a dataset", () => {
  test("the counts of files are null if the list of files is unknown, and zero if it is empty", () => {
    expect(new Set(Object.values(readFiles(null, vocabularies)))).toEqual(new Set([null]));
    expect(new Set(Object.values(readFiles([], vocabularies)))).toEqual(new Set([0]));
  });

  test("the counts of files distinguish the kinds of files", () => {
    const names = [
      "README.md",
      "codebook.csv",
      "rainfall-kiel.csv",
      "analysis.R",
      "ro-crate-metadata.json",
      "images.zip",
      "scan.sav",
      "1.csv",
    ];
    expect(readFiles(names, vocabularies)).toEqual({
      file_count: 8,
      open_format_file_count: 7,
      inspectable_file_count: 6,
      documentation_file_count: 2,
      code_file_count: 1,
      manifest_file_count: 1,
      descriptive_filename_count: 5,
    });
  });
});

describe("reading plain values of a payload", () => {
  test.each([
    [" a ", "a"],
    ["", null],
    [" ", null],
    [5, "5"],
    [0, "0"],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [true, null],
    [null, null],
    [undefined, null],
    [[], null],
    [{}, null],
  ])("the value %j of a payload is read as the text %j", (value, text) => {
    expect(asText(value)).toBe(text);
  });

  test("reading a path follows only the own keys of objects", () => {
    const value = { a: { b: [1] }, n: null };
    expect(at(value, "a", "b")).toEqual([1]);
    for (const path of [["a", "c"], ["n", "b"], ["a", "b", "0"], ["toString"], ["__proto__"], ["a", "constructor"]]) {
      expect(at(value, ...path)).toBeUndefined();
    }
    expect(at("text", "length")).toBeUndefined();
    expect(firstText(undefined, "", " x ", "y")).toBe("x");
    expect([asObject([]), asObject(null), asObject("a")]).toEqual([null, null, null]);
    expect([asList({}), asList(null), asList([1])]).toEqual([[], [], [1]]);
  });
});

describe("reading lists, objects, texts and counts of a payload", () => {
  const VALUES = {
    missing: undefined,
    null: null,
    text: "a ",
    blank: " ",
    number: 5,
    list: [1],
    object: { a: 1 },
    flag: true,
  };
  const none = { list: [], object: {}, text: "" };

  // The values that the three readers give for each key: null is unknown, and FAILED is null with an error.
  const FAILED = "failed";
  test.each([
    { key: "missing", list: null, object: null, text: null },
    { key: "null", ...none },
    { key: "text", list: FAILED, object: FAILED, text: "a" },
    { key: "blank", list: FAILED, object: FAILED, text: "" },
    { key: "number", list: FAILED, object: FAILED, text: "5" },
    { key: "list", list: [1], object: FAILED, text: FAILED },
    { key: "object", list: FAILED, object: { a: 1 }, text: FAILED },
    { key: "flag", list: FAILED, object: FAILED, text: FAILED },
  ])('the reader of payloads returns null, a value or an error for the key "$key"', ({ key, ...expected }) => {
    for (const kind of ["list", "object", "text"] as const) {
      const errors = new Set<EvidenceName>();
      const got = new Reader(VALUES, errors)[kind](key, ["view_count"]);
      expect([kind, errors.has("view_count") ? FAILED : got]).toEqual([kind, expected[kind]]);
      if (errors.size > 0) expect(got).toBeNull();
    }
  });

  test("the reader of payloads counts a missing key as none if the source omits empty keys", () => {
    const reader = new Reader({}, new Set(), "none");
    expect([reader.list("a", []), reader.object("a", []), reader.text("a", [])]).toEqual([[], {}, ""]);
    expect(reader.count("a", "view_count")).toBeNull();
  });

  test.each([
    [4, 4],
    ["4", 4],
    ["4.0", 4],
    [" 4 ", 4],
    [4.9, 4],
    [0, 0],
    [1e20, 2_147_483_647],
    [null, null],
    [undefined, null],
  ])("the reader of payloads reads the count %j as %j", (value, count) => {
    const errors = new Set<EvidenceName>();
    expect(new Reader({ a: value }, errors).count("a", "view_count")).toBe(count);
    expect(errors.size).toBe(0);
  });

  test.each([[-1], ["-1"], ["many"], [""], [[]], [{}], [true], ["4,000"], [Number.NaN]])(
    "the reader of payloads returns an error for the count %j",
    (value) => {
      const errors = new Set<EvidenceName>();
      expect(new Reader({ a: value }, errors).count("a", "view_count")).toBeNull();
      expect([...errors]).toEqual(["view_count"]);
    },
  );
});

test("a value that could be read only in part is null in place of zero, an empty text or false", () => {
  const evidence = {
    ...blankEvidence(),
    view_count: 0,
    award_count: 2,
    license_text: "",
    access_open: false,
    funder_count: 0,
  };
  const after = settled(evidence, new Set(["view_count", "award_count", "license_text", "access_open"]));
  expect(after).toMatchObject({
    view_count: null,
    award_count: 2,
    license_text: null,
    access_open: null,
    funder_count: 0,
  });
});

test("a count over several parts of a payload is known if something was found or if every part is present", () => {
  expect([counted(0, [[], {}]), counted(0, [[], null]), counted(1, [null, null]), counted(0, [])]).toEqual([
    0,
    null,
    1,
    0,
  ]);
});

test.each([
  ["10.6084/m9.figshare.1.v2", "x", "10.6084/m9.figshare.1"],
  ["10.18112/openneuro.ds000001.v1.0.4", "x", "10.18112/openneuro.ds000001"],
  ["10.1234/a", "x", "10.1234/a"],
  ["10.1234/a.v", "x", "10.1234/a.v"],
  [null, "osf/abcde", "osf/abcde"],
])("a record with the DOI %j and the identifier %j has the version family %j", (doi, identifier, family) => {
  expect(ownFamily(doi, identifier)).toBe(family);
});
