/** Tests the reader of GEO with hand-written series and with recorded responses. */

import { describe, expect, test } from "vitest";
import { readPayload } from "../../pipeline/reading/read-payload.ts";
import { asList, asText, at } from "../../pipeline/reading/reader.ts";
import { parseXml } from "../../pipeline/reading/xml.ts";
import { normaliseGeo } from "../../pipeline/sources/geo/normalise.ts";
import { geo } from "../../pipeline/sources/geo/source.ts";
import { AS_OF, vocabularies } from "./fragment.ts";
import { type GoldenCase, recordedAnswers, recordFrom, testGolden } from "./golden.ts";

const NOTHING = { "2.0": "uuuuu aauuu uuuuu uauau uuuua", "1.0": "uuuuu uuuua uuuua uuuuu aauuu" };

const CASES: readonly GoldenCase[] = [
  {
    file: "complete.json",
    sourceId: "GSE99900001",
    why: "the series has every pledged field, so all supported signals pass: nine of the fifty in both contracts",
    states: { "2.0": "uuuuu ppuuu uuuuu upupu uuuup", "1.0": "uuuuu uuuup uuuup uuuuu ppuuu" },
    evidence: {
      description_length: 369,
      open_format_file_count: 3,
      inspectable_file_count: 2,
      code_file_count: 1,
      publication_link_count: 2,
      data_link_count: 1,
      related_identifier_count: 3,
      file_count: null,
      creator_count: null,
    },
    fields: {
      doi: null,
      repository: "GEO",
      pubDate: "2021-03-04",
      recordKind: "series",
      versionFamily: "geo/GSE99900001",
    },
    creators: [],
    facets: [
      { kind: "dataType", value: "Expression profiling by array" },
      { kind: "dataType", value: "Genome binding/occupancy profiling by array" },
    ],
  },
  {
    file: "empty.json",
    sourceId: "GSE99900002",
    why: "empty texts and lists count as empty, and not as missing",
    states: NOTHING,
    evidence: { description_length: 0, open_format_file_count: 0, publication_link_count: 0 },
    fields: { title: null, pubDate: null },
    facets: [],
  },
  {
    file: "archive-only.json",
    sourceId: "GSE99900003",
    why: "an archive is an open format but cannot be inspected; the cleaned description has exactly 100 code points",
    states: { "2.0": "uuuuu pauuu uuuuu uauau uuuua", "1.0": "uuuuu uuuup uuuup uuuuu aauuu" },
    evidence: { description_length: 100 },
  },
  {
    file: "maker-formats.json",
    sourceId: "GSE99900004",
    why: "formats of array makers are not open; the cleaned description has only 99 code points",
    states: NOTHING,
    evidence: { description_length: 99, open_format_file_count: 0 },
  },
  {
    file: "sparse-fields.json",
    sourceId: "GSE99900005",
    why: "the payload has only an accession, so all fields are missing",
    states: { "2.0": "uuuuu mmuuu uuuuu umumu uuuum", "1.0": "uuuuu uuuum uuuum uuuuu mmuuu" },
  },
  {
    file: "malformed-values.json",
    sourceId: "GSE99900006",
    why: "lists are in place of texts, and texts in place of lists",
    states: { "2.0": "uuuuu ffuuu uuuuu ufufu uuuuf", "1.0": "uuuuu uuuuf uuuuf uuuuu ffuuu" },
    fields: { title: "5", pubDate: null },
  },
  {
    file: "null-everywhere.json",
    sourceId: "GSE99900007",
    why: "null counts as empty, and not as missing",
    states: NOTHING,
  },
  {
    file: "same-article-twice.json",
    sourceId: "GSE99900008",
    why: "a PubMed id as number and as text is one article; zero and words are not ids",
    states: { "2.0": "uuuuu pauuu uuuuu uaupu uuuup", "1.0": "uuuuu uuuup uuuup uuuuu pauuu" },
    evidence: { publication_link_count: 1, related_identifier_count: 1 },
  },
  {
    file: "superseries.json",
    sourceId: "GSE99900009",
    why: "the parts of a superseries, and the superseries itself, are not related works",
    states: { "2.0": "uuuuu pauuu uuuuu uaupu uuuua", "1.0": "uuuuu uuuup uuuup uuuuu aauuu" },
    evidence: { data_link_count: 0 },
  },
  {
    file: "reanalysis.json",
    sourceId: "GSE99900010",
    why: "the series reanalyses one series and is affiliated with another, one relation has no target, and a program is among the files",
    states: { "2.0": "uuuuu pauuu uuuuu upupu uuuup", "1.0": "uuuuu uuuup uuuup uuuuu apuuu" },
    evidence: { data_link_count: 2, publication_link_count: 0 },
  },
  {
    file: "list-answer.json",
    sourceId: "GSE99900011",
    why: "the series is one of two in a response, and its title has markup",
    states: { "2.0": "uuuuu pauuu uuuuu uaupu uuuua", "1.0": "uuuuu uuuup uuuup uuuuu aauuu" },
    fields: { title: "Titre & gras" },
  },
];

/**
 * Returns the summaries in a response of NCBI's esummary, in the order of its uids, or the document itself if it is one
 * summary.
 */
function listSummaries(document: unknown): readonly unknown[] {
  const result = at(document, "result");
  return result === undefined ? [document] : asList(at(result, "uids")).map((uid) => at(result, String(uid)));
}

testGolden("geo", normaliseGeo, CASES, (text, sourceId) =>
  listSummaries(JSON.parse(text)).find((summary) => at(summary, "accession") === sourceId),
);

const context = { asOf: AS_OF, vocabularies };

test("GEO's values are the stated types of files, and no value is a made-up file name", () => {
  const payload = JSON.stringify({ entrytype: "GSE", suppfile: "TXT, CEL, R, txt" });
  const { values } = readPayload(geo, { status: 200, payload, sourceId: "GSE1" }, { asOf: AS_OF, vocabularies });
  expect(values.map(({ evidence, value, counts }) => [evidence, value.toUpperCase(), counts])).toEqual([
    ["open_format_file_count", "TXT", true],
    ["open_format_file_count", "CEL", false],
    ["open_format_file_count", "R", true],
    ["code_file_count", "R", true],
  ]);
});

describe("the outcome of normalising payloads of GEO", () => {
  test.each([
    { name: "a series", given: { entrytype: "GSE" }, id: "GSE1", outcome: "record" },
    { name: "a series without its type", given: { accession: "GSE1" }, id: "GSE1", outcome: "record" },
    { name: "a sample", given: { entrytype: "GSM" }, id: "GSM1", outcome: "not_dataset" },
    { name: "a platform without its type", given: { accession: "GPL1" }, id: "GPL1", outcome: "not_dataset" },
    { name: "a curated dataset of a series", given: { entrytype: "GDS" }, id: "GDS1", outcome: "not_dataset" },
    { name: "an error in a field", given: { error: "cannot get document summary" }, id: "GSE1", outcome: "tombstone" },
    { name: "null", given: null, id: "GSE1", outcome: "tombstone" },
    { name: "a list", given: [], id: "GSE1", outcome: "failed" },
  ])("a payload of GEO ($name) counts as $outcome", ({ given, id, outcome }) => {
    expect(normaliseGeo(given, id, context).outcome).toBe(outcome);
  });
});

const recorded = recordedAnswers(["geo"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of GEO give records for series, and none for documents without an accession", () => {
    const counts: Record<string, number> = {};
    const count = (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    for (const { path, text } of recorded ?? []) {
      if (path.endsWith(".xml")) count(`XML ${Object.keys(parseXml(text)).join()}`);
      else {
        const document: unknown = JSON.parse(text);
        for (const summary of listSummaries(document)) {
          const accession = asText(at(summary, "accession"));
          count(accession === null ? "no accession" : normaliseGeo(summary, accession, context).outcome);
        }
      }
    }
    expect(counts).toEqual({ record: 2, "no accession": 2, "XML eSummaryResult": 2 });
  });

  test("recorded responses of GEO include a series with an article and with reads in SRA, all of whose fields are read", () => {
    const file = recorded?.find(({ path }) => path.endsWith("ffq_GSE93374_summary.json"));
    const [summary] = listSummaries(JSON.parse(file?.text ?? "{}"));
    const { evidence, errors, fields, facets } = recordFrom(normaliseGeo, summary, "GSE93374");
    expect(errors.size).toBe(0);
    expect(evidence).toMatchObject({
      description_length: 149,
      open_format_file_count: 1,
      inspectable_file_count: 1,
      code_file_count: 0,
      publication_link_count: 1,
      data_link_count: 1,
      related_identifier_count: 2,
    });
    expect(fields).toMatchObject({
      title: "A Molecular Census of Arcuate Hypothalamus and Median Eminence Cell Types",
      pubDate: "2017-01-31",
    });
    expect(facets).toEqual([{ kind: "dataType", value: "Expression profiling by high throughput sequencing" }]);
  });
});
