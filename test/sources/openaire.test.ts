/** OpenAIRE: golden states of the hand-written products, and every recorded answer read or rejected. */

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

/** Returns OpenAIRE's id of a product with this DOI, or of a product that it merged from several. */
function makeProductId(doi: string, prefix = "doi_________"): string {
  return `${prefix}::${createHash("md5").update(doi).digest("hex")}`;
}

const PLAIN = { "2.0": "pamua pauuu pmppp uuuuu ppmmu", "1.0": "mumpu upmup pmppm mmmuu uummm" };

const CASES: readonly GoldenCase[] = [
  {
    file: "complete.json",
    sourceId: makeProductId("10.5072/oa-complete"),
    why: "every field OpenAIRE is pledged for; roles, methods, relations and files it never carries",
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
    why: "null in what every mapping fills is none; in what some mappings drop, unknown; no author, no person to judge",
    states: { "2.0": "aamua aauuu aaaam uuuuu nnmmu", "1.0": "mumau uamua aaamm mmmuu uummm" },
    evidence: { keyword_count: 0, contributor_count: null, funder_count: null, creator_count: 0 },
  },
  {
    file: "merged-versions.json",
    sourceId: makeProductId("10.5072/oa-merged", "doi_dedup___"),
    why: "the DOI whose digest is the id; the licence of its own instance, of which the version is lost; an iD pending, x in lower case",
    states: PLAIN,
    evidence: { license_text: "CC BY", license_spdx: null, license_open: true, creator_pid_count: 1 },
    fields: { doi: "10.5072/oa-merged", versionFamily: "10.5072/oa-merged", license: "CC BY" },
    creators: [{ orcid: "0000-0005-1000-028X" }],
  },
  {
    file: "licence-shortened.json",
    sourceId: makeProductId("10.5072/oa-shortened"),
    why: "restricted; of a licence without version the class is known: not open, not permissive",
    states: { "2.0": "pamua pauuu pmapa uuuuu ppmmu", "1.0": "mumpu upmup pmamm mmmuu uummm" },
    fields: { accessStatus: "RESTRICTED" },
  },
  {
    file: "embargo-future.json",
    sourceId: makeProductId("10.5072/oa-embargo"),
    why: "an embargo that ends after the as-of date; an instance without a licence",
    states: { "2.0": "pamua pauuu aaapa uuuuu ppmmu", "1.0": "mumpu upmup paaam mmmuu uummm" },
    evidence: { embargo_active: true, access_open: false },
  },
  {
    file: "embargo-past.json",
    sourceId: makeProductId("10.5072/oa-embargo-past"),
    why: "the embargo is over, the right is still a code for embargoed; an access level is not a licence",
    states: { "2.0": "pamua pauuu aaapa uuuuu ppmmu", "1.0": "mumpu upmup paapm mmmuu uummm" },
    evidence: { embargo_active: false, access_open: false, license_text: "" },
    fields: { accessStatus: null },
  },
  {
    file: "authors.json",
    sourceId: makeProductId("10.5072/oa-authors"),
    why: "one valid iD among three people, an organisation, nobody, a wrong check digit; an access right unknown",
    states: { "2.0": "pamua pauuu pmpam uuuuu pammu", "1.0": "mumpu upmup ampmm mmmuu uummm" },
    evidence: { creator_count: 4, person_creator_count: 3, creator_pid_count: 1 },
  },
  {
    file: "little-said.json",
    sourceId: makeProductId("10.5072/oa-little"),
    why: "OpenAIRE's own classification is not a subject; zero usage says nothing, zero citations do; a project nobody could name",
    states: { "2.0": "aaaua pauuu pmppp uuuuu pppau", "1.0": "auaau upmup pmppa mmauu uupaa" },
    evidence: { view_count: null, citation_count: 0, organization_pid_count: null, funder_count: 1, award_count: 0 },
    fields: { version: null },
  },
  {
    file: "malformed-values.json",
    sourceId: makeProductId("10.5072/oa-malformed"),
    why: "nothing has its type: all that is pledged fails",
    states: { "2.0": "fffuf ffuuu fffff uuuuu ffffu", "1.0": "fuffu uffuf fffff fffuu uufff" },
  },
  {
    file: "singular-keys.json",
    sourceId: makeProductId("10.5072/oa-singular"),
    why: "the same product in the keys of Graph API v1",
    states: PLAIN,
  },
  {
    file: "dump.json",
    sourceId: makeProductId("10.5072/oa-dump"),
    why: "the keys of a dump, which leaves out what is empty and perhaps more: not carried",
    states: { "2.0": "mmmum pauuu ppppp uuuuu ppmmu", "1.0": "mummu upmup ppppm mmmuu uummm" },
    fields: { title: "Example of the dumps", pubDate: "2019-01-01" },
  },
  {
    file: "list-answer.json",
    sourceId: makeProductId("10.5072/oa-listed"),
    why: "an element of a list answer",
    states: PLAIN,
  },
  {
    file: "datacite-twin.json",
    sourceId: makeProductId("10.5072/complete-modern"),
    why: "a dataset DataCite knows too: one DOI, and far less to judge by",
    states: PLAIN,
    fields: { doi: "10.5072/complete-modern", versionFamily: "10.5072/complete-modern" },
  },
];

/** Returns the product with that id in a list of results, or the only product of a file. */
function findProduct(text: string, sourceId: string): unknown {
  const document: unknown = JSON.parse(text);
  const results = at(document, "results");
  return Array.isArray(results) ? results.find((product) => at(product, "id") === sourceId) : document;
}

testGolden("openaire", normaliseOpenaire, CASES, findProduct);

const context = { asOf: AS_OF, vocabularies };
const fixture = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/payloads/${path}`, import.meta.url), "utf8"));

describe("one dataset that three sources have", () => {
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

  test("becomes one record of Dryad, and its other ids are aliases", async () => {
    const { record, alias } = await resolved(["openaire", "datacite", "dryad"]);
    expect(record).toMatchObject([{ id: recordId(`dryad/${doi}`), source: "dryad", doi }]);
    expect(alias.map((row) => row.alias_identifier).toSorted()).toEqual([
      `datacite/${doi}`,
      `openaire/${makeProductId(doi)}`,
    ]);
    // Observed use is the largest value that any of the three sources has.
    expect(record).toMatchObject([{ views: 900, downloads: 70, citations: 12 }]);
  });

  test("becomes a record of DataCite if Dryad is not harvested", async () => {
    const { record } = await resolved(["openaire", "datacite"]);
    expect(record).toMatchObject([{ source: "datacite", doi, title: "As registered", views: 900 }]);
  });

  test("has other evidence at each source", () => {
    const merged = recordFrom(normaliseOpenaire, product, makeProductId(doi));
    const own = readRecord(dryad, fixture("dryad/complete.json"), doi);
    const known = readRecord(datacite, registered, doi);
    expect([merged, own, known].map(({ fields }) => fields.versionFamily)).toEqual([doi, doi, doi]);
    expect([merged, own, known].map(({ evidence }) => evidence.keyword_count)).toEqual([1, expect.any(Number), null]);
    expect([merged, own, known].map(({ evidence }) => evidence.license_spdx)).toEqual([null, "CC0-1.0", null]);
  });
});

describe("how payloads of OpenAIRE count", () => {
  test.each([
    { name: "a dataset", given: { type: "dataset" }, outcome: "record" },
    { name: "a publication", given: { type: "publication" }, outcome: "not_dataset" },
    { name: "another product", given: { type: "other" }, outcome: "not_dataset" },
    { name: "no type", given: { id: "x" }, outcome: "failed" },
    { name: "text", given: "dataset", outcome: "failed" },
    { name: "nothing", given: null, outcome: "tombstone" },
    {
      name: "a product merged into another",
      given: { type: "dataset", dataInfo: { deletedbyinference: true } },
      outcome: "tombstone",
    },
  ])("$name counts as $outcome", ({ given, outcome }) => {
    expect(normaliseOpenaire(given, "x", context).outcome).toBe(outcome);
  });

  test.each([
    { stamp: 1767323045000, updated: "2026-01-02T03:04:05.000Z" },
    { stamp: 0, updated: "2020-01-01T00:00:00.000Z" },
    { stamp: 1e300, updated: "2020-01-01T00:00:00.000Z" },
    { stamp: "yesterday", updated: "2020-01-01T00:00:00.000Z" },
  ])("the update time of $stamp is read, or the day of collection in its place", ({ stamp, updated }) => {
    const product = { type: "dataset", lastUpdateTimeStamp: stamp, dateOfCollection: "2020-01-01T00:00:00Z" };
    expect(normaliseOpenaire(product, "x", context).updated).toBe(updated);
  });
});

test("an author in OpenAIRE does not count as another contributor", () => {
  const product = { type: "dataset", authors: [{ fullName: "Bo, Ann" }], contributors: ["Ann Bo", "Acme"] };
  expect(readRecord(openaire, product, "x").evidence.contributor_count).toBe(1);
});

describe("results of OpenAIRE that are not products", () => {
  test.each([
    { file: "projects.json", detail: "a list of projects, not of products" },
    { file: "organisation.json", detail: "an entity of OpenAIRE's graph (organisation), not a product" },
  ])("in $file are rejected", ({ file, detail }) => {
    const text = readFileSync(new URL(`../../fixtures/payloads/openaire/${file}`, import.meta.url));
    expect(findRecords(text, openaire)).toEqual({
      records: [],
      rejected: [{ item: null, reason: "unknown-shape", detail }],
    });
  });

  test("are rejected if they are in a list with products, which are accepted", () => {
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

/** Describes a file: products of the Graph API, or another shape, which is rejected with its name. */
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

describe.skipIf(recorded === null)("recorded responses of OpenAIRE", () => {
  test("are records or other shapes", () => {
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

  test("include a product merged from six instances, which has its concept DOI", () => {
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
