/** Tests the reader of NASA CMR with hand-written collections and with recorded responses. */

import { describe, expect, test } from "vitest";
import { asList, asObject, asText, at } from "../../pipeline/reading/reader.ts";
import { normaliseNasaCmr } from "../../pipeline/sources/nasa_cmr/normalise.ts";
import { AS_OF, vocabularies } from "./fragment.ts";
import { type GoldenCase, recordedAnswers, testGolden } from "./golden.ts";

const ABSENT = { "2.0": "aaaaa aauaa aaaam uauuu uuuua", "1.0": "aaaau uuuaa aaama uuuuu aauau" };

const CASES: readonly GoldenCase[] = [
  {
    file: "complete.json",
    sourceId: "C9900000001-EXAMPLE",
    why: "the collection has every pledged field; CMR has no identifiers of people and no file names",
    states: { "2.0": "ppppp ppupp ppppp upuuu uuuup", "1.0": "ppppu uuupp ppppp uuuuu ppupu" },
    evidence: {
      keyword_count: 5,
      subject_count: 4,
      contributor_count: 2,
      contributor_role_count: 2,
      place_count: 2,
      reference_count: 2,
      reference_pid_count: 1,
      publication_link_count: 1,
      data_link_count: 2,
      related_identifier_count: 3,
      license_spdx: "CC0-1.0",
      embargo_active: false,
    },
    fields: {
      doi: "10.5072/exsound-l2-21",
      repository: "NASA Earthdata",
      pubDate: "2019-07-08",
      url: "https://daac.example.org/exsound",
      recordKind: "collection",
      version: "2.1",
      versionFamily: "nasa_cmr/EXSOUND_L2",
      accessStatus: "free and open data",
    },
    creators: [
      { name: "Vasko, Imre K.", person: true, affiliations: [{ text: "Example Institute, Hungary", ror: null }] },
    ],
    facets: [
      { kind: "dataType", value: "OCEANS" },
      { kind: "dataType", value: "SPECTRAL/ENGINEERING" },
    ],
  },
  {
    file: "not-provided.json",
    sourceId: "C9900000002-EXAMPLE",
    why: "every required field has CMR's placeholder, which counts as empty",
    states: ABSENT,
    evidence: { place_count: 0, coverage_date_count: 0, contributor_count: 0, access_declared: false },
    fields: { doi: null, version: null, pubDate: null },
    facets: [],
  },
  {
    file: "restricted.json",
    sourceId: "C9900000007-EXAMPLE",
    why: "access is stated but not free and open, code may be among files that are not listed, and terms are not a licence",
    states: { "2.0": "pappp pauaa paapa unuuu uuuua", "1.0": "ppppu uuuap paamp uuuuu aaupu" },
    evidence: { access_declared: true, access_open: false, embargo_active: null },
    fields: { accessStatus: "Restricted access" },
  },
  {
    file: "umm-1.10.json",
    sourceId: "C9900000018-EXAMPLE",
    why: "up to UMM-C 1.10, a distribution states the format; no constraint on access means open, but no constraint on use is not a licence",
    states: { "2.0": "pappp pauaa aaapp uauuu uuuua", "1.0": "ppppu uuuap paapp uuuuu aaupu" },
    evidence: { open_format_file_count: 1, access_declared: true, access_open: true, license_text: "" },
    fields: { accessStatus: "None" },
  },
  {
    file: "use-constraints-as-text.json",
    sourceId: "C9900000008-EXAMPLE",
    why: "constraints are plain text, as they were before they became objects, and the format is `Not provided`",
    states: { "2.0": "pappp pauaa ppppp uauuu uuuua", "1.0": "ppppu uuuap ppppa uuuuu aaupu" },
    evidence: { license_text: "CC BY 4.0", license_spdx: "CC-BY-4.0", access_open: true },
    fields: { accessStatus: "Public" },
  },
  {
    file: "open-and-restricted.json",
    sourceId: "C9900000009-EXAMPLE",
    why: "flag and text on access disagree, so the more restrictive one counts; terms of citation are licence text, but not a licence",
    states: { "2.0": "pappp pauaa paapa upuuu uuuup", "1.0": "ppppu uuuap paamp uuuuu apupu" },
    evidence: { access_open: false, license_text: "Cite the team.", linked_code_count: 1 },
  },
  {
    file: "terms-address.json",
    sourceId: "C9900000010-EXAMPLE",
    why: "the URL of the terms is not that of a licence, and a download tool of the repository is not the dataset's code",
    states: { "2.0": "pappp pauaa paapp uauuu uuuup", "1.0": "ppppu uuuap paapp uuuuu paupu" },
    evidence: { linked_code_count: 0, publication_link_count: 1 },
  },
  {
    file: "malformed-values.json",
    sourceId: "C9900000011-EXAMPLE",
    why: "values that cannot be read fail, and values beside them that can be read still pass",
    states: { "2.0": "pfppf ffuff fffff ufuuu uuuuf", "1.0": "pfppu uuuff fffff uuuuu ffufu" },
    evidence: { keyword_count: 1, subject_count: null, place_count: 1, contributor_count: 1 },
  },
  {
    file: "null-everywhere.json",
    sourceId: "C9900000012-EXAMPLE",
    why: "null counts as empty, and not as missing",
    states: ABSENT,
    evidence: { license_text: "", description_length: 0, version_stated: false },
  },
  {
    file: "sparse-fields.json",
    sourceId: "C9900000013-EXAMPLE",
    why: "the payload has no abstract, so it is not complete, and missing fields are unknown",
    states: { "2.0": "mmmmm mmumm mmmmm umuuu uuuum", "1.0": "mmmmu uuumm mmmmm uuuuu mmumu" },
    evidence: { keyword_count: null, license_text: null, linked_code_count: null },
  },
  {
    file: "cited-in-words.json",
    sourceId: "C9900000014-EXAMPLE",
    why: "the abstract has exactly 100 code points, a reference and all creators are texts, and a contact has no role",
    states: { "2.0": "papap paupa aaaam uauuu uuuua", "1.0": "ppppu uuupp aaamp uuuuu paupu" },
    evidence: {
      description_length: 100,
      reference_count: 1,
      reference_pid_count: 0,
      coverage_date_count: 3,
      person_creator_count: 0,
      related_identifier_count: 0,
    },
    creators: [{ name: "Example A., Specimen B. and Muster C.", person: false }],
  },
  {
    file: "associations.json",
    sourceId: "C9900000015-EXAMPLE",
    why: "parents, children and versions are not related works, but inputs and campaigns are; an earlier version shows that there are versions",
    states: { "2.0": "pappp pauaa aaaam uauuu uuuup", "1.0": "ppppu uuuap aaamp uuuuu apupu" },
    evidence: { data_link_count: 1, related_identifier_count: 2, version_stated: true },
  },
  {
    file: "umm-of-2015.json",
    sourceId: "C9900000026-EXAMPLE",
    why: "the first form of UMM, of 2015, has only the name and the version, so all other fields are missing",
    states: { "2.0": "mmmmm mmumm mmmmm umuuu uuuum", "1.0": "mmmmu uuumm mmmmm uuuuu mmupu" },
    evidence: { version_stated: true, keyword_count: null, license_text: null },
    fields: { title: "Example of a collection of 2015", version: "003", versionFamily: "nasa_cmr/EXOLD" },
  },
  {
    file: "list-answer.json",
    sourceId: "C9900000006-EXCLOUD",
    why: "a version of another provider is in the same family by its short name, and the previous version is not a related work",
    states: { "2.0": "pappp pauaa aaaam uauuu uuuua", "1.0": "ppppu uuuap aaamp uuuuu aaupu" },
    fields: { doi: "10.5072/exveg-061", versionFamily: "nasa_cmr/EXVEG" },
  },
];

/** Returns the item with this concept id from a response with a list, or the document itself if it is one item. */
function findItem(text: string, sourceId: string): unknown {
  const document: unknown = JSON.parse(text);
  const items = at(document, "items");
  return Array.isArray(items) ? items.find((item) => at(item, "meta", "concept-id") === sourceId) : document;
}

test("the country of an affiliation in NASA CMR comes from the address of the investigator", () => {
  const investigator = {
    Roles: ["Investigator"],
    FirstName: "Ann",
    LastName: "Bo",
    Affiliation: "Institute of Rain",
    ContactInformation: { Addresses: [{ City: "Wells", Country: "NO" }] },
  };
  const payload = { meta: {}, umm: { ShortName: "RAIN", ContactPersons: [investigator] } };
  const normalised = normaliseNasaCmr(payload, "C9900000099-EXAMPLE", { asOf: AS_OF, vocabularies });
  expect(normalised).toMatchObject({
    creators: [{ affiliations: [{ text: "Institute of Rain", ror: null, country: "NO" }] }],
  });
});

testGolden("nasa_cmr", normaliseNasaCmr, CASES, findItem);

const context = { asOf: AS_OF, vocabularies };

describe("the outcome of normalising payloads of NASA CMR", () => {
  const collection = { meta: { "concept-type": "collection" }, umm: { ShortName: "X" } };
  test.each([
    { name: "a collection", given: collection, outcome: "record" },
    { name: "a collection without its type", given: { umm: { EntryTitle: "X" } }, outcome: "record" },
    { name: "a deleted collection", given: { meta: { deleted: true } }, outcome: "tombstone" },
    { name: "null", given: null, outcome: "tombstone" },
    { name: "a granule", given: { meta: { "concept-type": "granule" }, umm: {} }, outcome: "not_dataset" },
    { name: "a service", given: { meta: { "concept-type": "service" }, umm: {} }, outcome: "not_dataset" },
    { name: "a collection without umm", given: { meta: { "concept-type": "collection" } }, outcome: "failed" },
    {
      name: "a summary in an older format under the key umm",
      given: { umm: { "entry-title": "X" } },
      outcome: "record",
    },
    { name: "an old summary with neither name nor title", given: { umm: { "entry-id": "X" } }, outcome: "failed" },
    { name: "a list", given: [], outcome: "failed" },
  ])("a payload of NASA CMR ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normaliseNasaCmr(given, "C1-X", context).outcome).toBe(outcome);
  });

  test("a granule of NASA CMR without its type is recognised by its concept id", () => {
    expect(normaliseNasaCmr({ umm: { GranuleUR: "x" } }, "G1-X", context).outcome).toBe("not_dataset");
  });
});

const recorded = recordedAnswers(["nasa_cmr"]);

describe.skipIf(recorded === null)("recorded responses", () => {
  test("recorded responses of NASA CMR give records for collections, and the expected outcomes for granules, an empty page and other formats", () => {
    const counts: Record<string, number> = {};
    const seen = new Set<string>();
    for (const { text } of recorded ?? []) {
      const document: unknown = JSON.parse(text);
      // CMR's Atom format (`feed`) has no list of items and is rejected. A harvest requests umm_json.
      const items = asObject(document)?.items;
      if (!Array.isArray(items)) counts.rejected = (counts.rejected ?? 0) + 1;
      else if (items.length === 0) counts["empty page"] = (counts["empty page"] ?? 0) + 1;
      for (const item of asList(items)) {
        const id = asText(at(item, "meta", "concept-id")) ?? "";
        const normalised = normaliseNasaCmr(item, id, context);
        counts[normalised.outcome] = (counts[normalised.outcome] ?? 0) + 1;
        if (normalised.outcome !== "record") continue;
        seen.add(id);
        expect(normalised.errors.size, id).toBe(0);
        expect(normalised.evidence, id).toMatchObject({
          version_stated: true,
          contributor_role_count: expect.any(Number),
        });
        expect(normalised.evidence.keyword_count, id).toBeGreaterThan(0);
        expect(normalised.evidence.place_count, id).toBeGreaterThan(0);
        expect(normalised.evidence.coverage_date_count, id).toBeGreaterThan(0);
        expect(normalised.evidence.description_length, id).toBeGreaterThan(100);
      }
    }
    expect(counts).toEqual({ record: 22, not_dataset: 15, rejected: 6, "empty page": 5 });
    expect(seen.size).toBe(20);
  });
});
