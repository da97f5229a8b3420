/** NASA CMR: golden states of the hand-written collections, and every recorded answer read. */

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
    why: "every field CMR is pledged for; no person can have an identifier, no file a name",
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
    why: "CMR's own stand-ins in every obligatory field: carried, and none",
    states: ABSENT,
    evidence: { place_count: 0, coverage_date_count: 0, contributor_count: 0, access_declared: false },
    fields: { doi: null, version: null, pubDate: null },
    facets: [],
  },
  {
    file: "restricted.json",
    sourceId: "C9900000007-EXAMPLE",
    why: "not free and open: access is stated, code could be among files nobody sees, terms are not a licence",
    states: { "2.0": "pappp pauaa paapa unuuu uuuua", "1.0": "ppppu uuuap paamp uuuuu aaupu" },
    evidence: { access_declared: true, access_open: false, embargo_active: null },
    fields: { accessStatus: "Restricted access" },
  },
  {
    file: "umm-1.10.json",
    sourceId: "C9900000018-EXAMPLE",
    why: "the format of a distribution, up to UMM-C 1.10; no constraint on access is open, no constraint on use is not a licence",
    states: { "2.0": "pappp pauaa aaapp uauuu uuuua", "1.0": "ppppu uuuap paapp uuuuu aaupu" },
    evidence: { open_format_file_count: 1, access_declared: true, access_open: true, license_text: "" },
    fields: { accessStatus: "None" },
  },
  {
    file: "use-constraints-as-text.json",
    sourceId: "C9900000008-EXAMPLE",
    why: "constraints as plain text, before they were objects; a format that is not provided",
    states: { "2.0": "pappp pauaa ppppp uauuu uuuua", "1.0": "ppppu uuuap ppppa uuuuu aaupu" },
    evidence: { license_text: "CC BY 4.0", license_spdx: "CC-BY-4.0", access_open: true },
    fields: { accessStatus: "Public" },
  },
  {
    file: "open-and-restricted.json",
    sourceId: "C9900000009-EXAMPLE",
    why: "flag and words disagree: the more restrictive holds; terms to cite are a licence text, but no licence",
    states: { "2.0": "pappp pauaa paapa upuuu uuuup", "1.0": "ppppu uuuap paamp uuuuu apupu" },
    evidence: { access_open: false, license_text: "Cite the team.", linked_code_count: 1 },
  },
  {
    file: "terms-address.json",
    sourceId: "C9900000010-EXAMPLE",
    why: "a URL that is not a licence's; the repository's download tool on a code host is not the dataset's code",
    states: { "2.0": "pappp pauaa paapp uauuu uuuup", "1.0": "ppppu uuuap paapp uuuuu paupu" },
    evidence: { linked_code_count: 0, publication_link_count: 1 },
  },
  {
    file: "malformed-values.json",
    sourceId: "C9900000011-EXAMPLE",
    why: "what cannot be read fails; what stands beside it and can be read still passes",
    states: { "2.0": "pfppf ffuff fffff ufuuu uuuuf", "1.0": "pfppu uuuff fffff uuuuu ffufu" },
    evidence: { keyword_count: 1, subject_count: null, place_count: 1, contributor_count: 1 },
  },
  {
    file: "null-everywhere.json",
    sourceId: "C9900000012-EXAMPLE",
    why: "null is carried, and none",
    states: ABSENT,
    evidence: { license_text: "", description_length: 0, version_stated: false },
  },
  {
    file: "sparse-fields.json",
    sourceId: "C9900000013-EXAMPLE",
    why: "no abstract, so not a whole answer: what is not there is unknown",
    states: { "2.0": "mmmmm mmumm mmmmm umuuu uuuum", "1.0": "mmmmu uuumm mmmmm uuuuu mmumu" },
    evidence: { keyword_count: null, license_text: null, linked_code_count: null },
  },
  {
    file: "cited-in-words.json",
    sourceId: "C9900000014-EXAMPLE",
    why: "an abstract of exactly 100 code points, a reference in words, creators in one text, a contact without a role",
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
    why: "parents, children and versions are not related works; an input and a campaign are; a version before states one",
    states: { "2.0": "pappp pauaa aaaam uauuu uuuup", "1.0": "ppppu uuuap aaamp uuuuu apupu" },
    evidence: { data_link_count: 1, related_identifier_count: 2, version_stated: true },
  },
  {
    file: "umm-of-2015.json",
    sourceId: "C9900000026-EXAMPLE",
    why: "UMM as CMR first gave it: who it is, and its version; nothing else was carried",
    states: { "2.0": "mmmmm mmumm mmmmm umuuu uuuum", "1.0": "mmmmu uuumm mmmmm uuuuu mmupu" },
    evidence: { version_stated: true, keyword_count: null, license_text: null },
    fields: { title: "Example of a collection of 2015", version: "003", versionFamily: "nasa_cmr/EXOLD" },
  },
  {
    file: "list-answer.json",
    sourceId: "C9900000006-EXCLOUD",
    why: "a version of another provider: one family by short name, and a previous version is not a related work",
    states: { "2.0": "pappp pauaa aaaam uauuu uuuua", "1.0": "ppppu uuuap aaamp uuuuu aaupu" },
    fields: { doi: "10.5072/exveg-061", versionFamily: "nasa_cmr/EXVEG" },
  },
];

/** Returns the item with that id in a list, or the only item of a file. */
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

describe("how payloads of NASA CMR count", () => {
  const collection = { meta: { "concept-type": "collection" }, umm: { ShortName: "X" } };
  test.each([
    { name: "a collection", given: collection, outcome: "record" },
    { name: "a collection without its type", given: { umm: { EntryTitle: "X" } }, outcome: "record" },
    { name: "a deleted collection", given: { meta: { deleted: true } }, outcome: "tombstone" },
    { name: "nothing", given: null, outcome: "tombstone" },
    { name: "a granule", given: { meta: { "concept-type": "granule" }, umm: {} }, outcome: "not_dataset" },
    { name: "a service", given: { meta: { "concept-type": "service" }, umm: {} }, outcome: "not_dataset" },
    { name: "a collection without umm", given: { meta: { "concept-type": "collection" } }, outcome: "failed" },
    {
      name: "a summary in the old format, under the key umm",
      given: { umm: { "entry-title": "X" } },
      outcome: "record",
    },
    { name: "an old summary with neither name nor title", given: { umm: { "entry-id": "X" } }, outcome: "failed" },
    { name: "a list", given: [], outcome: "failed" },
  ])("$name counts as $outcome", ({ given, outcome }) => {
    expect(normaliseNasaCmr(given, "C1-X", context).outcome).toBe(outcome);
  });

  test("a granule without its type is recognised by its concept id", () => {
    expect(normaliseNasaCmr({ umm: { GranuleUR: "x" } }, "G1-X", context).outcome).toBe("not_dataset");
  });
});

const recorded = recordedAnswers(["nasa_cmr"]);

describe.skipIf(recorded === null)("recorded responses of NASA CMR", () => {
  test("are records, granules, an empty page, or another format", () => {
    const counts: Record<string, number> = {};
    const seen = new Set<string>();
    for (const { text } of recorded ?? []) {
      const document: unknown = JSON.parse(text);
      // The Atom form of CMR (`feed`) has other names for granules; a harvest requests umm_json.
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
