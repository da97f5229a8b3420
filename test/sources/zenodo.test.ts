/**
 * Tests the reader of Zenodo with fragments of payloads in the forms since 2018, in which fields are filled, left out or
 * garbled.
 */

import { describe, expect, test } from "vitest";
import { normaliseZenodo } from "../../pipeline/sources/zenodo/normalise.ts";
import { zenodo } from "../../pipeline/sources/zenodo/source.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { AS_OF, type FragmentCase, normalisePayload, readRecord, testFragments } from "./fragment.ts";
import { testGolden } from "./golden.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a record outside `metadata`, and the fields in `metadata`. */
interface Given {
  readonly record?: Fields;
  readonly metadata?: Fields;
}

const ID = "42";

function payload({ record = {}, metadata = {} }: Given): unknown {
  return { id: 42, ...record, metadata: { resource_type: { type: "dataset" }, ...metadata } };
}

function read(given: Given, asOf = AS_OF) {
  return readRecord(zenodo, payload(given), ID, asOf);
}

function table(name: string, cases: readonly FragmentCase<Given>[]): void {
  describe(`${name} in a payload of Zenodo`, () => testFragments(cases, read));
}

/**
 * Makes cases for a key that Zenodo leaves out when it is empty: the key is missing, null, an empty list (which all count as
 * empty) or not a list.
 */
function listCases(key: string, columns: readonly EvidenceName[]): FragmentCase<Given>[] {
  const all = (value: unknown) => Object.fromEntries(columns.map((column) => [column, value]));
  return [
    { name: `no ${key}`, given: {}, evidence: all(0) },
    { name: `${key} is null`, given: { metadata: { [key]: null } }, evidence: all(0) },
    { name: `${key} is empty`, given: { metadata: { [key]: [] } }, evidence: all(0) },
    { name: `${key} is text`, given: { metadata: { [key]: "a" } }, evidence: all(null), errors: columns },
  ];
}

test("a complete Zenodo response counts each missing field as empty", () => {
  const { evidence, errors } = read({ record: { stats: {} } });
  const unknown = EVIDENCE_NAMES.filter((name) => evidence[name] === null);
  expect(unknown).toEqual([
    "ethics_length",
    "organization_pid_count",
    "access_declared",
    "access_open",
    "embargo_active",
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
  ]);
  expect(errors.size).toBe(0);
});

describe("the outcome of normalising payloads of Zenodo", () => {
  test.each([
    { name: "a dataset", given: payload({}), outcome: "record" },
    { name: "an upload type of the old shape", given: { metadata: { upload_type: "dataset" } }, outcome: "record" },
    { name: "software", given: payload({ metadata: { resource_type: { type: "software" } } }), outcome: "not_dataset" },
    { name: "a type without a name", given: payload({ metadata: { resource_type: {} } }), outcome: "not_dataset" },
    { name: "an incomplete response", given: { metadata: { title: "t" } }, outcome: "failed" },
    { name: "no metadata", given: { id: 42 }, outcome: "failed" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "a deleted record", given: payload({ record: { status: "deleted" } }), outcome: "tombstone" },
    {
      name: "a deleted record of the old shape",
      given: payload({ record: { state: "deleted" } }),
      outcome: "tombstone",
    },
    {
      name: "a published record",
      given: payload({ record: { state: "done", status: "published" } }),
      outcome: "record",
    },
    { name: "null", given: null, outcome: "tombstone" },
  ])("a payload of Zenodo ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalisePayload(zenodo, given, ID).outcome).toBe(outcome);
  });
});

const NO_FILES = {
  file_count: null,
  open_format_file_count: null,
  inspectable_file_count: null,
  documentation_file_count: null,
  code_file_count: null,
  manifest_file_count: null,
  descriptive_filename_count: null,
};
const FILE_COUNTS = {
  file_count: 4,
  open_format_file_count: 3,
  inspectable_file_count: 3,
  documentation_file_count: 1,
  code_file_count: 1,
  manifest_file_count: 0,
  descriptive_filename_count: 2,
};
const NAMES = ["README.md", "rainfall-daily-2019.csv", "run.py", "data1.sav"];

function files(list: unknown, access_right: unknown = "open"): Given {
  return { record: { files: list }, metadata: { access_right } };
}

table("files", [
  {
    name: "files with bucket and key, an older form",
    given: files(NAMES.map((key) => ({ bucket: "b", key, type: "x", checksum: "md5:0", size: 1 }))),
    evidence: FILE_COUNTS,
  },
  {
    name: "files with filename and filesize, an older form",
    given: files(NAMES.map((filename) => ({ id: "1", filename, filesize: 1, checksum: "0" }))),
    evidence: FILE_COUNTS,
  },
  {
    name: "files in today's form",
    given: files(NAMES.map((key) => ({ id: "1", key, size: 1, checksum: "md5:0", links: { self: "x" } }))),
    evidence: FILE_COUNTS,
  },
  { name: "no key for files", given: { metadata: { access_right: "open" } }, evidence: NO_FILES },
  {
    name: "an open record without files",
    given: files([]),
    evidence: { file_count: 0, descriptive_filename_count: 0 },
  },
  { name: "a restricted record without files, which are hidden", given: files([], "restricted"), evidence: NO_FILES },
  { name: "a closed record without files, which are hidden", given: files([], "closed"), evidence: NO_FILES },
  { name: "an embargoed record without files, which are hidden", given: files([], "embargoed"), evidence: NO_FILES },
  {
    name: "a restricted record with some files",
    given: files([{ key: "a.csv" }], "restricted"),
    evidence: { file_count: 1 },
  },
  {
    name: "a text in place of a list of files",
    given: files("a.csv"),
    evidence: NO_FILES,
    errors: [
      "file_count",
      "open_format_file_count",
      "inspectable_file_count",
      "documentation_file_count",
      "code_file_count",
      "manifest_file_count",
      "descriptive_filename_count",
    ],
  },
  {
    name: "pieces of a split file count as the file",
    given: files(
      ["dataset.tsv.gz.part-aa", "dataset.tsv.gz.part-ab", "rainfall.tsv.gz.part01"].map((key) => ({ key })),
    ),
    evidence: { file_count: 3, descriptive_filename_count: 1 },
  },
]);

const NO_LICENCE = { license_text: "", license_spdx: "", license_permissive: false, license_open: false };

table("licence", [
  { name: "no licence", given: {}, evidence: NO_LICENCE, fields: { license: null } },
  { name: "a licence that is null", given: { metadata: { license: null } }, evidence: NO_LICENCE },
  { name: "an id that is null", given: { metadata: { license: { id: null } } }, evidence: NO_LICENCE },
  {
    name: "an id in lower case",
    given: { metadata: { license: { id: "cc-by-4.0" } } },
    evidence: { license_text: "cc-by-4.0", license_spdx: "CC-BY-4.0", license_permissive: true, license_open: true },
    fields: { license: "CC-BY-4.0" },
  },
  {
    name: "a licence id in capitals",
    given: { metadata: { license: { id: "CC-BY-4.0" } } },
    evidence: { license_text: "CC-BY-4.0", license_spdx: "CC-BY-4.0" },
  },
  {
    name: "an id as text",
    given: { metadata: { license: "cc-zero" } },
    evidence: { license_text: "cc-zero", license_spdx: "CC0-1.0" },
  },
  {
    name: "a word that is not a licence",
    given: { metadata: { license: { id: "other-pd" } } },
    evidence: { ...NO_LICENCE, license_text: "other-pd" },
    fields: { license: "other-pd" },
  },
  {
    name: "a list in place of a licence",
    given: { metadata: { license: ["cc-by-4.0"] } },
    evidence: { license_text: null, license_spdx: null, license_permissive: null, license_open: null },
    errors: ["license_text", "license_spdx", "license_permissive", "license_open"],
  },
]);

const SILENT = { access_declared: null, access_open: null, embargo_active: null };

table("access", [
  { name: "no access right", given: {}, evidence: SILENT, fields: { accessStatus: null } },
  { name: "null access", given: { metadata: { access_right: null } }, evidence: { ...SILENT, access_declared: false } },
  { name: "blank access", given: { metadata: { access_right: " " } }, evidence: { ...SILENT, access_declared: false } },
  {
    name: "open access",
    given: { metadata: { access_right: "open" } },
    evidence: { access_declared: true, access_open: true, embargo_active: false },
    fields: { accessStatus: "open" },
  },
  {
    name: "an id in capitals",
    given: { metadata: { access_right: "Open" } },
    evidence: { access_declared: true, access_open: true, embargo_active: false },
  },
  {
    name: "restricted access",
    given: { metadata: { access_right: "restricted" } },
    evidence: { access_declared: true, access_open: false, embargo_active: false },
  },
  {
    name: "closed access",
    given: { metadata: { access_right: "closed" } },
    evidence: { access_declared: true, access_open: false, embargo_active: false },
  },
  {
    name: "embargoed access until tomorrow",
    given: { metadata: { access_right: "embargoed", embargo_date: "2026-11-02" } },
    evidence: { access_declared: true, access_open: false, embargo_active: true },
  },
  {
    name: "embargoed access until today",
    given: { metadata: { access_right: "embargoed", embargo_date: "2026-11-01" } },
    evidence: { access_open: false, embargo_active: false },
  },
  {
    name: "embargoed access without a date, so that the end is unknown",
    given: { metadata: { access_right: "embargoed" } },
    evidence: { access_open: false, embargo_active: null },
  },
  {
    name: "embargoed access until a date that cannot be read",
    given: { metadata: { access_right: "embargoed", embargo_date: "spring" } },
    evidence: { access_open: false, embargo_active: null },
    errors: ["embargo_active"],
  },
  {
    name: "open access after the end of an embargo",
    given: { metadata: { access_right: "open", embargo_date: "2020-01-01" } },
    evidence: { access_open: true, embargo_active: false },
  },
  {
    name: "open access with an embargo that has not ended",
    given: { metadata: { access_right: "open", embargo_date: "2030-01-01" } },
    evidence: { access_open: true, embargo_active: true },
  },
  {
    name: "an unknown access level",
    given: { metadata: { access_right: "half-open" } },
    evidence: SILENT,
    errors: ["access_declared", "access_open"],
  },
  {
    name: "a list in place of an access right",
    given: { metadata: { access_right: ["open"] } },
    evidence: SILENT,
    errors: ["access_declared", "access_open"],
  },
]);

table("keywords and subjects", [
  { name: "no fields for keywords and subjects", given: {}, evidence: { keyword_count: 0, subject_count: 0 } },
  {
    name: "keywords as text",
    given: { metadata: { keywords: "a, b" } },
    evidence: { keyword_count: null, subject_count: 0 },
    errors: ["keyword_count"],
  },
  {
    name: "keywords as text and a list of subjects",
    given: { metadata: { keywords: "a, b", subjects: [{ term: "x" }] } },
    evidence: { keyword_count: 1, subject_count: 1 },
    errors: ["keyword_count"],
  },
  {
    name: "keywords and subjects, each term once",
    given: {
      metadata: { keywords: ["Rain", "rain ", "", null, "N/A"], subjects: [{ term: "RAIN" }, { subject: "Snow" }, {}] },
    },
    evidence: { keyword_count: 2, subject_count: 2 },
  },
]);

table("contributors", [
  ...listCases("contributors", ["contributor_count", "contributor_role_count"]),
  {
    name: "with roles, without roles, and without a name",
    given: {
      metadata: {
        contributors: [
          { name: "A, B", type: "DataCurator" },
          { name: "C, D", type: "Other" },
          { name: "E, F" },
          { name: "Unknown", type: "Editor" },
          {},
        ],
      },
    },
    evidence: { contributor_count: 3, contributor_role_count: 1 },
  },
  {
    name: "a creator is not another contributor",
    given: {
      metadata: { creators: [{ name: "Bo, Ann" }], contributors: [{ name: "Bo, Ann", type: "ContactPerson" }] },
    },
    evidence: { contributor_count: 0, contributor_role_count: 0 },
  },
]);

table("creators", [
  ...listCases("creators", ["creator_count", "person_creator_count", "creator_pid_count"]),
  {
    name: "names, identifiers and types",
    given: {
      metadata: {
        creators: [
          { name: "Bo, Ann", orcid: "0000-0002-1825-0097", affiliation: null },
          { name: "Bo, Ann", orcid: "https://orcid.org/0000-0002-1825-0097" },
          { name: "Cy Dee", orcid: "0000-0002-1825-0098" },
          { name: "Institute", type: "Organizational" },
          { name: "Ed", type: "personal" },
          { name: "Anonymous" },
        ],
      },
    },
    evidence: { creator_count: 5, person_creator_count: 3, creator_pid_count: 1, organization_pid_count: null },
  },
]);

table("places and coverage", [
  {
    name: "today's form, which omits empty fields",
    given: { record: { stats: {} } },
    evidence: { place_count: 0, coverage_date_count: 0 },
  },
  {
    name: "an older form, which did not have the field",
    given: {},
    evidence: { place_count: null, coverage_date_count: null },
  },
  {
    name: "an older form with the field",
    given: {
      metadata: {
        locations: [{ place: "Kiel" }, { lat: 1, lon: 2 }, {}],
        dates: [{ type: "Collected", start: "2010" }],
      },
    },
    evidence: { place_count: 2, coverage_date_count: 1 },
  },
  {
    name: "dates of collection, but not of creation",
    given: {
      record: { stats: {} },
      metadata: {
        dates: [
          { type: "Collected", start: "2010-01-01", end: "2010-12-31" },
          { type: "Valid", end: "2012" },
          { type: "Created", start: "2010" },
          { type: "Withdrawn", start: "2010" },
        ],
      },
    },
    evidence: { coverage_date_count: 2 },
  },
  {
    name: "an unreadable date",
    given: { metadata: { dates: [{ type: "Collected", start: "in May" }] } },
    evidence: { coverage_date_count: null },
    errors: ["coverage_date_count"],
  },
  {
    name: "texts in place of lists of places and dates",
    given: { metadata: { locations: "Kiel", dates: "2010" } },
    evidence: { place_count: null, coverage_date_count: null },
    errors: ["place_count", "coverage_date_count"],
  },
]);

table("texts", [
  { name: "no description", given: {}, evidence: { description_length: 0, methods_length: 0 } },
  {
    name: "HTML removed, entities decoded",
    given: { metadata: { description: "<p>a &lt; b</p><p>c</p>", method: "<b>m</b>" } },
    evidence: { description_length: 7, methods_length: 1 },
  },
  { name: "a placeholder", given: { metadata: { description: "<p>TODO</p>" } }, evidence: { description_length: 0 } },
  {
    name: "a list in place of a description",
    given: { metadata: { description: ["a"] } },
    evidence: { description_length: null },
    errors: ["description_length"],
  },
]);

table("use", [
  { name: "no statistics", given: {}, evidence: { view_count: null, download_count: null } },
  { name: "null statistics", given: { record: { stats: null } }, evidence: { view_count: null, download_count: null } },
  {
    name: "zero, which counts as known for Zenodo",
    given: { record: { stats: { views: 0, downloads: 0 } } },
    evidence: { view_count: 0, download_count: 0 },
  },
  {
    name: "counts of this version, which are preferred to those of all versions",
    given: { record: { stats: { views: 9, version_views: 3, downloads: 9 } } },
    evidence: { view_count: 3, download_count: 9 },
  },
  {
    name: "plain counts, which were those of this version until October 2023",
    given: { record: { stats: { views: 3.0, version_views: 9.0, downloads: 5.0, version_downloads: 130.0 } } },
    evidence: { view_count: 3, download_count: 5 },
  },
  {
    name: "counts of all versions, if there are no others",
    given: { record: { stats: { views: 9, version_downloads: 4 } } },
    evidence: { view_count: 9, download_count: 4 },
  },
  {
    name: "one count as text",
    given: { record: { stats: { views: 9, version_views: "many", downloads: 4 } } },
    evidence: { view_count: 9, download_count: 4 },
    errors: ["view_count"],
  },
  {
    name: "counts with decimals",
    given: { record: { stats: { views: 7.0, downloads: "5.0" } } },
    evidence: { view_count: 7, download_count: 5 },
  },
  {
    name: "words in place of counts",
    given: { record: { stats: { views: "many", downloads: {} } } },
    evidence: { view_count: null, download_count: null },
    errors: ["view_count", "download_count"],
  },
  {
    name: "a list in place of statistics",
    given: { record: { stats: [] } },
    evidence: { view_count: null, download_count: null },
    errors: ["view_count", "download_count"],
  },
]);

table("funding", [
  ...listCases("grants", ["funder_count", "award_count"]),
  {
    name: "grants and the newer list of funding",
    given: {
      metadata: {
        grants: [
          { code: "1", funder: { name: "EC" } },
          { code: "2", funder: { name: "EC" } },
        ],
        funding: [{ funder: { name: "DFG" }, award: { number: "3" } }, { funder: { id: "ror" } }],
      },
    },
    evidence: { funder_count: 3, award_count: 3 },
  },
  {
    name: "a deposit with a funder's DOI and an award in one id",
    given: { metadata: { grants: [{ id: "10.13039/501100000780::101000001" }] } },
    evidence: { funder_count: 1, award_count: 1 },
  },
  {
    name: "a deposit with awards of the European Commission by number, and others by funder",
    given: { metadata: { grants: [{ id: "101000001" }, { id: 101000002 }, { id: "10.13039/100000001::7" }] } },
    evidence: { funder_count: 2, award_count: 3 },
  },
  {
    name: "a deposit with ids that lack a funder or an award",
    given: { metadata: { grants: [{ id: "10.13039/501100000780::" }, { id: "x" }, { id: "" }, {}] } },
    evidence: { funder_count: 1, award_count: 0 },
  },
]);

const RELATION_COUNTS = [
  "reference_count",
  "reference_pid_count",
  "publication_link_count",
  "data_link_count",
  "linked_code_count",
  "derivative_count",
  "related_identifier_count",
] as const;

table("relations", [
  ...listCases("related_identifiers", RELATION_COUNTS).filter(({ errors = [] }) => errors.length === 0),
  {
    name: "related_identifiers as text",
    given: { metadata: { related_identifiers: "10.1/x", version: "2" } },
    evidence: { ...Object.fromEntries(RELATION_COUNTS.map((name) => [name, null])), version_stated: true },
    errors: [...RELATION_COUNTS, "version_stated"],
  },
  {
    name: "related works that are distinguished by relation, resource type and host",
    given: {
      metadata: {
        related_identifiers: [
          { relation: "isSupplementTo", identifier: "https://github.com/a/b", scheme: "url" },
          { relation: "cites", identifier: "10.1234/a", scheme: "doi" },
          { relation: "isSupplementTo", identifier: "10.1234/b", resource_type: "publication-article" },
          { relation: "isDerivedFrom", identifier: "10.1234/c", resource_type: "dataset" },
          { relation: "isCitedBy", identifier: "10.1234/d" },
          { relation: "isVersionOf", identifier: "10.1234/e" },
          { relation: "cites" },
        ],
      },
    },
    evidence: {
      reference_count: 1,
      reference_pid_count: 1,
      publication_link_count: 1,
      data_link_count: 2,
      linked_code_count: 1,
      related_identifier_count: 4,
      version_stated: true,
    },
  },
  {
    name: "references as text, some with an identifier",
    given: {
      metadata: {
        references: [
          "Bo (2010) A book",
          "Bo (2011) doi:10.1234/x",
          "PMID: 123",
          "",
          { reference: "https://example.org" },
        ],
      },
    },
    evidence: { reference_count: 4, reference_pid_count: 3, related_identifier_count: 0 },
  },
  {
    name: "references in one text, which are unreadable",
    given: { metadata: { references: "Bo (2010)" } },
    evidence: { reference_count: null, reference_pid_count: null },
    errors: ["reference_count", "reference_pid_count"],
  },
  {
    name: "unreadable references and a citing relation",
    given: { metadata: { references: "Bo", related_identifiers: [{ relation: "cites", identifier: "10.1234/a" }] } },
    evidence: { reference_count: 1, reference_pid_count: 1 },
    errors: ["reference_count", "reference_pid_count"],
  },
]);

const CODE = { "code:codeRepository": "https://git.example.org/rain" };

table("code", [
  {
    name: "a repository in its own field",
    given: { metadata: { custom: CODE } },
    evidence: { linked_code_count: 1, related_identifier_count: 1 },
  },
  {
    name: "a repository without a URL",
    given: { metadata: { custom: { "code:codeRepository": "on request" } } },
    evidence: { linked_code_count: 0, related_identifier_count: 0 },
  },
  {
    name: "a repository and unreadable relations",
    given: { metadata: { custom: CODE, related_identifiers: "10.1/x" } },
    evidence: { linked_code_count: 1, related_identifier_count: null },
    errors: [...RELATION_COUNTS, "version_stated"],
  },
  {
    name: "a placeholder as code repository",
    given: { metadata: { custom: { "code:codeRepository": "N/A" } } },
    evidence: { linked_code_count: 0 },
  },
]);

table("venue", [
  { name: "no venue", given: {}, evidence: { venue_stated: false } },
  { name: "a journal as venue", given: { metadata: { journal: { title: "J" } } }, evidence: { venue_stated: true } },
  {
    name: "a journal in the form of a deposit",
    given: { metadata: { journal_title: "J" } },
    evidence: { venue_stated: true },
  },
  { name: "a meeting as venue", given: { metadata: { meeting: { title: "M" } } }, evidence: { venue_stated: true } },
  {
    name: "a journal without a title",
    given: { metadata: { journal: { volume: "1" } } },
    evidence: { venue_stated: false },
  },
]);

table("fields", [
  {
    name: "the names and dates of a record",
    given: {
      record: { doi: "10.5281/ZENODO.42", conceptdoi: "10.5281/zenodo.41", conceptrecid: "41" },
      metadata: { title: "A &amp; B", publication_date: "2020-05-01", version: "v2" },
    },
    fields: {
      doi: "10.5281/zenodo.42",
      repository: "Zenodo",
      title: "A & B",
      pubDate: "2020-05-01",
      url: "https://zenodo.org/records/42",
      recordKind: "dataset",
      version: "v2",
      versionFamily: "10.5281/zenodo.41",
    },
  },
  {
    name: "a concept number without its DOI",
    given: { record: { conceptrecid: 41 } },
    fields: { versionFamily: "10.5281/zenodo.41" },
  },
  {
    name: "a DOI without a concept",
    given: { record: { doi: "10.5281/zenodo.42" } },
    fields: { versionFamily: "10.5281/zenodo.42" },
  },
  { name: "no concept and no DOI", given: {}, fields: { doi: null, versionFamily: "zenodo/42" } },
]);

describe("a record in the form of InvenioRDM", () => {
  interface RdmGiven {
    readonly record?: Fields;
    readonly metadata?: Fields;
  }
  const readRdm = ({ record = {}, metadata = {} }: RdmGiven) =>
    readRecord(zenodo, { id: "42", ...record, metadata: { resource_type: { id: "dataset" }, ...metadata } }, ID);
  const FILES = { enabled: true, entries: { "a.csv": { key: "a.csv" } } };
  const located = (...features: unknown[]) => ({ metadata: { locations: { features } } });
  const affiliated = (...affiliations: unknown[]) => ({
    metadata: { creators: [{ person_or_org: { type: "personal", name: "Bo, Ann" }, affiliations }] },
  });

  testFragments<RdmGiven>(
    [
      {
        name: "public access to a record without files, which is not open",
        given: {
          record: { access: { files: "public", status: "metadata-only" }, files: { enabled: false, count: 0 } },
        },
        evidence: { access_declared: true, access_open: false, embargo_active: false, file_count: 0 },
        fields: { accessStatus: "metadata-only" },
      },
      {
        name: "no files and no status",
        given: { record: { access: { files: "public" }, files: { enabled: false } } },
        evidence: { access_declared: true, access_open: false, file_count: 0 },
      },
      {
        name: "access that is open only by its status",
        given: { record: { access: { status: "open" }, files: FILES } },
        evidence: { access_declared: true, access_open: true, embargo_active: false, file_count: 1 },
      },
      {
        name: "access that is restricted only by its status, so that missing files are hidden",
        given: { record: { access: { status: "restricted" }, files: { enabled: true, entries: {} } } },
        evidence: { access_declared: true, access_open: false, file_count: null },
      },
      {
        name: "access that is embargoed only by its status",
        given: { record: { access: { status: "embargoed", embargo: { active: true, until: "2027-01-01" } } } },
        evidence: { access_declared: true, access_open: false, embargo_active: true },
      },
      {
        name: "an unknown status and the access to files",
        given: { record: { access: { status: "semi-open", files: "restricted" } } },
        evidence: { access_declared: true, access_open: false },
        fields: { accessStatus: "restricted" },
      },
      {
        name: "no statement on access",
        given: { record: { access: { record: "public" } } },
        evidence: { access_declared: null, access_open: null },
      },
      {
        name: "a polygon, a line, a point and a name, which each count as a place",
        given: located(
          {
            geometry: {
              type: "Polygon",
              coordinates: [
                [
                  [10, 54],
                  [11, 54],
                  [11, 55],
                  [10, 54],
                ],
              ],
            },
          },
          { geometry: { type: "MultiPolygon", coordinates: [[[[10, 54]]]] } },
          { geometry: { type: "Point", coordinates: [10, 54] } },
          { place: "Kiel" },
        ),
        evidence: { place_count: 4 },
      },
      {
        name: "a geometry without coordinates, which is not a place",
        given: located({ geometry: { type: "Polygon", coordinates: [[]] } }, { geometry: null }, {}),
        evidence: { place_count: 0 },
      },
      {
        name: "a code repository among the custom fields",
        given: { record: { custom_fields: CODE } },
        evidence: { linked_code_count: 1 },
      },
    ],
    readRdm,
  );

  test.each([
    {
      name: "a name and an id",
      given: affiliated({ name: "Uni", id: "0abcdef12" }),
      affiliations: [{ text: "Uni", ror: "0abcdef12" }],
    },
    {
      name: "only an id",
      given: affiliated({ id: "0abcdef12" }),
      affiliations: [{ text: "https://ror.org/0abcdef12", ror: "0abcdef12" }],
    },
    { name: "only a name", given: affiliated({ name: "Uni" }), affiliations: [{ text: "Uni", ror: null }] },
    { name: "neither a name nor an id", given: affiliated({}, { id: "uni" }, null), affiliations: [] },
  ])("affiliations of a Zenodo record are read from $name", ({ given, affiliations }) => {
    expect(readRdm(given).creators).toMatchObject([{ name: "Bo, Ann", affiliations }]);
  });
});

testGolden("zenodo", normaliseZenodo, [
  {
    file: "modern-files.json",
    sourceId: "99000001",
    why: "a simple open deposit has keywords, a licence, a table, a README and one article",
    states: { "2.0": "ppaaa paaaa ppppp paapp ppaap", "1.0": "aaapu apuap ppppp ppuau paapa" },
  },
  {
    file: "legacy-files.json",
    sourceId: "99000021",
    why: "a response before 2019 had no fields for places, dates and counts",
    states: { "2.0": "ppaaa paaaa ppppp aaapp ppaaa", "1.0": "mmapu apuap ppppp mmuau aaaaa" },
    evidence: { place_count: null, view_count: null, license_spdx: "CC-BY-4.0" },
  },
  {
    file: "rdm-dump.json",
    sourceId: "99000901",
    why: "a record of the JSON dump has the same facts under other keys",
    states: { "2.0": "ppppp pappp ppppp paapp ppppp", "1.0": "ppppu ppupp ppppp ppuau pappp" },
    evidence: { keyword_count: 3, subject_count: 1, view_count: 12, download_count: 3, file_count: 2, place_count: 1 },
    fields: { doi: "10.5281/zenodo.99000901", versionFamily: "10.5281/zenodo.99000900", accessStatus: "open" },
    creators: [
      {
        name: "Falk, Rune",
        orcid: "0000-0005-1000-0001",
        affiliations: [
          { text: "Kelp Laboratory", ror: null },
          { text: "Harbour School", ror: null },
        ],
      },
      { name: "Fjord Watch", person: false },
    ],
  },
  {
    file: "generic-file-names.json",
    sourceId: "99000081",
    why: "six file names are not descriptive, and one file is a table",
    states: { "2.0": "ppaaa paaaa ppppp aaapa ppaaa", "1.0": "aaapu apuap ppppp ppuau aaaaa" },
    evidence: { file_count: 6, descriptive_filename_count: 0 },
  },
  {
    file: "readme-code-manifest.json",
    sourceId: "99000085",
    why: "the files are documentation, code, manifests and NetCDF, so all signals in the bucket R pass",
    states: { "2.0": "ppaaa paaaa ppppp ppppp ppaaa", "1.0": "aaapu apuap ppppp ppuau aaaaa" },
  },
  {
    file: "related.json",
    sourceId: "99000079",
    why: "related works are code, data, a derived work, a version, and a book whose ISBN does not identify a reference",
    states: { "2.0": "ppaaa paapa ppppp ppapp ppaap", "1.0": "aaapu apupp ppppp ppupu apapa" },
    evidence: { linked_code_count: 1, derivative_count: 1, reference_count: 1, reference_pid_count: 0 },
  },
  {
    file: "contributors.json",
    sourceId: "99000075",
    why: "the record has people with roles, subjects with schemes, places, dates, a method, and two references of which one has a DOI",
    states: { "2.0": "ppppp pappp ppppp paapp ppaaa", "1.0": "ppppu ppupp ppppp ppuau aaaaa" },
    evidence: { contributor_count: 3, contributor_role_count: 2, reference_count: 2, reference_pid_count: 1 },
  },
  {
    file: "closed.json",
    sourceId: "99000071",
    why: "the record is closed and has no licence; its files are hidden, so 2.0 does not judge them, and 1.0 counts them as missing",
    states: { "2.0": "ppaaa paaaa aaapa nnnnn ppaaa", "1.0": "aaapu apuap paapm ppuau aaaaa" },
    evidence: { file_count: null, access_open: false },
  },
  {
    file: "embargo-future.json",
    sourceId: "99000065",
    why: "the embargo ends after the as-of date, so access is stated but not open, and the files are hidden",
    states: { "2.0": "ppaaa paaaa ppppa nnnnn ppaaa", "1.0": "aaapu apuap pppam ppuau aaaaa" },
    evidence: { embargo_active: true },
  },
  {
    file: "licence-other-open.json",
    sourceId: "99000031",
    why: "the licence is a word that does not identify one",
    states: { "2.0": "ppaaa paaaa paapp paapp ppaaa", "1.0": "aaapu apuap paapp ppuau aaaaa" },
    evidence: { license_text: "other-open", license_spdx: "" },
  },
]);
