/**
 * Tests the reader of OpenNeuro with complete responses, responses with few fields, nulls, and recorded
 * dataset_description.json files.
 */

import { describe, expect, test } from "vitest";
import { asObject, at } from "../../pipeline/reading/reader.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { normaliseOpenneuro } from "../../pipeline/sources/openneuro/normalise.ts";
import { openneuro } from "../../pipeline/sources/openneuro/source.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { payloadIn, readCapture } from "./capture-reading.ts";
import { AS_OF, type Captured, type FragmentCase, normalisePayload, testFragments, vocabularies } from "./fragment.ts";
import { recordedAnswers, testGolden } from "./golden.ts";

type Fields = Readonly<Record<string, unknown>>;

const ID = "ds990099";

function normalise(payload: unknown, sourceId = ID) {
  return normaliseOpenneuro(payload, sourceId, { asOf: AS_OF, vocabularies });
}

function record(payload: unknown): Captured {
  const normalised = normalise(payload);
  if (normalised.outcome !== "record") throw new Error(`${normalised.outcome}: ${normalised.reason}`);
  return normalised;
}

/** Parts of a response about a dataset. A part that is missing was not requested. */
interface Given {
  readonly description?: Fields;
  readonly metadata?: Fields | null;
  readonly files?: unknown;
  readonly readme?: string;
}

function read({ description, metadata, files, readme }: Given): Captured {
  const snapshot = {
    ...(description && { description }),
    ...(files === undefined ? {} : { files }),
    ...(readme === undefined ? {} : { readme }),
  };
  return record({ id: ID, ...(metadata === undefined ? {} : { metadata }), latestSnapshot: snapshot });
}

function table(name: string, cases: readonly FragmentCase<Given>[]): void {
  describe(`${name} in a payload of OpenNeuro`, () => testFragments(cases, read));
}

testGolden("openneuro", normaliseOpenneuro, [
  {
    file: "complete.json",
    sourceId: "ds990001",
    why: "all requested fields are filled; files in the folders of subjects are not counted",
    states: { "2.0": "ppuuu ppupp ppppp ppppu uuppp", "1.0": "uuupp uuupp ppppp ppuuu ppppu" },
    fields: {
      doi: "10.5072/openneuro.ds990001.v1.0.0",
      title: "Rain in mind",
      pubDate: "2023-02-03",
      version: "1.0.0",
      versionFamily: "10.18112/openneuro.ds990001",
      accessStatus: "public",
    },
    facets: [
      { kind: "dataType", value: "MRI" },
      { kind: "ageGroup", value: "ADULT" },
    ],
  },
  {
    file: "id-and-tag.json",
    sourceId: "ds990002",
    why: "the response has only a few fields",
    states: { "2.0": "mmuuu mmumm mmmpp mmmmu uummm", "1.0": "uuumm uuumm pmmpm mmuuu mmmpu" },
    fields: { title: "Rain in mind 2", pubDate: "2023-01-02" },
  },
  {
    file: "null-everywhere.json",
    sourceId: "ds990003",
    why: "null counts as empty, except for lists and counts that the server could not compute",
    states: { "2.0": "aauuu aauaa aaapp mmmmu uuaaa", "1.0": "uuuaa uuuaa paapm mmuuu aaapu" },
    fields: { title: null },
  },
  {
    file: "licence-sentence.json",
    sourceId: "ds990004",
    why: "the licence is in a sentence of OpenfMRI with escaped line breaks, a book is a text, and there are no folders and no tag",
    states: { "2.0": "pauuu paupa ppppp apapu uuamm", "1.0": "uuupm uuupp ppppp aauuu mamau" },
    fields: { license: "PDDL-1.0", version: null },
  },
  {
    file: "consent.json",
    sourceId: "ds990005",
    why: "a flag states the consent, the licence is free text, the paper is in press, and the funder is a line of text",
    states: { "2.0": "aauuu ppuaa paapp pmmpu uupaf", "1.0": "uuuap uuuap paapp mmuuu fappu" },
    evidence: { ethics_length: 1 },
    fields: { title: "Rain in mind 5" },
  },
  {
    file: "malformed-values.json",
    sourceId: "ds990006",
    why: "all values have the wrong type",
    states: { "2.0": "ffuuu ffuff fffff ffffu uufff", "1.0": "uuuff uuuff fffff ffuuu fffau" },
  },
  {
    file: "hostile.json",
    sourceId: "ds990007",
    why: "the complete GraphQL response has nulls, a repeated reference, a DOI in brackets, and counts as text",
    states: { "2.0": "ppuuu paupp paapp mmppu uuamp", "1.0": "uuupm uuupp paapp ppuuu mmmpu" },
    evidence: { reference_count: 2, view_count: 7, download_count: 7, creator_count: 2, person_creator_count: 1 },
    fields: { doi: "10.5072/openneuro.ds990007.v1.0.0", title: "Rain & mind" },
  },
  {
    file: "ages.json",
    sourceId: "ds990008",
    why: "the subjects are children and older people, the summary is missing, and funder and grant come from the form",
    states: { "2.0": "ppuuu aauaa ppppp paapu uuppa", "1.0": "uuupm uuuaa ppppp pauuu aappu" },
    facets: [
      { kind: "dataType", value: "iEEG" },
      { kind: "ageGroup", value: "CHILD" },
      { kind: "ageGroup", value: "OLDER_ADULT" },
    ],
  },
  {
    file: "code-link.json",
    sourceId: "ds990009",
    why: "the code is elsewhere, one folder is empty, the licence is not open, and the README was not requested",
    states: { "2.0": "pauuu mmupp ppapp apaau uuaap", "1.0": "uuupm uuupm ppapa mmuuu apapu" },
  },
  {
    file: "access-unknown.json",
    sourceId: "ds990010",
    why: "the response does not say whether the dataset is public, and lists files but no folders",
    states: { "2.0": "ppuuu ppupp pppmm paapu uupap", "1.0": "uuupa uuupp mppmp mmuuu amppu" },
    evidence: { funder_count: 2 },
  },
]);

describe("the outcome of normalising payloads of OpenNeuro", () => {
  test.each([
    { file: "private.json", outcome: "tombstone" },
    { file: "draft.json", outcome: "tombstone" },
    { file: "no-snapshot-asked.json", outcome: "failed" },
  ])("the payload in $file counts as $outcome", async ({ file, outcome }) => {
    expect(normalise(await payloadIn("openneuro", file)).outcome).toBe(outcome);
  });

  test.each([
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "an error", given: { errors: [{ message: "no" }], data: null }, outcome: "failed" },
  ])("a payload of OpenNeuro ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalise(given).outcome).toBe(outcome);
  });
});

test("a snapshot of OpenNeuro without fields has no evidence", () => {
  const { evidence, errors } = record({ latestSnapshot: {} });
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] !== null)).toEqual([]);
  expect(errors.size).toBe(0);
});

table("licences as text", [
  {
    name: "a sentence about CC0",
    given: { description: { License: "This dataset is made available under CC0." } },
    evidence: { license_spdx: "CC0-1.0", license_text: "This dataset is made available under CC0." },
  },
  {
    name: "a sentence on another subject",
    given: { description: { License: "This dataset is made available under our terms." } },
    evidence: { license_spdx: "", license_permissive: false },
  },
  {
    name: "a sentence about CC BY with a restriction",
    given: { description: { License: "Licensed under CC BY 4.0 for non-commercial use only" } },
    evidence: { license_spdx: "", license_open: false },
  },
  {
    name: "a restriction after the sentence of OpenfMRI",
    given: {
      description: {
        License:
          "This dataset is made available under the PDDL, whose full text can be found at http://www.opendatacommons.org/licenses/pddl/1.0/. Redistribution is not permitted.",
      },
    },
    evidence: { license_spdx: "", license_open: false },
  },
  { name: "a blank", given: { description: { License: " " } }, evidence: { license_text: "", license_spdx: "" } },
]);

table("an untouched template", [
  {
    name: "the template of HeuDiConv with its README",
    given: {
      readme:
        "TODO: Provide description for the dataset -- basic details about the study, possibly pointing to pre-registration (if public or embargoed)",
      description: {
        Name: "TODO: name of the dataset",
        License: "TODO: choose a license, e.g. PDDL (http://opendatacommons.org/licenses/pddl/)",
        Authors: ["TODO:", "First1 Last1", "First2 Last2", "..."],
        Funding: ["TODO", "GRANT #1", "GRANT #2"],
        ReferencesAndLinks: ["TODO", "List of papers or websites"],
        DatasetDOI: "TODO: eventually a DOI for the dataset",
        Keywords: ["TODO"],
      },
    },
    evidence: {
      description_length: 0,
      license_text: "",
      creator_count: 0,
      funder_count: 0,
      reference_count: 0,
      keyword_count: 0,
    },
    fields: { title: null, doi: null },
  },
  {
    name: "a template with one completed line",
    given: { description: { Authors: ["First1 Last1", "Northwind, Ada"], Funding: ["GRANT #1", "ESF 12"] } },
    evidence: { creator_count: 1, funder_count: 1 },
  },
]);

table("keywords, code and datasets in the description", [
  {
    name: "keywords of the description",
    given: { description: { Keywords: ["rain", "Rain", "ice"] } },
    evidence: { keyword_count: 2 },
  },
  {
    name: "the repository of a converter, which leaves unknown whether code is linked",
    given: {
      description: {
        ReferencesAndLinks: [],
        GeneratedBy: [{ Name: "HeuDiConv", CodeURL: "https://github.com/nipy/heudiconv" }, { Name: "Manual" }],
      },
      metadata: { associatedPaperDOI: "" },
    },
    evidence: { linked_code_count: null, data_link_count: null, related_identifier_count: null, reference_count: 0 },
  },
  {
    name: "one converter outside a list",
    given: {
      description: {
        ReferencesAndLinks: [],
        GeneratedBy: { Name: "dcm2bids", CodeURL: "https://github.com/UNFmontreal/Dcm2Bids" },
      },
    },
    evidence: { linked_code_count: null },
  },
  {
    name: "a program without a URL, so that no code is linked",
    given: { description: { ReferencesAndLinks: [], GeneratedBy: [{ Name: "Manual", CodeURL: "n/a" }] } },
    evidence: { linked_code_count: 0, data_link_count: 0 },
  },
  {
    name: "a program that the depositor also links, which counts as linked code",
    given: {
      description: {
        ReferencesAndLinks: ["https://github.com/example/rain-prep"],
        GeneratedBy: [{ Name: "rain-prep", CodeURL: "https://github.com/example/rain-prep" }],
      },
    },
    evidence: { linked_code_count: 1, related_identifier_count: 1 },
  },
  {
    name: "source datasets by DOI and URL, each once",
    given: {
      description: {
        SourceDatasets: [
          { DOI: "doi:10.5072/rain-source", URL: "https://rain.example.org/source" },
          { URL: "https://rain.example.org/other" },
          { URL: "n/a" },
        ],
      },
    },
    evidence: { data_link_count: 2, related_identifier_count: 2, linked_code_count: null },
  },
  {
    name: "linked datasets, of which a path inside the dataset does not count",
    given: { description: { DatasetLinks: { first: "https://rain.example.org/first", prep: "derivatives/prep" } } },
    evidence: { data_link_count: 1, related_identifier_count: 1 },
  },
]);

table("files", [
  {
    name: "only folders",
    given: { files: [{ filename: "sub-01", directory: true }] },
    evidence: { file_count: null, manifest_file_count: null },
  },
  {
    name: "no folder",
    given: { files: [{ filename: "README", directory: false }] },
    evidence: { file_count: 1, manifest_file_count: 0, descriptive_filename_count: 1 },
  },
]);

const recorded = recordedAnswers(["openneuro"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  const readDocument = (end: string): unknown =>
    JSON.parse((recorded ?? []).find(({ path }) => path.endsWith(end))?.text ?? "null");

  test("recorded responses of OpenNeuro give a record for a dataset, and none for the files of a snapshot without its dataset", () => {
    const one = readDocument("041c34-POST.json");
    expect(readCapture(normaliseOpenneuro, one, "ds000001")).toMatchObject({
      outcome: "record",
      fields: { title: "ds001", version: "1.0.0", pubDate: "2016-10-12" },
    });
    expect(readCapture(normaliseOpenneuro, readDocument("2eed11-POST.json"), "none").outcome).toBe("failed");
  });

  test("recorded responses of OpenNeuro include files of a snapshot, which are read as part of a dataset", () => {
    const files = at(readDocument("2eed11-POST.json"), "data", "snapshot", "files");
    const evidence = at(readCapture(normaliseOpenneuro, { latestSnapshot: { files } }, "ds000001"), "evidence");
    expect(evidence).toMatchObject({ documentation_file_count: 1, manifest_file_count: 1, code_file_count: null });
  });

  test("recorded responses of OpenNeuro include 64 descriptions, which are all read, with the SPDX id of the licence if it has one", () => {
    const descriptions = (recorded ?? []).filter(({ path }) => path.includes("dataset_description"));
    expect(descriptions.length).toBe(64);
    const licences: Record<string, number> = {};
    for (const { text } of descriptions) {
      const payload = { id: "ds000001", latestSnapshot: { description: JSON.parse(text) } };
      const read = readCapture(normaliseOpenneuro, payload, "ds000001");
      expect(read).toMatchObject({ outcome: "record", errors: new Set() });
      const spdx = String(asObject(at(read, "evidence"))?.license_spdx);
      licences[spdx] = (licences[spdx] ?? 0) + 1;
    }
    expect(licences).toEqual({
      "CC0-1.0": 18,
      "PDDL-1.0": 15,
      "CC-BY-4.0": 3,
      "BSD-3-Clause": 3,
      // The licence of this one is in a sentence.
      "ODbL-1.0": 1,
      "": 11,
      // The SPDX id of these is unknown. For example, "CC BY-ND" has no version.
      null: 13,
    });
  });
});

test("DataCite's DOIs of the versions of an OpenNeuro dataset are in the dataset's family", () => {
  const version = { attributes: { types: { resourceTypeGeneral: "Dataset" }, titles: [{ title: "A" }] } };
  const families = ["10.18112/openneuro.ds990001.v1.0.4", "10.18112/openneuro.ds990001.v2.0.0"].map((doi) => {
    const normalised = normalisePayload(datacite, version, doi);
    return normalised.outcome === "record" ? normalised.fields.versionFamily : normalised.outcome;
  });
  const own = normalisePayload(openneuro, { id: "ds990001", name: "A", public: true, latestSnapshot: {} }, "ds990001");
  expect(own.outcome === "record" || own.outcome === "failed" ? own.fields.versionFamily : own.outcome).toBe(
    families[0],
  );
  expect(new Set(families)).toEqual(new Set(["10.18112/openneuro.ds990001"]));
});
