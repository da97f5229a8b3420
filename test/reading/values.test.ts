/** The values that evidence counts: which values count, their limits, and that they are safe to show and name no people. */

import { describe, expect, test } from "vitest";
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
  references: ["A paper of 2019, no identifier", "https://doi.org/10.1000/cited"],
  contributors: [
    { name: "Doe, Jane", type: "DataCurator" },
    { name: "Roe, Richard", type: "Other" },
  ],
};

function readValues(metadata: object, files: readonly string[] = []): readonly StatedValue[] {
  if (zenodo === undefined) throw new Error("there is no source zenodo");
  const payload = JSON.stringify({ id: 1, stats: {}, metadata, files: files.map((key) => ({ key })) });
  const captured = { status: 200, payload, sourceId: "1" };
  return readPayload(zenodo, captured, { asOf: "2026-11-01", vocabularies }).values;
}

const texts = (values: readonly StatedValue[], evidence: string, counts: boolean) =>
  values.filter((each) => each.evidence === evidence && each.counts === counts).map(({ value }) => value);

test("a value is marked as counted if the count of its evidence column includes it", () => {
  const values = readValues(METADATA, ["README.md", "data.csv", "tide-heights.csv", "plot.xls"]);
  expect(texts(values, "keyword_count", true)).toEqual(["tides", "sea level"]);
  expect(texts(values, "keyword_count", false)).toEqual(["N/A"]);
  expect(texts(values, "publication_link_count", true)).toEqual(["10.1000/paper"]);
  expect(texts(values, "reference_pid_count", true)).toEqual(["https://doi.org/10.1000/cited"]);
  expect(texts(values, "reference_pid_count", false)).toEqual(["A paper of 2019, no identifier"]);
  expect(texts(values, "contributor_role_count", true)).toEqual(["DataCurator"]);
  expect(texts(values, "contributor_role_count", false)).toEqual(["Other"]);
  expect(texts(values, "documentation_file_count", true)).toEqual(["README.md"]);
  expect(texts(values, "descriptive_filename_count", false)).toContain("data.csv");
  expect(texts(values, "open_format_file_count", false)).toEqual(["plot.xls"]);
});

test("no value contains a word of a creator's name, in any order or spelling, or the name of a contributor", () => {
  const named = ["Josiah Carberry", "CARBERRY, JOSIAH", "carberry_josiah_tides"];
  const values = readValues(
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
  expect(all.filter((value) => /carberry|josiah/i.test(value))).toEqual([]);
});

test("at most ten values of a kind are kept, each of at most 120 characters and safe to show", () => {
  const keywords = Array.from({ length: 40 }, (_, i) => `keyword ${i}`);
  expect(texts(readValues({ ...METADATA, keywords }), "keyword_count", true)).toEqual(keywords.slice(0, 10));
  const long = "𝄞 tide ".repeat(60);
  const hostile = ["<script>alert(1)</script>tides", "tides\u202Egnp", `a${"\u0000"}b`, long];
  const shown = texts(readValues({ ...METADATA, keywords: hostile }), "keyword_count", true);
  expect(shown).toHaveLength(4);
  for (const value of shown) {
    expect(value.length).toBeLessThanOrEqual(120);
    expect(value).toBe(value.toWellFormed());
    for (const unsafe of ["<", ">", "\u0000", "\u202E"]) expect(value).not.toContain(unsafe);
  }
  expect(shown[3]).toMatch(/…$/);
});

describe("values that are only in a text of the record", () => {
  const POOR = { ...METADATA, related_identifiers: [], references: [] };
  const inText = (description: string, metadata: object = POOR) =>
    readValues({ ...metadata, description }).filter(({ foundIn }) => foundIn !== null);
  const found = (description: string, metadata?: object) =>
    inText(description, metadata).map(({ evidence, value }) => [evidence, value]);

  test.each([
    {
      name: "a DOI with punctuation after it",
      text: "The data belong to our paper (https://doi.org/10.1000/Tides.2024).",
      values: [["reference_pid_count", "10.1000/tides.2024"]],
    },
    {
      name: "a DOI whose URL is percent-encoded",
      text: "See https://doi.org/10.1000/1520-0426%281998%29015%3C0741:TT%3E2.0.CO;2 for the gauge.",
      values: [["reference_pid_count", "10.1000/1520-0426(1998)015<0741:tt>2.0.co;2"]],
    },
    {
      name: "a DOI with a pair of brackets, in brackets",
      text: "It follows an older table (https://doi.org/10.1000/S0140-6736(20)30183-5).",
      values: [["reference_pid_count", "10.1000/s0140-6736(20)30183-5"]],
    },
    {
      name: "a DOI in the sentence after a negation",
      text: "<p>Heights are not corrected.&nbsp;We didn't smooth them.</p><p>The gauge is that of 10.1000/gauge.</p>",
      values: [["reference_pid_count", "10.1000/gauge"]],
    },
    {
      name: "a PMID and an arXiv id",
      text: "See also PMID: 12345678 and the preprint arXiv:2101.00001v2 of it.",
      values: [
        ["reference_pid_count", "PMID:12345678"],
        ["reference_pid_count", "arXiv:2101.00001"],
      ],
    },
    {
      name: "a repository on a source-code host in a link",
      text: 'All scripts are <a href="https://github.com/example/tides">on GitHub</a>, in one place.',
      values: [["linked_code_count", "https://github.com/example/tides"]],
    },
    {
      name: "the number of a grant",
      text: "This work was funded under grant agreement No 101017452 of the programme.",
      values: [["award_count", "101017452"]],
    },
    {
      name: "one licence",
      text: "The dataset is licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).",
      values: [["license_text", "CC-BY-4.0"]],
    },
  ])("a value that is only in a text of the record is found: $name", ({ text, values }) => {
    expect(found(text, { ...POOR, license: "", grants: [] })).toEqual(values);
  });

  test.each([
    { name: "the record's own DOI", text: "Cite this dataset as 10.5281/zenodo.1 in your work, please." },
    { name: "a version of the record's own DOI", text: "The version before this one is 10.5281/zenodo.1.v2 there." },
    { name: "a DOI after a negation", text: "Our data are not related to the work 10.1000/wrong in any way." },
    { name: "code after a negation", text: "We did not use https://github.com/example/wrong for the heights." },
    { name: "a later version", text: "This is an update of 10.1000/old (DOI) with the heights of one more year." },
    { name: "works that cite it", text: "Cited by 10.1000/citing.1 and by 10.1000/citing.2 in the last year." },
    {
      name: "its own publication",
      text: 'The publication for this dataset&nbsp;can be read here: <a href="https://doi.org/10.1000/own">paper</a>.',
    },
    { name: "a description of it", text: "The dataset was described in 10.1000/own. Please see 10.1000/own for it." },
    { name: "a work that it supplements", text: "Supplement to: Nemo, N. (2020), Tides and quays, 10.1000/own." },
    { name: "a start page of a host", text: "We use https://github.com/ and https://github.com/example for all." },
    { name: "a year and a short number", text: "We received the award number 2019 and a grant no. 12 for it." },
    { name: "two licences", text: "Data are licensed under CC BY 4.0 and the images under CC BY-NC 4.0 only." },
    {
      name: "a licence of a picture without the word",
      text: "Picture of the gauge at the harbour: CC BY 4.0, J. Doe.",
    },
    {
      name: "a list of more than five works",
      text: Array.from({ length: 6 }, (_, i) => `10.1000/w${i}`).join(" and "),
    },
  ])("no value is taken from a text of the record with $name", ({ text }) => {
    expect(found(text, { ...POOR, doi: "10.5281/zenodo.1", license: "", grants: [] })).toEqual([]);
  });

  test("a value in a text is not listed a second time if a field of the record has it", () => {
    const text = "The data belong to our paper https://doi.org/10.1000/paper and to 10.1000/other too.";
    expect(found(text, METADATA)).toEqual([]);
    expect(found(text, { ...POOR, related_identifiers: METADATA.related_identifiers })).toEqual([
      ["reference_pid_count", "10.1000/other"],
    ]);
  });

  test("a value in a text is listed with the path of the text", () => {
    expect(inText("The data belong to our paper 10.1000/tides in a journal.")).toEqual([
      { evidence: "reference_pid_count", value: "10.1000/tides", counts: false, foundIn: "metadata.description" },
    ]);
  });

  test("values in a hostile text are limited, and the time to find them grows no faster than its length", () => {
    for (const text of [
      "10.1000/".repeat(100_000),
      "grant no grant no ".repeat(50_000),
      "https://github.com/a/ ".repeat(50_000),
    ]) {
      expect(found(`a b c d ${text}`).length).toBeLessThanOrEqual(15);
    }
  });
});
