/** Tests the reader of Dryad with responses in the forms of three periods, with and without the files of the version. */

import { describe, expect, test } from "vitest";
import { asObject, asText, at } from "../../pipeline/reading/reader.ts";
import { normaliseDatacite } from "../../pipeline/sources/datacite/normalise.ts";
import { normaliseDryad } from "../../pipeline/sources/dryad/normalise.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { payloadIn, readCapture } from "./capture-reading.ts";
import { AS_OF, type Captured, type FragmentCase, testFragments, vocabularies } from "./fragment.ts";
import { recordedAnswers, testGolden } from "./golden.ts";

type Fields = Readonly<Record<string, unknown>>;

const ID = "10.5072/dryad.x";

function normalise(payload: unknown, sourceId = ID) {
  return normaliseDryad(payload, sourceId, { asOf: AS_OF, vocabularies });
}

function read(payload: unknown): Captured {
  const normalised = normalise(payload);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

function table(name: string, cases: readonly FragmentCase<Fields>[]): void {
  describe(`${name} in a payload of Dryad`, () => testFragments(cases, (given) => read({ title: "t", ...given })));
}

testGolden("dryad", normaliseDryad, [
  {
    why: "all fields are filled, and the list of files is included",
    file: "complete.json",
    sourceId: "10.5072/dryad.complete",
    states: { "2.0": "ppuup pppmm ppppp ppppp ppppp", "1.0": "ppupp pppmp ppppp ppamu ppppp" },
  },
  {
    why: "the response has no list of files, because it was not requested",
    file: "bare.json",
    sourceId: "10.5072/dryad.bare",
    states: { "2.0": "pauua paaaa ppppp mmmmm aaaaa", "1.0": "aaupa aaaap ppppm mmmau aaapa" },
  },
  {
    why: "a response of 2019 had no fields for licence, journal and subject",
    file: "shape-2019.json",
    sourceId: "10.5072/dryad.shape-2019",
    states: { "2.0": "ppuum aaaaa mmmpp mmmmm aaaap", "1.0": "pmupm aaaaa pmmpm mmmau paapm" },
  },
  {
    why: "an embargo that has not ended hides the files",
    file: "embargoed.json",
    sourceId: "10.5072/dryad.embargoed",
    states: { "2.0": "pauum pppaa ppppa nnnnn papaa", "1.0": "amupm pppap pppam mmmau aappa" },
  },
  {
    why: "the embargo has ended, and the author is a consortium",
    file: "embargo-over.json",
    sourceId: "10.5072/dryad.embargo-over",
    states: { "2.0": "aauua aaaaa ppppa aaapa nnaaa", "1.0": "aauaa aaaaa ppppp mmmau aaapa" },
  },
  {
    why: "the list of files is only the first of several pages, the licence is missing, and texts are placeholders",
    file: "files-cut-short.json",
    sourceId: "10.5072/dryad.files-cut-short",
    states: { "2.0": "aauua aaaaa aaapa pmmpm paaaa", "1.0": "aauaa ppaaa paapp mmmau aaapa" },
  },
  {
    why: "all values have the wrong type",
    file: "malformed-values.json",
    sourceId: "10.5072/dryad.malformed-values",
    states: { "2.0": "ffuuf ffaff fffff fffff fffff", "1.0": "ffuff affff fffmf ffffu ffffa" },
  },
  {
    why: "works have DataCite's relation types, the licence is not open, and the files are on two pages",
    file: "relations.json",
    sourceId: "10.5072/dryad.relations",
    states: { "2.0": "ppuum ppppp ppapp ppapp pappp", "1.0": "amupm ppapp ppapp mmmpu apppa" },
  },
  {
    why: "the statement on human subjects is a copy of the usage notes",
    file: "notes-as-statement.json",
    sourceId: "10.5072/dryad.notes-as-statement",
    states: { "2.0": "pauup paamm ppppp mpmmm ppaap", "1.0": "aaupm apamp ppppm mmmmu ppama" },
  },
  {
    why: "the embargo has no end, lists are null, and there is no author",
    file: "embargo-open-end.json",
    sourceId: "10.5072/dryad.embargo-open-end",
    states: { "2.0": "aauum aaaaa aaapa nnnnn nnaaa", "1.0": "amumm aaaaa paamm mmmau aaapa" },
  },
  {
    why: "values are placeholders, markup or of the wrong type, and an error is in place of the files",
    file: "hostile.json",
    sourceId: "10.5072/dryad.hostile",
    states: { "2.0": "pauua aappp paapp mmmmm ppaap", "1.0": "apupa ppapa paapm mmmau aaapa" },
  },
]);

describe("the outcome of normalising payloads of Dryad", () => {
  test.each([
    { file: "complete.json", outcome: "record" },
    { file: "withdrawn.json", outcome: "tombstone" },
    { file: "peer-review.json", outcome: "tombstone" },
    { file: "not-viewable.json", outcome: "tombstone" },
    { file: "sparse.json", outcome: "failed" },
  ])("the payload in $file counts as $outcome", async ({ file, outcome }) => {
    expect(normalise(await payloadIn("dryad", file)).outcome).toBe(outcome);
  });

  test.each([
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "text", given: "gone", outcome: "failed" },
    {
      name: "a dataset that was retracted after publication",
      given: { title: "t", curationStatus: "Retracted", visibility: "public" },
      outcome: "tombstone",
    },
    {
      name: "a public dataset with an unknown status",
      given: { title: "t", curationStatus: "Checked", visibility: "public" },
      outcome: "record",
    },
    {
      name: "a dataset with an unknown status",
      given: { title: "t", curationStatus: "Checked" },
      outcome: "tombstone",
    },
  ])("a payload of Dryad ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalise(given).outcome).toBe(outcome);
  });
});

test("a Dryad response of 2019 counts each missing field as empty", () => {
  const { evidence, errors } = read({ storage_size: 1, title: "t", authors: [] });
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] === null)).toEqual([
    "subject_count",
    "contributor_count",
    "contributor_role_count",
    "coverage_date_count",
    "ethics_length",
    "access_declared",
    "access_open",
    "embargo_active",
    "license_text",
    "license_spdx",
    "license_permissive",
    "license_open",
    "file_count",
    "open_format_file_count",
    "inspectable_file_count",
    "documentation_file_count",
    "code_file_count",
    "manifest_file_count",
    "descriptive_filename_count",
    "view_count",
    "download_count",
    "citation_count",
    "mention_count",
    "version_stated",
    "venue_stated",
  ]);
  expect(errors.size).toBe(0);
});

const work = (relationship: string, identifier = "10.5072/a") => ({ relationship, identifierType: "DOI", identifier });

table("related works", [
  { name: "no works", given: {}, evidence: { reference_count: 0, related_identifier_count: 0, derivative_count: 0 } },
  {
    name: "an article without a relation: unknown if cited",
    given: { relatedWorks: [work("article")] },
    evidence: { reference_count: null, derivative_count: null, publication_link_count: 1, related_identifier_count: 1 },
  },
  {
    name: "a supplement and a data management plan",
    given: { relatedWorks: [work("supplemental_information"), work("data_management_plan", "10.5072/b")] },
    evidence: { publication_link_count: 0, data_link_count: 0, related_identifier_count: 2 },
  },
  {
    name: "works with the old and with the new terms",
    given: { relatedWorks: [work("Cites"), work("preprint", "10.5072/b")] },
    evidence: { reference_count: 1, reference_pid_count: 1, derivative_count: null, publication_link_count: 1 },
  },
]);

table("versions", [
  { name: "a version", given: { versionNumber: 2 }, evidence: { version_stated: true }, fields: { version: "2" } },
  { name: "a missing number: unknown", given: {}, evidence: { version_stated: null }, fields: { version: null } },
  {
    name: "a missing number beside works",
    given: { relatedWorks: [work("article")] },
    evidence: { version_stated: null },
  },
  { name: "an empty number", given: { versionNumber: null }, evidence: { version_stated: false } },
]);

table("use", [
  {
    name: "a response from before 2023 does not state it",
    given: {},
    evidence: { view_count: null, download_count: null, citation_count: null },
  },
  {
    name: "zero means zero, because Dryad counts use itself",
    given: { metrics: { views: 803, downloads: 68, citations: 0 } },
    evidence: { view_count: 803, download_count: 68, citation_count: 0 },
  },
  {
    name: "one of three counts",
    given: { metrics: { citations: 4 } },
    evidence: { view_count: null, download_count: null, citation_count: 4 },
  },
]);

table("access", [
  { name: "no status", given: {}, evidence: { access_declared: null, access_open: null, embargo_active: null } },
  {
    name: "published, without visibility",
    given: { curationStatus: "Published" },
    evidence: { access_declared: true, access_open: true, embargo_active: false },
    fields: { accessStatus: "Published" },
  },
  {
    name: "a public dataset",
    given: { curationStatus: "Published", visibility: "public" },
    evidence: { access_declared: true, access_open: true, embargo_active: false },
    fields: { accessStatus: "public" },
  },
  {
    name: "embargoed until publication, without another date",
    given: { curationStatus: "Embargoed", visibility: "public", publicationDate: "2026-11-02" },
    evidence: { access_declared: true, access_open: false, embargo_active: true },
    fields: { accessStatus: "Embargoed" },
  },
  {
    name: "embargoed until a date that cannot be read",
    given: { curationStatus: "Embargoed", embargoEndDate: "spring" },
    evidence: { access_open: false, embargo_active: null },
    errors: ["embargo_active"],
  },
]);

table("people and places", [
  {
    name: "identifiers of people and institutions",
    given: {
      authors: [
        { firstName: "Ann", lastName: "Bo", affiliation: "Uni ", affiliationROR: "https://ror.org/0abcdef12" },
        { firstName: "Cy", lastName: "Dee", affiliationISNI: "0000 0001 2188 0957", orcid: "0000-0002-1825-0097" },
      ],
    },
    evidence: { creator_count: 2, person_creator_count: 2, creator_pid_count: 1, organization_pid_count: 2 },
  },
  {
    name: "places by name, point and box; zero coordinates are a place",
    given: {
      locations: [
        { place: "Kiel", point: { latitude: 0, longitude: 0 } },
        { box: { swLatitude: 1, swLongitude: 1, neLatitude: 2, neLongitude: 2 } },
        { place: "N/A" },
        {},
      ],
    },
    evidence: { place_count: 3 },
  },
]);

test("the fields of a Dryad dataset, such as title, DOI and dates, are read", async () => {
  const normalised = normalise(await payloadIn("dryad", "complete.json"), "10.5072/dryad.complete");
  expect(normalised).toMatchObject({
    updated: "2025-03-05T00:00:00.000Z",
    fields: {
      doi: "10.5072/dryad.complete",
      repository: "Dryad",
      title: "Rain along an invented river",
      pubDate: "2025-03-04",
      url: "https://datadryad.org/dataset/doi:10.5072/dryad.complete",
      recordKind: "dataset",
      accessStatus: "public",
      license: "CC0-1.0",
      version: "1",
      versionFamily: "10.5072/dryad.complete",
    },
  });
});

test("a Dryad dataset has the same DOI and family in DataCite", () => {
  const doi = "10.5072/dryad.complete";
  const types = { resourceTypeGeneral: "Dataset" };
  const registry = normaliseDatacite({ id: doi, attributes: { types } }, doi, { asOf: AS_OF, vocabularies });
  const native = normalise({ identifier: `doi:${doi}`, title: "t" }, doi);
  const named = { fields: { doi, versionFamily: doi } };
  expect(registry).toMatchObject(named);
  expect(native).toMatchObject(named);
});

const recorded = recordedAnswers(["dryad"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  const documents = (recorded ?? [])
    .filter(({ path }) => path.endsWith(".json"))
    .map(({ text }): unknown => JSON.parse(text));

  test("recorded responses of Dryad give records for datasets, with and without the list of files", () => {
    const datasets = documents.flatMap((document) => {
      const list = at(document, "_embedded", "stash:datasets");
      return Array.isArray(list) ? list : asText(at(document, "identifier")) === null ? [] : [document];
    });
    const files = documents.filter(Array.isArray);
    expect([datasets.length, files.length]).toEqual([13, 4]);
    for (const dataset of datasets) {
      const id = (asText(at(dataset, "identifier")) ?? "").replace(/^doi:/, "");
      const bare = readCapture(normaliseDryad, dataset, id);
      expect(bare).toMatchObject({ outcome: "record", fields: { doi: id }, errors: new Set() });
      for (const pages of files) {
        const whole = readCapture(normaliseDryad, { dataset, files: pages }, id);
        expect(asObject(at(whole, "evidence"))?.file_count).toBeGreaterThan(0);
      }
    }
  });

  test("a related work without an identifier does not count, and software with a DOI counts as linked code", () => {
    const dataset = documents.find((document) => at(document, "identifier") === "doi:10.5061/dryad.z612jm6bj");
    expect(readCapture(normaliseDryad, dataset, "10.5061/dryad.z612jm6bj")).toMatchObject({
      evidence: { linked_code_count: 1, publication_link_count: 0, related_identifier_count: 1, creator_pid_count: 2 },
    });
  });
});
