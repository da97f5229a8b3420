/**
 * Tests the reader of ClinicalTrials.gov module by module: complete studies, responses with selected fields, and garbled ones.
 */

import { describe, expect, test } from "vitest";
import { normaliseClinicaltrials } from "../../pipeline/sources/clinicaltrials/normalise.ts";
import { clinicaltrials } from "../../pipeline/sources/clinicaltrials/source.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { type FragmentCase, normalisePayload, readRecord, testFragments } from "./fragment.ts";
import { testGolden } from "./golden.ts";

type Modules = Readonly<Record<string, unknown>>;

interface Given {
  readonly hasResults?: boolean;
  readonly protocol?: Modules;
  readonly derived?: Modules;
  readonly documents?: unknown;
}

const ID = "NCT00000001";

function payload({ hasResults, protocol = {}, derived, documents }: Given): unknown {
  return {
    ...(hasResults === undefined ? {} : { hasResults }),
    protocolSection: { identificationModule: { nctId: ID }, ...protocol },
    ...(derived === undefined ? {} : { derivedSection: derived }),
    ...(documents === undefined ? {} : { documentSection: { largeDocumentModule: { largeDocs: documents } } }),
  };
}

/** Reads a response with selected fields, in which a missing field was not requested and is unknown. */
function sparse(given: Given) {
  return readRecord(clinicaltrials, payload(given), ID);
}

const COMPLETE: Modules = { statusModule: { overallStatus: "COMPLETED" }, descriptionModule: { briefSummary: "s" } };

/** Reads a complete study, in which a missing module or key is empty, because the registry leaves out empty ones. */
function whole(given: Given) {
  return readRecord(
    clinicaltrials,
    payload({
      ...given,
      hasResults: false,
      protocol: { ...COMPLETE, ...given.protocol },
      derived: { miscInfoModule: { versionHolder: "2026-10-30" }, ...given.derived },
    }),
    ID,
  );
}

function table(name: string, read: typeof whole, cases: readonly FragmentCase<Given>[]): void {
  describe(`${name} in a payload of ClinicalTrials.gov`, () => testFragments(cases, read));
}

/** Columns of evidence for which the registry has no field. */
const NEVER = [
  "creator_pid_count",
  "organization_pid_count",
  "access_open",
  "embargo_active",
  "license_text",
  "license_spdx",
  "license_permissive",
  "license_open",
  "open_format_file_count",
  "inspectable_file_count",
  "code_file_count",
  "manifest_file_count",
  "descriptive_filename_count",
  "linked_code_count",
  "view_count",
  "download_count",
  "citation_count",
  "derivative_count",
  "mention_count",
  "version_stated",
  "venue_stated",
];

test("a response of ClinicalTrials.gov with only an id gives no evidence", () => {
  const { evidence, errors, creators } = sparse({});
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] !== null)).toEqual([]);
  expect(errors.size).toBe(0);
  expect(creators).toEqual([]);
});

table("answers of selected fields", sparse, [
  {
    name: "status and description, so that the other modules were not requested",
    given: { protocol: { ...COMPLETE, conditionsModule: { conditions: ["Asthma"] } } },
    evidence: {
      description_length: 1,
      keyword_count: 1,
      subject_count: null,
      methods_length: null,
      creator_count: null,
      place_count: null,
      coverage_date_count: null,
      reference_count: null,
      access_declared: null,
      funder_count: null,
      award_count: null,
      file_count: null,
    },
  },
  {
    name: "hasResults beside the protocol section",
    given: { hasResults: true, protocol: COMPLETE },
    evidence: { methods_length: null, reference_count: null, file_count: null },
  },
  {
    name: "the derived section beside the protocol section",
    given: { protocol: COMPLETE, derived: { miscInfoModule: {}, conditionBrowseModule: {} } },
    evidence: { methods_length: null, reference_count: null, subject_count: null },
  },
  {
    name: "an empty list of MeSH terms of conditions, so that those of interventions were not requested",
    given: { derived: { conditionBrowseModule: { meshes: [] } } },
    evidence: { subject_count: null },
  },
]);

test("a module that is missing in a complete study of ClinicalTrials.gov counts as empty", () => {
  const { evidence, errors } = whole({});
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] === null)).toEqual(
    EVIDENCE_NAMES.filter((name) => NEVER.includes(name)),
  );
  const stated = EVIDENCE_NAMES.filter(
    (name) => !NEVER.includes(name) && evidence[name] !== 0 && evidence[name] !== false,
  );
  expect(stated).toEqual(["description_length"]);
  expect(errors.size).toBe(0);
});

describe("the outcome of normalising payloads of ClinicalTrials.gov", () => {
  test.each([
    { name: "a study", given: payload({}), outcome: "record" },
    {
      name: "a withheld study",
      given: payload({ protocol: { statusModule: { overallStatus: "WITHHELD" } } }),
      outcome: "tombstone",
    },
    {
      name: "a withdrawn study",
      given: payload({ protocol: { statusModule: { overallStatus: "WITHDRAWN" } } }),
      outcome: "record",
    },
    { name: "no protocol section", given: { derivedSection: {} }, outcome: "failed" },
    { name: "a list", given: [], outcome: "failed" },
    { name: "null", given: null, outcome: "tombstone" },
  ])("a payload of ClinicalTrials.gov ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalisePayload(clinicaltrials, given, ID).outcome).toBe(outcome);
  });
});

const PEOPLE = [
  "creator_count",
  "person_creator_count",
  "contributor_count",
  "contributor_role_count",
  "funder_count",
] as const satisfies readonly EvidenceName[];
const sponsors = (module: Modules): Given => ({ protocol: { sponsorCollaboratorsModule: module } });
const officials = (list: unknown): Given => ({ protocol: { contactsLocationsModule: { overallOfficials: list } } });

table("people of a whole study", whole, [
  { name: "no people", given: {}, evidence: Object.fromEntries(PEOPLE.map((name) => [name, 0])) },
  {
    name: "a sponsor without investigators is the creator",
    given: sponsors({ leadSponsor: { name: "Acme", class: "INDUSTRY" } }),
    evidence: {
      creator_count: 1,
      person_creator_count: 0,
      contributor_count: 0,
      contributor_role_count: 0,
      funder_count: 1,
    },
  },
  {
    name: "a sponsor that is a person",
    given: sponsors({ leadSponsor: { name: "Ann Bo, MD", class: "INDIV" } }),
    evidence: { creator_count: 1, person_creator_count: 1, contributor_count: 0, funder_count: 1 },
  },
  {
    name: "a responsible investigator who is also an official with a degree",
    given: {
      protocol: {
        sponsorCollaboratorsModule: {
          responsibleParty: {
            type: "PRINCIPAL_INVESTIGATOR",
            investigatorFullName: "Ann Bo",
            investigatorAffiliation: "Uni",
          },
          leadSponsor: { name: "Uni", class: "OTHER" },
          collaborators: [{ name: "Acme", class: "INDUSTRY" }, {}],
        },
        contactsLocationsModule: {
          overallOfficials: [
            { name: "Ann Bo, MD", role: "PRINCIPAL_INVESTIGATOR", affiliation: "Uni" },
            { name: "Cy Dee", role: "STUDY_CHAIR" },
            { name: "Ed Fu", role: "CONTACT" },
          ],
        },
      },
    },
    evidence: {
      creator_count: 1,
      person_creator_count: 1,
      contributor_count: 4,
      contributor_role_count: 3,
      funder_count: 2,
    },
  },
  {
    name: "officials that are text",
    given: officials("Ann Bo"),
    evidence: {
      creator_count: null,
      person_creator_count: null,
      contributor_count: null,
      contributor_role_count: null,
      funder_count: 0,
    },
    errors: ["creator_count", "person_creator_count", "contributor_count", "contributor_role_count"],
  },
  {
    name: "collaborators that are text, with a sponsor",
    given: sponsors({ leadSponsor: { name: "Uni" }, collaborators: "Acme" }),
    evidence: { creator_count: 1, contributor_count: null, contributor_role_count: null, funder_count: 1 },
    errors: ["contributor_count", "contributor_role_count", "funder_count"],
  },
]);

table("people of an answer of selected fields", sparse, [
  { name: "no module of people", given: {}, evidence: Object.fromEntries(PEOPLE.map((name) => [name, null])) },
  {
    name: "only the lead sponsor",
    given: sponsors({ leadSponsor: { name: "Acme" } }),
    evidence: {
      creator_count: 1,
      person_creator_count: null,
      contributor_count: null,
      contributor_role_count: null,
      funder_count: 1,
    },
  },
  {
    name: "an empty list of collaborators",
    given: sponsors({ collaborators: [] }),
    evidence: Object.fromEntries(PEOPLE.map((name) => [name, null])),
  },
  {
    name: "only collaborators",
    given: sponsors({ collaborators: [{ name: "Acme" }] }),
    evidence: { creator_count: null, contributor_count: 1, contributor_role_count: 1, funder_count: 1 },
  },
  {
    name: "only officials",
    given: officials([{ name: "Ann Bo", role: "PRINCIPAL_INVESTIGATOR" }]),
    evidence: { creator_count: 1, person_creator_count: 1, contributor_count: null, funder_count: null },
  },
  {
    name: "all lists, with no people",
    given: {
      protocol: {
        sponsorCollaboratorsModule: { responsibleParty: {}, leadSponsor: {}, collaborators: [] },
        contactsLocationsModule: { overallOfficials: [] },
      },
    },
    evidence: Object.fromEntries(PEOPLE.map((name) => [name, 0])),
  },
]);

const references = (module: Modules): Given => ({ protocol: { referencesModule: module } });
const REFERENCES = [
  "reference_count",
  "reference_pid_count",
  "publication_link_count",
  "related_identifier_count",
] as const;

table("references of a whole study", whole, [
  {
    name: "by type and by identifier",
    given: references({
      references: [
        { pmid: "1", type: "BACKGROUND", citation: "a" },
        { pmid: "2", type: "RESULT" },
        { type: "DERIVED", citation: "c" },
        { type: "BACKGROUND" },
      ],
      availIpds: [{ id: "10.1/x" }, { url: "https://example.org" }, { id: "N/A" }, {}],
    }),
    evidence: {
      reference_count: 3,
      reference_pid_count: 2,
      publication_link_count: 2,
      data_link_count: 2,
      related_identifier_count: 4,
    },
  },
  {
    name: "references that are text",
    given: references({ references: "Bo (2010)" }),
    evidence: { ...Object.fromEntries(REFERENCES.map((name) => [name, null])), data_link_count: 0 },
    errors: REFERENCES,
  },
  {
    name: "references that are text, with shared data",
    given: references({ references: "Bo (2010)", availIpds: [{ id: "1" }] }),
    evidence: { reference_count: null, data_link_count: 1, related_identifier_count: 1 },
    errors: REFERENCES,
  },
  {
    name: "shared data as text",
    given: references({ availIpds: "on request" }),
    evidence: { reference_count: 0, data_link_count: null, related_identifier_count: null },
    errors: ["data_link_count", "related_identifier_count"],
  },
]);

table("references of an answer of selected fields", sparse, [
  {
    name: "no module of references",
    given: {},
    evidence: { reference_count: null, data_link_count: null, related_identifier_count: null },
  },
  {
    name: "an empty list of shared data",
    given: references({ availIpds: [] }),
    evidence: { reference_count: null, data_link_count: 0, related_identifier_count: null },
  },
  {
    name: "a reference",
    given: references({ references: [{ pmid: "1" }] }),
    evidence: { reference_count: 1, data_link_count: null, related_identifier_count: 1 },
  },
]);

table("terms", whole, [
  {
    name: "counts keywords and conditions once, and not the MeSH terms derived from them",
    given: {
      protocol: { conditionsModule: { keywords: ["Asthma", "cough"], conditions: ["asthma", "Hay Fever"] } },
      derived: {
        conditionBrowseModule: { meshes: [{ id: "D1", term: "asthma" }] },
        interventionBrowseModule: { meshes: [{ id: "D2", term: "Air" }, { id: "D3" }] },
      },
    },
    evidence: { keyword_count: 3, subject_count: 2 },
  },
  {
    name: "an empty list of keywords with a condition",
    given: { protocol: { conditionsModule: { conditions: ["Asthma"] } } },
    evidence: { keyword_count: 1, subject_count: 0 },
  },
  {
    name: "only MeSH terms",
    given: { derived: { conditionBrowseModule: { meshes: [{ id: "D1", term: "Asthma" }] } } },
    evidence: { keyword_count: 0, subject_count: 1 },
  },
  {
    name: "keywords that are text",
    given: { protocol: { conditionsModule: { keywords: "cough" } } },
    evidence: { keyword_count: null, subject_count: 0 },
    errors: ["keyword_count"],
  },
]);

table("places and dates", whole, [
  {
    name: "counts each country once",
    given: {
      protocol: {
        contactsLocationsModule: {
          locations: [{ country: "France" }, { country: "France" }, { country: "Spain" }, {}],
        },
      },
    },
    evidence: { place_count: 2 },
  },
  {
    name: "start and completion by day, month or year",
    given: {
      protocol: {
        statusModule: {
          overallStatus: "COMPLETED",
          startDateStruct: { date: "2010-05" },
          completionDateStruct: { date: "2012-01-31" },
        },
      },
    },
    evidence: { coverage_date_count: 2 },
  },
  {
    name: "an unreadable date",
    given: { protocol: { statusModule: { overallStatus: "COMPLETED", startDateStruct: { date: "May 2010" } } } },
    evidence: { coverage_date_count: null },
    errors: ["coverage_date_count"],
  },
]);

table("texts", whole, [
  {
    name: "a summary and a description",
    given: { protocol: { descriptionModule: { briefSummary: " a  b\n", detailedDescription: "abc" } } },
    evidence: { description_length: 3, methods_length: 3 },
  },
  {
    name: "a list in place of text",
    given: { protocol: { descriptionModule: { briefSummary: ["a"] } } },
    evidence: { description_length: null, methods_length: 0 },
    errors: ["description_length"],
  },
]);

const sharing = (ipdSharing: unknown): Given => ({ protocol: { ipdSharingStatementModule: { ipdSharing } } });

table("access", whole, [
  {
    name: "yes counts as a statement",
    given: sharing("YES"),
    evidence: { access_declared: true, access_open: null },
    fields: { accessStatus: "YES" },
  },
  { name: "no counts as a statement", given: sharing("NO"), evidence: { access_declared: true, access_open: null } },
  {
    name: "undecided does not count as a statement",
    given: sharing("UNDECIDED"),
    evidence: { access_declared: false },
  },
  { name: "no statement on sharing", given: {}, evidence: { access_declared: false } },
  {
    name: "a list in place of a word",
    given: sharing(["YES"]),
    evidence: { access_declared: null },
    errors: ["access_declared"],
  },
]);

table("documents", whole, [
  {
    name: "protocol, plan and consent form",
    given: { documents: [{ hasProtocol: true, hasSap: true }, { hasIcf: true }, { hasSap: "true" }] },
    evidence: { file_count: 3, documentation_file_count: 1, ethics_length: 1 },
  },
  {
    name: "a text in place of documents",
    given: { documents: "protocol.pdf" },
    evidence: { file_count: null, documentation_file_count: null, ethics_length: null },
    errors: ["file_count", "documentation_file_count", "ethics_length"],
  },
]);

table("awards", whole, [
  {
    name: "grants count, and other registries do not",
    given: {
      protocol: {
        identificationModule: {
          nctId: ID,
          secondaryIdInfos: [
            { id: "R01", type: "NIH" },
            { id: "X", type: "OTHER_GRANT" },
            { id: "Y", type: "OTHER" },
            { type: "NIH" },
          ],
        },
      },
    },
    evidence: { award_count: 2 },
  },
]);

test("a module of ClinicalTrials.gov that is not an object counts as unknown, and not as empty", () => {
  const { evidence } = whole({ protocol: { referencesModule: "none", contactsLocationsModule: [] } });
  expect(evidence).toMatchObject({ reference_count: null, related_identifier_count: null, place_count: null });
  expect(evidence).toMatchObject({ creator_count: null, contributor_count: null, funder_count: 0 });
});

test("the fields and facets of a study are read from ClinicalTrials.gov", () => {
  const record = whole({
    protocol: {
      identificationModule: { nctId: ID, briefTitle: "Asthma &amp; air", officialTitle: "x" },
      statusModule: {
        overallStatus: "COMPLETED",
        studyFirstPostDateStruct: { date: "2010-05-06" },
        lastUpdatePostDateStruct: { date: "2012-03-04" },
      },
      conditionsModule: { conditions: ["Asthma", " "] },
      eligibilityModule: { stdAges: ["CHILD", "ADULT"] },
      designModule: { studyType: "INTERVENTIONAL" },
    },
  });
  expect(record.fields).toEqual({
    doi: null,
    repository: "ClinicalTrials.gov",
    title: "Asthma & air",
    pubDate: "2010-05-06",
    url: `https://clinicaltrials.gov/study/${ID}`,
    recordKind: "trial",
    accessStatus: null,
    license: null,
    version: null,
    versionFamily: `clinicaltrials/${ID}`,
  });
  expect(record.updated).toBe("2012-03-04T00:00:00.000Z");
  expect(record.facets.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
    "disease Asthma",
    "ageGroup CHILD",
    "ageGroup ADULT",
    "dataType INTERVENTIONAL",
  ]);
});

testGolden("clinicaltrials", normaliseClinicaltrials, [
  {
    file: "complete.json",
    sourceId: "NCT99000001",
    why: "every module is filled, so all pledged signals pass except the one for a summary of 300 characters",
    states: { "2.0": "ppppp pappp uuupu puuuu uuppp", "1.0": "ppppp puupp puuuu uuuuu pppuu" },
  },
  {
    file: "minimal.json",
    sourceId: "NCT99000006",
    why: "the payload has only two modules, so the signals of all others are unknown",
    states: { "2.0": "mmmmm mmmmm uuumu muuuu uummm", "1.0": "mmmmm muumm muuuu uuuuu mmmuu" },
  },
  {
    file: "officials.json",
    sourceId: "NCT99000013",
    why: "the study has officials with roles, a start date and a sponsor, but no place and no statement on sharing data",
    states: { "2.0": "pappa paaaa uuuau auuuu uupaa", "1.0": "apppa auuap auuuu uuuuu aapuu" },
  },
  {
    file: "ipd-no.json",
    sourceId: "NCT99000002",
    why: "the statement that data will not be shared counts as a statement on access",
    states: { "2.0": "paaaa paaaa uuupu auuuu uupaa", "1.0": "apapa auuap puuuu uuuuu aapuu" },
    evidence: { access_declared: true },
  },
  {
    file: "ipd-undecided.json",
    sourceId: "NCT99000003",
    why: "the statement that sharing is undecided does not count as a statement on access",
    states: { "2.0": "paaaa paaaa uuuau auuuu uupaa", "1.0": "apapa auuap auuuu uuuuu aapuu" },
    evidence: { access_declared: false },
  },
]);
