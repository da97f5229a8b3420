/**
 * Tests the reader of Dataverse with metadata blocks, terms and files of several installations and years, as complete payloads
 * and as fragments.
 */

import { describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { asText, at } from "../../pipeline/reading/reader.ts";
import { normaliseDataverse } from "../../pipeline/sources/dataverse/normalise.ts";
import { dataverse } from "../../pipeline/sources/dataverse/source.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { payloadIn, readCapture } from "./capture-reading.ts";
import { AS_OF, type Captured, type FragmentCase, testFragments, vocabularies } from "./fragment.ts";
import { recordedAnswers, testGolden } from "./golden.ts";

type Values = Readonly<Record<string, unknown>>;

const ID = "10.5072/fk2/x";

function normalise(payload: unknown, sourceId = ID, isDraft = false) {
  return normaliseDataverse(payload, sourceId, { asOf: AS_OF, vocabularies, isDraft });
}

function record(payload: unknown): Captured {
  const normalised = normalise(payload);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/** The fields in the citation block of a dataset version, by name, and other keys of the version. */
interface Given {
  readonly fields?: Values;
  readonly version?: Values;
}

function read({ fields = {}, version = {} }: Given): Captured {
  const list = Object.entries(fields).map(([typeName, value]) => ({ typeName, value }));
  return record({ latestVersion: { metadataBlocks: { citation: { fields: list } }, ...version } });
}

/** Makes a compound value of Dataverse, in which each part has a typeName and a value. */
function compound(parts: Values): Values {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, { typeName: name, value }]));
}

function table(name: string, cases: readonly FragmentCase<Given>[]): void {
  describe(`${name} in a payload of Dataverse`, () => testFragments(cases, read));
}

testGolden("dataverse", normaliseDataverse, [
  {
    file: "complete.json",
    sourceId: "10.5072/fk2/complete",
    why: "all metadata blocks are filled, so every supported signal passes",
    states: { "2.0": "ppppp ppppp ppppp ppppp ppppp", "1.0": "ppppu ppppp ppppp uuuuu ppppp" },
    fields: {
      doi: "10.5072/fk2/complete",
      repository: "Elsewhere Dataverse",
      title: "Rain along an invented river",
      pubDate: "2024-05-06",
      url: "https://doi.org/10.5072/FK2/COMPLETE",
      version: "1.0",
      license: "CC-BY-4.0",
      accessStatus: "Public",
    },
    facets: [{ kind: "dataType", value: "Earth and Environmental Sciences" }],
  },
  {
    file: "minimal.json",
    sourceId: "10.5072/fk2/minimal",
    why: "the dataset has only required fields: the contact is the author, the licence is NONE, and there are no files with an access level",
    states: { "2.0": "paaaa aaaaa aaaam aaaaa nnaaa", "1.0": "aaapu aaaaa aaama uuuuu aaapa" },
  },
  {
    file: "restricted.json",
    sourceId: "10.5072/fk2/restricted",
    why: "one restricted file makes the access not open, but file names are still visible; the article has no identifier",
    states: { "2.0": "ppppa paaaa ppppa paapa aaaaa", "1.0": "aappu aamap ppppp uuuuu paapa" },
    fields: { accessStatus: "Restricted", license: "CC0-1.0" },
  },
  {
    file: "embargoed.json",
    sourceId: "10.5072/fk2/embargoed",
    why: "the files are under embargo, the terms are free text, two fields together have fifty characters of methods, and there is no author",
    states: { "2.0": "aaaaa ppppa paapa ppppp nnpaa", "1.0": "aaaau paapp paaap uuuuu aappa" },
    fields: { accessStatus: "Embargoed then Public" },
  },
  {
    file: "without-files.json",
    sourceId: "10.5072/fk2/without-files",
    why: "the response lacks files and version number, creators have an ORCID iD and an ISNI, and one work cites the dataset",
    states: { "2.0": "pappp ppapp pppmm mmmmm ppaap", "1.0": "ppppu apapp mppmm uuuuu paama" },
  },
  {
    file: "malformed-values.json",
    sourceId: "10.5072/fk2/malformed-values",
    why: "every block has values of the wrong type",
    states: { "2.0": "fffff fffff fffff fffff fffff", "1.0": "ffffu fffff fffff uuuuu fafmf" },
  },
  {
    file: "hostile.json",
    sourceId: "10.5072/fk2/hostile",
    why: "the payload has nulls, placeholders, an ISSN for an article, flags as words, and an affiliation given as a ROR URL",
    states: { "2.0": "papaa paaaa ppaam apapp pppap", "1.0": "aappu appap apamp uuuuu ppppa" },
    creators: [{ name: "Northwind, Ada", affiliations: [{ text: "University of Elsewhere", ror: "0abcdef12" }] }],
  },
  {
    file: "handle.json",
    sourceId: "hdl:10864/99001",
    why: "a minimal dataset has a handle, no named installation, one archive, and a licence that is open but not permissive",
    states: { "2.0": "ppaap paaaa ppppp aaaap nnaaa", "1.0": "aaapu aaaap ppapp uuuuu aaapa" },
    fields: {
      doi: null,
      repository: null,
      url: "https://hdl.handle.net/10864/99001",
      versionFamily: "dataverse/hdl:10864/99001",
    },
  },
  {
    file: "works.json",
    sourceId: "10.5072/fk2/works",
    why: "related works are given by relation, as text and as a URL in text; the licence is in the terms of use",
    states: { "2.0": "aaaaa aaapp pppmm mmmmm nnaap", "1.0": "aaaau aaapa mppmm uuuuu ppapa" },
    evidence: { reference_count: 2, reference_pid_count: 2, data_link_count: 1, related_identifier_count: 2 },
  },
  {
    file: "shape-2014.json",
    sourceId: "10.5072/fk2/shape-2014",
    why: "files in the form of 2014 have no access flag, so access is unknown; the subject Other is not a keyword",
    states: { "2.0": "aaaaa aaaaa pppmm paapp nnaaa", "1.0": "aaaau aaaaa mppmp uuuuu aaapa" },
    evidence: { keyword_count: 0, access_declared: null, access_open: null, file_count: 2 },
    fields: { accessStatus: null },
  },
  {
    file: "embargo-bad-date.json",
    sourceId: "10.5072/fk2/embargo-bad-date",
    why: "the end of the embargo cannot be read, an organisation has a ROR id, a series is not a venue, and the licence is missing",
    states: { "2.0": "aaaaa aaaaa aaapf aaapp nnaaa", "1.0": "aaaau aapaa paafp uuuuu aaapa" },
  },
]);

describe("the outcome of normalising payloads of Dataverse", () => {
  test.each([
    { file: "deaccessioned.json", outcome: "tombstone" },
    { file: "draft.json", outcome: "tombstone" },
    { file: "software.json", outcome: "not_dataset" },
    { file: "search-item.json", outcome: "failed" },
  ])("the payload in $file counts as $outcome", async ({ file, outcome }) => {
    expect(normalise(await payloadIn("dataverse", file)).outcome).toBe(outcome);
  });

  test.each([
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "a version without blocks", given: { data: { latestVersion: { versionNumber: 1 } } }, outcome: "failed" },
    { name: "an error", given: { status: "ERROR", message: "Not found" }, outcome: "failed" },
  ])("a payload of Dataverse ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalise(given).outcome).toBe(outcome);
  });
});

describe("drafts of Dataverse", () => {
  const version = (versionState: string, title: string) => ({
    versionState,
    metadataBlocks: { citation: { fields: [{ typeName: "title", value: title }] } },
  });

  test("a draft of Dataverse is read as a record if its owner submits it", async () => {
    expect(normalise(await payloadIn("dataverse", "draft.json"), ID, true)).toMatchObject({
      outcome: "record",
      fields: { title: "Rain, not yet" },
    });
    expect(normalise(await payloadIn("dataverse", "deaccessioned.json"), ID, true).outcome).toBe("tombstone");
  });

  test.each([
    { name: "the draft for its owner", states: ["DRAFT", "RELEASED"], isDraft: true, title: "0" },
    { name: "the released version for all others", states: ["DRAFT", "RELEASED"], isDraft: false, title: "1" },
    { name: "the newest version", states: ["RELEASED", "RELEASED"], isDraft: false, title: "0" },
    {
      name: "the newest version that is not withdrawn",
      states: ["DEACCESSIONED", "RELEASED"],
      isDraft: false,
      title: "1",
    },
  ])("a Dataverse response with several versions is read as $name", ({ states, isDraft, title }) => {
    const data = states.map((state, i) => version(state, String(i)));
    expect(normalise({ data }, ID, isDraft)).toMatchObject({ outcome: "record", fields: { title } });
  });

  test("a draft of Dataverse is a tombstone if the dataset has no other version that is visible", () => {
    const data = [version("DRAFT", "0"), version("DEACCESSIONED", "1")];
    expect(normalise({ data })).toMatchObject({ outcome: "tombstone", reason: "version state is DRAFT" });
  });
});

describe("forms of datasets", () => {
  const version = {
    datasetPersistentId: `doi:${ID.toUpperCase()}`,
    versionNumber: 2,
    versionState: "RELEASED",
    releaseTime: "2024-05-06T07:08:09Z",
    license: { name: "CC0 1.0", uri: "http://creativecommons.org/publicdomain/zero/1.0" },
    metadataBlocks: { citation: { fields: [{ typeName: "title", value: "Rain" }] } },
    files: [{ label: "README.md", restricted: false, dataFile: { filename: "README.md" } }],
  };
  const dataset = { protocol: "doi", authority: "10.5072", identifier: "FK2/X", publisher: "Elsewhere" };
  const FORMS = [
    { name: "a response of the native API", payload: { status: "OK", data: { ...dataset, latestVersion: version } } },
    { name: "an export in the format dataverse_json", payload: { ...dataset, datasetVersion: version } },
    { name: "a response to /versions/:latest", payload: { status: "OK", data: version } },
    { name: "a response to /versions", payload: { status: "OK", data: [version, { ...version, files: [] }] } },
    { name: "a version alone", payload: version },
    { name: "a list of versions", payload: [version] },
  ];

  test.each(FORMS)("the forms in which Dataverse sends a dataset all give the same record: $name", ({ payload }) => {
    expect(normalise(payload)).toMatchObject({
      outcome: "record",
      updated: "2024-05-06T07:08:09.000Z",
      fields: { doi: ID, title: "Rain", version: "2", license: "CC0-1.0", pubDate: "2024-05-06" },
      evidence: { file_count: 1, license_spdx: "CC0-1.0", access_open: true },
    });
    const found = findRecords(Buffer.from(JSON.stringify(payload)), dataverse);
    expect(found.rejected).toEqual([]);
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual([ID]);
  });

  test("the forms in which Dataverse sends a dataset include a deposit that has no identifier yet", () => {
    const { license, metadataBlocks } = version;
    const deposit = { datasetVersion: { license, metadataBlocks } };
    expect(normalise(deposit)).toMatchObject({
      outcome: "record",
      evidence: { file_count: null, version_stated: null },
    });
    expect(dataverse.readDraft?.(deposit)).toBe(deposit);
    expect(dataverse.identify(deposit)).toBeNull();
  });

  test("the forms in which Dataverse sends a dataset can state the type of the dataset in the version or beside it", () => {
    const { metadataBlocks } = version;
    for (const payload of [
      { datasetType: "software", datasetVersion: { metadataBlocks } },
      { data: { datasetType: "software", metadataBlocks } },
    ]) {
      expect(normalise(payload).outcome).toBe("not_dataset");
    }
  });

  test("the forms in which Dataverse sends a dataset include a version without metadata blocks, which is a failed record", () => {
    const payload = { data: [{ datasetId: 7, versionState: "RELEASED", datasetPersistentId: `doi:${ID}` }] };
    expect(dataverse.identify(payload)).toBe(ID);
    expect(normalise(payload).outcome).toBe("failed");
  });

  test.each([
    { name: "a list of other objects", document: [{ metadataBlocks: {} }, { title: "Rain" }] },
    { name: "an empty list", document: { status: "OK", data: [] } },
    { name: "only metadata blocks", document: { data: { displayName: "Citation Metadata", fields: [] } } },
  ])("the forms in which Dataverse sends a dataset do not include $name, which is rejected", ({ document }) => {
    expect(dataverse.readShape(document)).toMatchObject({ kind: "rejected", reason: "unknown-shape" });
    expect(dataverse.readDraft?.(document)).toBeNull();
  });
});

test("fields that are missing in a Dataverse version with empty blocks count as empty", () => {
  const { evidence, errors } = read({ version: { versionNumber: 1, files: [] } });
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] === null)).toEqual([
    "ethics_length",
    "access_open",
    "embargo_active",
    "view_count",
    "download_count",
    "citation_count",
    "derivative_count",
    "mention_count",
  ]);
  expect(errors.size).toBe(0);
});

const NO_LICENCE = { license_text: "", license_spdx: "", license_permissive: false, license_open: false };

table("licence and terms", [
  { name: "no licence", given: {}, evidence: NO_LICENCE },
  { name: "the licence NONE", given: { version: { license: "NONE" } }, evidence: NO_LICENCE },
  {
    name: "custom terms with their usual name",
    given: { version: { license: { name: "Custom Dataset Terms" }, termsOfUse: "<p>Ask first.</p>" } },
    evidence: { ...NO_LICENCE, license_text: "Ask first." },
  },
  {
    name: "a licence by its SPDX id",
    given: { version: { license: { name: "CC0 1.0", uri: "", rightsIdentifier: "CC0-1.0" } } },
    evidence: { license_text: "CC0 1.0", license_spdx: "CC0-1.0" },
  },
]);

table("people", [
  {
    name: "an author's affiliation as text has no id",
    given: { fields: { author: [compound({ authorName: "Bo, Ann", authorAffiliation: "Uni" })] } },
    evidence: { creator_count: 1, person_creator_count: 1, creator_pid_count: 0, organization_pid_count: null },
  },
  {
    name: "one author outside a list",
    given: { fields: { author: compound({ authorName: "Bo, Ann" }) } },
    evidence: { creator_count: 1, organization_pid_count: 0 },
  },
  {
    name: "a contact who is also an author, and a producer in two fields",
    given: {
      fields: {
        author: [compound({ authorName: "Bo, Ann" })],
        datasetContact: [compound({ datasetContactName: "Ann Bo" })],
        producer: [compound({ producerName: "Acme" })],
        distributor: [compound({ distributorName: "Acme" })],
      },
    },
    evidence: { contributor_count: 1, contributor_role_count: 1 },
  },
]);

table("files", [
  {
    name: "an embargo that has ended",
    given: {
      version: {
        files: [{ label: "a.csv", restricted: false, dataFile: { embargo: { dateAvailable: "2026-11-01" } } }],
      },
    },
    evidence: { access_declared: true, access_open: true, embargo_active: false, file_count: 1 },
    fields: { accessStatus: "Public" },
  },
]);

const retained = (dateUnavailable: string, restricted = false) => ({
  version: {
    files: [
      { label: "a.csv", restricted: false },
      { label: "b.csv", restricted, dataFile: { retention: { dateUnavailable, reason: "agreed" } } },
    ],
  },
});

table("retention", [
  {
    name: "a retention period that has ended: not open",
    given: retained("2026-11-01"),
    evidence: { access_declared: true, access_open: false, embargo_active: false, file_count: 2 },
    fields: { accessStatus: "Retention Period Expired" },
  },
  {
    name: "a retention period that continues",
    given: retained("2026-11-02"),
    evidence: { access_open: true },
    fields: { accessStatus: "Public" },
  },
  {
    name: "a restricted file with a retention period that continues",
    given: retained("2026-11-02", true),
    evidence: { access_open: false },
    fields: { accessStatus: "Restricted" },
  },
  {
    name: "an invalid date",
    given: retained("someday"),
    evidence: { access_open: null },
    errors: ["access_open"],
  },
]);

table("terms and code", [
  {
    name: "a keyword by the URL of its term, with and without a label",
    given: {
      fields: {
        keyword: [
          compound({ keywordValue: "rain", keywordTermURI: "https://terms.example.org/rain" }),
          compound({ keywordTermURI: "https://terms.example.org/ice" }),
          compound({ keywordValue: "river" }),
        ],
      },
    },
    evidence: { keyword_count: 3, subject_count: 2 },
  },
  {
    name: "the repository of software in the block codeMeta20",
    given: { fields: { codeRepository: ["https://git.example.org/rain/model"] } },
    evidence: { linked_code_count: 1, related_identifier_count: 1 },
  },
  {
    name: "the repository of a workflow in its block",
    given: { fields: { workflowCodeRepository: ["https://git.example.org/rain/flow", "on request"] } },
    evidence: { linked_code_count: 1 },
  },
]);

const recorded = recordedAnswers(["dataverse"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of Dataverse give records for datasets, and none for searches and facts about the installation", () => {
    const outcomes: Record<string, number> = {};
    for (const { path, text } of recorded ?? []) {
      const document: unknown = JSON.parse(text);
      const id = `${asText(at(document, "data", "authority"))}/${asText(at(document, "data", "identifier"))}`;
      const { outcome } = readCapture(normaliseDataverse, document, id.toLowerCase());
      const kind = path.includes("datasets_persistentId") ? "dataset" : "other";
      outcomes[`${kind}: ${outcome}`] = (outcomes[`${kind}: ${outcome}`] ?? 0) + 1;
    }
    expect(outcomes).toEqual({ "dataset: record": 3, "other: failed": 4 });
  });

  test.each([
    {
      file: "DVN_5WTSUZ.json",
      evidence: {
        file_count: 11,
        documentation_file_count: 1,
        license_spdx: "",
        access_open: true,
        venue_stated: false,
      },
    },
    {
      file: "DVN_Q5PV4U.json",
      evidence: { file_count: 8, license_text: "", place_count: 1, venue_stated: true, contributor_count: 0 },
    },
    { file: "DVN_TJCLKP__2.json", evidence: { file_count: 111, license_spdx: "CC0-1.0", creator_pid_count: 1 } },
  ])("recorded responses of Dataverse give the expected evidence: $file", ({ file, evidence }) => {
    const found = (recorded ?? []).find(({ path }) => path.endsWith(file));
    expect(readCapture(normaliseDataverse, JSON.parse(found?.text ?? "null"), ID)).toMatchObject({
      evidence,
      errors: new Set(),
    });
  });
});
