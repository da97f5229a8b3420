/** Tests the reader of OpenAIRE with hand-written products and with recorded responses. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { asList, asText, at } from "../../pipeline/reading/reader.ts";
import { parseXml } from "../../pipeline/reading/xml.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { dryad } from "../../pipeline/sources/dryad/source.ts";
import { normaliseOpenaire } from "../../pipeline/sources/openaire/normalise.ts";
import { openaire } from "../../pipeline/sources/openaire/source.ts";
import { recordId, resolveStore } from "../normalise/captures.ts";
import { temporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { AS_OF, readRecord, vocabularies } from "./fragment.ts";
import { type GoldenCase, recordedAnswers, recordFrom, testGolden } from "./golden.ts";

/**
 * Returns OpenAIRE's id of a product with this DOI. A product that was merged from several has another prefix.
 */
function makeProductId(doi: string, prefix = "doi_________"): string {
  return `${prefix}::${createHash("md5").update(doi).digest("hex")}`;
}

const PLAIN = { "2.0": "pamua pauuu pmppp uuuuu ppmmu", "1.0": "mumpu upmup pmppm mmmuu uummm" };

const CASES: readonly GoldenCase[] = [
  {
    file: "complete.json",
    sourceId: makeProductId("10.5072/oa-complete"),
    why: "the product has every pledged field; OpenAIRE never has roles, methods, relations and files",
    states: { "2.0": "pppup ppuuu ppppp uuuuu ppppu", "1.0": "puppu uppup ppppp pppuu uuppp" },
    evidence: {
      keyword_count: 4,
      subject_count: 1,
      organization_pid_count: 1,
      view_count: 9,
      download_count: 3,
      citation_count: 4,
      funder_count: 1,
      award_count: 1,
    },
    fields: { doi: "10.5072/oa-complete", repository: "OpenAIRE", version: "2", recordKind: "research product" },
    creators: [{ name: "Muster, Ilse", orcid: "0000-0005-1000-001X" }, { name: "Exempel, Per" }],
  },
  {
    file: "null-everywhere.json",
    sourceId: makeProductId("10.5072/oa-null"),
    why: "null counts as empty in fields that every mapping fills, and as unknown in others; without authors, no person can be judged",
    states: { "2.0": "aamua aauuu aaaam uuuuu nnmmu", "1.0": "mumau uamua aaamm mmmuu uummm" },
    evidence: { keyword_count: 0, contributor_count: null, funder_count: null, creator_count: 0 },
  },
  {
    file: "merged-versions.json",
    sourceId: makeProductId("10.5072/oa-merged", "doi_dedup___"),
    why: "the DOI is the one whose digest is in the id; the licence is that of its own instance, without a version; a pending ORCID iD ends with a lower-case x",
    states: PLAIN,
    evidence: { license_text: "CC BY", license_spdx: null, license_open: true, creator_pid_count: 1 },
    fields: { doi: "10.5072/oa-merged", versionFamily: "10.5072/oa-merged", license: "CC BY" },
    creators: [{ orcid: "0000-0005-1000-028X" }],
  },
  {
    file: "licence-shortened.json",
    sourceId: makeProductId("10.5072/oa-shortened"),
    why: "access is restricted; the licence has no version, but is known to be neither open nor permissive",
    states: { "2.0": "pamua pauuu pmapa uuuuu ppmmu", "1.0": "mumpu upmup pmamm mmmuu uummm" },
    fields: { accessStatus: "RESTRICTED" },
  },
  {
    file: "embargo-future.json",
    sourceId: makeProductId("10.5072/oa-embargo"),
    why: "the embargo ends after the as-of date, and the instance has no licence",
    states: { "2.0": "pamua pauuu aaapa uuuuu ppmmu", "1.0": "mumpu upmup paaam mmmuu uummm" },
    evidence: { embargo_active: true, access_open: false },
  },
  {
    file: "embargo-past.json",
    sourceId: makeProductId("10.5072/oa-embargo-past"),
    why: "the embargo has ended although the access right is still `embargoed`; an access level is not a licence",
    states: { "2.0": "pamua pauuu aaapa uuuuu ppmmu", "1.0": "mumpu upmup paapm mmmuu uummm" },
    evidence: { embargo_active: false, access_open: false, license_text: "" },
    fields: { accessStatus: null },
  },
  {
    file: "authors.json",
    sourceId: makeProductId("10.5072/oa-authors"),
    why: "the authors are three people with one valid and one invalid ORCID iD, an organisation, and `Anonymous`; the access right is unknown",
    states: { "2.0": "pamua pauuu pmpam uuuuu pammu", "1.0": "mumpu upmup ampmm mmmuu uummm" },
    evidence: { creator_count: 4, person_creator_count: 3, creator_pid_count: 1 },
  },
  {
    file: "little-said.json",
    sourceId: makeProductId("10.5072/oa-little"),
    why: "OpenAIRE's own classification is not a subject; zero usage is unknown, but zero citations are known; a project has no name",
    states: { "2.0": "aaaua pauuu pmppp uuuuu pppau", "1.0": "auaau upmup pmppa mmauu uupaa" },
    evidence: { view_count: null, citation_count: 0, organization_pid_count: null, funder_count: 1, award_count: 0 },
    fields: { version: null },
  },
  {
    file: "malformed-values.json",
    sourceId: makeProductId("10.5072/oa-malformed"),
    why: "all values have the wrong type, so all pledged signals fail",
    states: { "2.0": "fffuf ffuuu fffff uuuuu ffffu", "1.0": "fuffu uffuf fffff fffuu uufff" },
  },
  {
    file: "singular-keys.json",
    sourceId: makeProductId("10.5072/oa-singular"),
    why: "the same product with the keys of Graph API v1 has the same states",
    states: PLAIN,
  },
  {
    file: "dump.json",
    sourceId: makeProductId("10.5072/oa-dump"),
    why: "a dump leaves out empty fields and perhaps others, so missing fields are unknown",
    states: { "2.0": "mmmum pauuu ppppp uuuuu ppmmu", "1.0": "mummu upmup ppppm mmmuu uummm" },
    fields: { title: "Example of the dumps", pubDate: "2019-01-01" },
  },
  {
    file: "list-answer.json",
    sourceId: makeProductId("10.5072/oa-listed"),
    why: "the product is an element of a response with a list",
    states: PLAIN,
  },
  {
    file: "datacite-twin.json",
    sourceId: makeProductId("10.5072/complete-modern"),
    why: "DataCite knows the same dataset by the same DOI, but OpenAIRE has fewer fields to judge",
    states: PLAIN,
    fields: { doi: "10.5072/complete-modern", versionFamily: "10.5072/complete-modern" },
  },
];

/** Returns the product with this id from a list of results, or the document itself if it is one product. */
function findProduct(text: string, sourceId: string): unknown {
  const document: unknown = JSON.parse(text);
  const results = at(document, "results");
  return Array.isArray(results) ? results.find((product) => at(product, "id") === sourceId) : document;
}

testGolden("openaire", normaliseOpenaire, CASES, findProduct);

const context = { asOf: AS_OF, vocabularies };
const fixture = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/payloads/${path}`, import.meta.url), "utf8"));

describe("a dataset of three sources", () => {
  const doi = "10.5072/dryad.complete";
  const product = fixture("openaire/dryad-twin.json");
  const registered = {
    id: doi,
    attributes: { doi, types: { resourceTypeGeneral: "Dataset" }, titles: [{ title: "As registered" }], viewCount: 40 },
  };
  const captures = [
    { source: "openaire", sourceId: makeProductId(doi), payload: product },
    { source: "datacite", sourceId: doi, payload: registered },
    { source: "dryad", sourceId: doi, payload: fixture("dryad/complete.json") },
  ];
  const resolved = async (sources: readonly string[]) => {
    await using bench = await temporaryStore();
    const some = captures.filter(({ source }) => sources.includes(source));
    await writeCaptures(bench.store, some, 1);
    const { tables } = await resolveStore(bench.store, "run", { sources, threads: 1 });
    return tables;
  };

  test("a dataset that OpenAIRE, DataCite and Dryad have becomes one record, which comes from Dryad, and its other ids become aliases", async () => {
    const { record, alias } = await resolved(["openaire", "datacite", "dryad"]);
    expect(record).toMatchObject([{ id: recordId(`dryad/${doi}`), source: "dryad", doi }]);
    expect(alias.map((row) => row.alias_identifier).toSorted()).toEqual([
      `datacite/${doi}`,
      `openaire/${makeProductId(doi)}`,
    ]);
    // Observed use is the largest value that any of the three sources has.
    expect(record).toMatchObject([{ views: 900, downloads: 70, citations: 12 }]);
  });

  test("a dataset that OpenAIRE, DataCite and Dryad have becomes a record of DataCite if Dryad is not harvested", async () => {
    const { record } = await resolved(["openaire", "datacite"]);
    expect(record).toMatchObject([{ source: "datacite", doi, title: "As registered", views: 900 }]);
  });

  test("a dataset that OpenAIRE, DataCite and Dryad have has different evidence at each source", () => {
    const merged = recordFrom(normaliseOpenaire, product, makeProductId(doi));
    const own = readRecord(dryad, fixture("dryad/complete.json"), doi);
    const known = readRecord(datacite, registered, doi);
    expect([merged, own, known].map(({ fields }) => fields.versionFamily)).toEqual([doi, doi, doi]);
    expect([merged, own, known].map(({ evidence }) => evidence.keyword_count)).toEqual([1, expect.any(Number), null]);
    expect([merged, own, known].map(({ evidence }) => evidence.license_spdx)).toEqual([null, "CC0-1.0", null]);
  });
});

describe("the outcome of normalising payloads of OpenAIRE", () => {
  test.each([
    { name: "a dataset", given: { type: "dataset" }, outcome: "record" },
    { name: "a publication", given: { type: "publication" }, outcome: "not_dataset" },
    { name: "another product", given: { type: "other" }, outcome: "not_dataset" },
    { name: "no type", given: { id: "x" }, outcome: "failed" },
    { name: "text", given: "dataset", outcome: "failed" },
    { name: "null", given: null, outcome: "tombstone" },
    {
      name: "a product merged into another",
      given: { type: "dataset", dataInfo: { deletedbyinference: true } },
      outcome: "tombstone",
    },
  ])("a payload of OpenAIRE ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normaliseOpenaire(given, "x", context).outcome).toBe(outcome);
  });

  test.each([
    { stamp: 1767323045000, updated: "2026-01-02T03:04:05.000Z" },
    { stamp: 0, updated: "2020-01-01T00:00:00.000Z" },
    { stamp: 1e300, updated: "2020-01-01T00:00:00.000Z" },
    { stamp: "yesterday", updated: "2020-01-01T00:00:00.000Z" },
  ])(
    "the time of update of an OpenAIRE product is $stamp, or the day of collection if that is invalid",
    ({ stamp, updated }) => {
      const product = { type: "dataset", lastUpdateTimeStamp: stamp, dateOfCollection: "2020-01-01T00:00:00Z" };
      expect(normaliseOpenaire(product, "x", context).updated).toBe(updated);
    },
  );
});

test("an author in OpenAIRE does not count as another contributor", () => {
  const product = { type: "dataset", authors: [{ fullName: "Bo, Ann" }], contributors: ["Ann Bo", "Acme"] };
  expect(readRecord(openaire, product, "x").evidence.contributor_count).toBe(1);
});

describe("other results of OpenAIRE", () => {
  test.each([
    { file: "projects.json", detail: "a list of projects of OpenAIRE, not of research products" },
    { file: "organisation.json", detail: "an entity of OpenAIRE's graph (organisation), not a research product" },
  ])("results of OpenAIRE that are not products are rejected by an import of $file", ({ file, detail }) => {
    const text = readFileSync(new URL(`../../fixtures/payloads/openaire/${file}`, import.meta.url));
    expect(findRecords(text, openaire)).toEqual({
      records: [],
      rejected: [{ item: null, reason: "unknown-shape", detail }],
    });
  });

  test("results of OpenAIRE that are not products are rejected in a list of results, and products in the same list are accepted", () => {
    const id = (end: number) => `exproduct___::0123456789abcdef0123456789abcd0${end}`;
    const results = [
      { id: id(1), type: "dataset", mainTitle: "Levels" },
      { id: id(2), code: "990001", acronym: "LAKELEVEL" },
      { id: id(3), type: "dataset", mainTitle: "Code of levels", instances: [], code: "x" },
    ];
    const found = findRecords(Buffer.from(JSON.stringify({ results })), openaire);
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual([id(1), id(3)]);
    expect(found.rejected).toMatchObject([{ item: 2, reason: "no-identifier" }]);
  });
});

const recorded = recordedAnswers(["openaire"]);

/**
 * Returns a word for the form of a recorded response: "results" for the Graph API, which can be read, and other words for forms
 * that are rejected.
 */
function describeShape(path: string, text: string): string {
  if (path.endsWith(".xml")) {
    try {
      return `XML, a harvested ${Object.keys(parseXml(text)).join()}`;
    } catch {
      return "XML that is not well-formed";
    }
  }
  const [first = ""] = path.endsWith(".jsonl") ? text.split("\n") : [text];
  const document: unknown = JSON.parse(first);
  if (Array.isArray(at(document, "results"))) return "results";
  return at(document, "response") === undefined ? "the graph's internal form" : "the retired Search API";
}

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of OpenAIRE have the expected forms, of which one can be read", () => {
    const counts: Record<string, number> = {};
    for (const { path, text } of recorded ?? []) {
      const shape = describeShape(path, text);
      counts[shape] = (counts[shape] ?? 0) + 1;
    }
    expect(counts).toEqual({
      results: 1,
      "the graph's internal form": 2,
      "the retired Search API": 1,
      "XML, a harvested record": 21,
      "XML that is not well-formed": 1,
    });
  });

  test("recorded responses of OpenAIRE include a product that was merged from six instances, of which the concept DOI is read", () => {
    const file = recorded?.find(({ path }) => path.endsWith("openaire_v2_simple.json"));
    const [product] = asList(at(JSON.parse(file?.text ?? "{}"), "results"));
    const id = asText(at(product, "id")) ?? "";
    const { evidence, errors, fields, creators } = recordFrom(normaliseOpenaire, product, id);
    expect(errors.size).toBe(0);
    expect(fields).toMatchObject({ doi: "10.5281/zenodo.4650794", version: "v1.1.0", pubDate: "2021-03-31" });
    expect(creators).toMatchObject([{ name: "Allington, Lucy", person: true, orcid: "0000-0003-1801-899X" }]);
    expect(evidence).toMatchObject({
      keyword_count: 9,
      subject_count: 0,
      contributor_count: null,
      description_length: 30,
      organization_pid_count: 9,
      access_open: true,
      embargo_active: false,
      license_text: "CC BY",
      license_spdx: null,
      view_count: 9,
      download_count: 3,
      citation_count: 0,
      funder_count: null,
      version_stated: true,
    });
  });
});
