/** Tests the reader of DataCite with fragments of payloads, in which a field is missing, empty, filled or unreadable. */

import { describe, expect, test } from "vitest";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { AS_OF, type FragmentCase, normalisePayload, readRecord, testFragments } from "./fragment.ts";
import { testGolden } from "./golden.ts";

type Attributes = Readonly<Record<string, unknown>>;

const DOI = "10.5072/abc";

function payload(attributes: Attributes): unknown {
  return { id: DOI, type: "dois", attributes: { types: { resourceTypeGeneral: "Dataset" }, ...attributes } };
}

function read(attributes: Attributes, asOf = AS_OF) {
  return readRecord(datacite, payload(attributes), DOI, asOf);
}

function table(name: string, cases: readonly FragmentCase<Attributes>[]): void {
  describe(`${name} in a payload of DataCite`, () => testFragments(cases, read));
}

/** Makes cases for columns that are counted in a list: the list is missing, null, empty, or not a list. */
function listCases(key: string, columns: readonly EvidenceName[], none: unknown = 0): FragmentCase<Attributes>[] {
  const all = (value: unknown) => Object.fromEntries(columns.map((column) => [column, value]));
  return [
    { name: `${key} is missing`, given: {}, evidence: all(null) },
    { name: `${key} is null, which means empty`, given: { [key]: null }, evidence: all(none) },
    { name: `${key} is empty`, given: { [key]: [] }, evidence: all(none) },
    { name: `${key} is text`, given: { [key]: "a; b" }, evidence: all(null), errors: columns },
    { name: `${key} is an object`, given: { [key]: { a: 1 } }, evidence: all(null), errors: columns },
  ];
}

testGolden("datacite", datacite.normalise, [
  {
    file: "identifier-types.json",
    sourceId: "10.5072/identifier-types",
    why: "an identifier counts only if it is valid for its stated type; the subject Other does not count as a keyword",
    states: { "2.0": "aaaaa paapp aaaam uauuu aaaap", "1.0": "aaaau aaapp aaama mmaau aaaaa" },
    evidence: { reference_count: 10, reference_pid_count: 5, keyword_count: 0 },
  },
  {
    file: "names-like-degrees.json",
    sourceId: "10.5072/names-like-degrees",
    why: "initials and given names that look like degrees (M.R., Meng) belong to people, but a family name with only a degree does not",
    states: { "2.0": "paaaa paaaa aaaam uauuu aaaaa", "1.0": "aaapu aamap aaama mmaau aaaaa" },
    evidence: { creator_count: 8, person_creator_count: 7 },
    creators: [
      { name: "Merrin, M.R.", person: true, fullName: false },
      { name: "Tallow, J. D.", person: true, fullName: false },
      { name: "Quill, R. N.", person: true, fullName: false },
      { name: "Shen, Meng", person: true, fullName: true },
      { name: "Amari, Med", person: true, fullName: true },
      { name: "Thorne, Wai Meng", person: true, fullName: true },
      { name: "Harrow, Jane, PhD", person: true, fullName: true },
      { name: "Pike, PhD", person: false },
    ],
  },
]);

test("a DataCite payload with only a type has no evidence", () => {
  const { evidence, errors, fields, creators } = read({});
  expect(EVIDENCE_NAMES.filter((name) => evidence[name] !== null)).toEqual([]);
  expect(errors.size).toBe(0);
  expect(creators).toEqual([]);
  expect(fields).toEqual({
    doi: DOI,
    repository: null,
    title: null,
    pubDate: null,
    url: `https://doi.org/${DOI}`,
    recordKind: "Dataset",
    accessStatus: null,
    license: null,
    version: null,
    versionFamily: DOI,
  });
});

describe("the outcome of normalising payloads of DataCite", () => {
  test.each([
    { name: "a Dataset", given: { types: { resourceTypeGeneral: "Dataset" } }, outcome: "record" },
    { name: "a Collection", given: { types: { resourceTypeGeneral: "Collection" } }, outcome: "record" },
    { name: "a type in any case", given: { types: { resourceTypeGeneral: "dataset" } }, outcome: "record" },
    { name: "software", given: { types: { resourceTypeGeneral: "Software" } }, outcome: "not_dataset" },
    { name: "no general type", given: { types: { resourceType: "Dataset" } }, outcome: "not_dataset" },
    { name: "types that are null", given: { types: null }, outcome: "not_dataset" },
    { name: "a registered DOI", given: { state: "registered" }, outcome: "tombstone" },
    { name: "a draft", given: { state: "draft" }, outcome: "tombstone" },
    { name: "an inactive DOI", given: { state: "findable", isActive: false }, outcome: "tombstone" },
    { name: "a findable DOI", given: { state: "findable", isActive: true }, outcome: "record" },
    { name: "a hidden DOI of another type", given: { state: "draft", types: {} }, outcome: "tombstone" },
  ])("a payload of DataCite ($name) counts as $outcome", ({ given, outcome }) => {
    expect(normalisePayload(datacite, payload(given), DOI).outcome).toBe(outcome);
  });

  test("a partial response of DataCite without a type is a failed record with its DOI", () => {
    const normalised = normalisePayload(datacite, { id: DOI, attributes: { doi: DOI, created: "2020-01-01" } }, DOI);
    expect(normalised).toMatchObject({ outcome: "failed", fields: { doi: DOI, versionFamily: DOI } });
  });

  test.each([[{ id: DOI }], [{ id: DOI, attributes: null }], [[]], ["text"], [5]])(
    "the invalid DataCite payload %j becomes a failed record",
    (value) => {
      expect(normalisePayload(datacite, value, DOI).outcome).toBe("failed");
    },
  );

  test("a DataCite payload that is null is a tombstone", () => {
    expect(normalisePayload(datacite, null, DOI).outcome).toBe("tombstone");
  });

  test("a complete DataCite response is read from its field `data`", () => {
    expect(readRecord(datacite, { data: payload({ subjects: [{ subject: "a" }] }) }, DOI).evidence.keyword_count).toBe(
      1,
    );
  });
});

table("subjects", [
  ...listCases("subjects", ["keyword_count", "subject_count"]),
  {
    name: "terms that differ only in case and white space are the same",
    given: { subjects: [{ subject: " Rain " }, { subject: "rain" }, { subject: "RAIN\u00a0" }, { subject: "snow" }] },
    evidence: { keyword_count: 2, subject_count: 0 },
  },
  {
    name: "a scheme is a scheme name, scheme URL, value URL or code",
    given: {
      subjects: [
        { subject: "a", subjectScheme: "MeSH" },
        { subject: "b", schemeUri: "https://example.org" },
        { subject: "c", valueUri: "https://example.org/c" },
        { subject: "d", classificationCode: "D1" },
        { subject: "e", subjectScheme: "" },
        { subject: "f", subjectScheme: null },
      ],
    },
    evidence: { keyword_count: 6, subject_count: 4 },
  },
  {
    name: "plain texts of an older shape, blanks, placeholders and scalars",
    given: { subjects: ["rain", "", null, 7, {}, { subject: ":unav" }, { subject: "N/A" }] },
    evidence: { keyword_count: 2, subject_count: 0 },
  },
]);

table("contributors", [
  ...listCases("contributors", ["contributor_count", "contributor_role_count"]),
  {
    name: "Other, unknown and missing roles count as none",
    given: {
      contributors: [
        { name: "A, B", contributorType: "DataCurator" },
        { name: "C, D", contributorType: "Other" },
        { name: "E, F", contributorType: "Cook" },
        { familyName: "G" },
      ],
    },
    evidence: { contributor_count: 4, contributor_role_count: 1 },
  },
  {
    name: "contributors without a name or with a placeholder do not count",
    given: {
      contributors: [{}, { name: "" }, { name: ":unkn", contributorType: "Editor" }, { name: "Anonymous" }, null],
    },
    evidence: { contributor_count: 0, contributor_role_count: 0 },
  },
  {
    name: "a creator who is also a contributor, in either order of the name, does not count",
    given: {
      creators: [{ name: "Bo, Ann" }, { name: "Acme" }],
      contributors: [
        { name: "Bo, Ann", contributorType: "ContactPerson" },
        { name: "Ann Bo", contributorType: "DataCurator" },
        { name: "ACME", contributorType: "Distributor" },
      ],
    },
    evidence: { contributor_count: 0, contributor_role_count: 0 },
  },
  {
    name: "another person beside a creator counts once for two roles",
    given: {
      creators: [{ name: "Bo, Ann" }],
      contributors: [
        { name: "Bo, Ann", contributorType: "ContactPerson" },
        { name: "Dee, Cy", contributorType: "Other" },
        { name: "Dee, Cy", contributorType: "DataCollector" },
      ],
    },
    evidence: { contributor_count: 1, contributor_role_count: 1 },
  },
]);

table("places", [
  ...listCases("geoLocations", ["place_count"]),
  {
    name: "each point, box, polygon and name counts as a place",
    given: {
      geoLocations: [
        { geoLocationPlace: "Kiel", geoLocationPoint: { pointLatitude: "54.3", pointLongitude: "10.1" } },
        {
          geoLocationBox: {
            westBoundLongitude: -1,
            eastBoundLongitude: 1,
            southBoundLatitude: 0,
            northBoundLatitude: 2,
          },
        },
        { geoLocationPolygon: [{ polygonPoint: { pointLatitude: 1, pointLongitude: 2 } }] },
      ],
    },
    evidence: { place_count: 4 },
  },
  {
    name: "empty locations do not count",
    given: {
      geoLocations: [
        {},
        { geoLocationPlace: " " },
        { geoLocationPoint: { pointLatitude: "", pointLongitude: null } },
        null,
      ],
    },
    evidence: { place_count: 0 },
  },
]);

table("dates", [
  { name: "no field for dates", given: {}, evidence: { coverage_date_count: null, embargo_active: null } },
  {
    name: "null means no coverage",
    given: { dates: null },
    evidence: { coverage_date_count: 0, embargo_active: null },
  },
  {
    name: "a text in place of a list of dates",
    given: { dates: "2020" },
    evidence: { coverage_date_count: null, embargo_active: null },
    errors: ["coverage_date_count", "embargo_active"],
  },
  {
    name: "dates of collection and validity count, dates of publication do not",
    given: {
      dates: [
        { date: "2010/2012", dateType: "Collected" },
        { date: "/2012-01", dateType: "Collected" },
        { date: "2001-02-03", dateType: "Valid" },
        { date: "2013", dateType: "Issued" },
        { date: "2013", dateType: "Created" },
        { date: "2013" },
      ],
    },
    evidence: { coverage_date_count: 3, embargo_active: null },
    fields: { pubDate: "2013" },
  },
  {
    name: "an unreadable date of collection beside a readable one",
    given: {
      dates: [
        { date: "2010", dateType: "Collected" },
        { date: "summer", dateType: "Collected" },
      ],
    },
    evidence: { coverage_date_count: 1 },
    errors: ["coverage_date_count"],
  },
  {
    name: "an unreadable date alone does not count as zero",
    given: { dates: [{ date: "2019-02-30", dateType: "Collected" }] },
    evidence: { coverage_date_count: null },
    errors: ["coverage_date_count"],
  },
  {
    name: "a placeholder date does not count",
    given: {
      dates: [
        { date: ":unav", dateType: "Collected" },
        { date: "", dateType: "Collected" },
      ],
    },
    evidence: { coverage_date_count: 0 },
  },
]);

table("embargo", [
  {
    name: "data that are available from tomorrow",
    given: { dates: [{ date: "2026-11-02", dateType: "Available" }] },
    evidence: { embargo_active: true },
  },
  {
    name: "data that are available from today",
    given: { dates: [{ date: "2026-11-01", dateType: "Available" }] },
    evidence: { embargo_active: false },
  },
  {
    name: "data that are available from this year",
    given: { dates: [{ date: "2026", dateType: "Available" }] },
    evidence: { embargo_active: false },
  },
  {
    name: "data that are available from next year",
    given: { dates: [{ date: "2027", dateType: "Available" }] },
    evidence: { embargo_active: true },
  },
  {
    name: "a past and a future date",
    given: {
      dates: [
        { date: "2020", dateType: "Available" },
        { date: "2030", dateType: "Available" },
      ],
    },
    evidence: { embargo_active: true },
  },
  {
    name: "an unreadable and a past date of availability, so that the embargo is unknown",
    given: {
      dates: [
        { date: "2020", dateType: "Available" },
        { date: "soon", dateType: "Available" },
      ],
    },
    evidence: { embargo_active: null },
    errors: ["embargo_active"],
  },
  {
    name: "an unreadable and a future date of availability, so that the embargo is active",
    given: {
      dates: [
        { date: "2030", dateType: "Available" },
        { date: "soon", dateType: "Available" },
      ],
    },
    evidence: { embargo_active: true },
    errors: ["embargo_active"],
  },
  {
    name: "open access without a date",
    given: { dates: [], rightsList: [{ rights: "Open Access" }] },
    evidence: { embargo_active: false, access_open: true },
  },
  {
    name: "open access with a future date",
    given: { dates: [{ date: "2030", dateType: "Available" }], rightsList: [{ rights: "open" }] },
    evidence: { embargo_active: true, access_open: true },
  },
  {
    name: "restricted access without a date, so that the embargo is unknown",
    given: { dates: [], rightsList: [{ rights: "restricted access" }] },
    evidence: { embargo_active: null, access_open: false },
  },
]);

test("an embargo in DataCite is judged as of the day of the build", () => {
  const dates = [{ date: "2026-06-15", dateType: "Available" }];
  expect(
    ["2026-06-14", "2026-06-15", "2026-06-16"].map((asOf) => read({ dates }, asOf).evidence.embargo_active),
  ).toEqual([true, false, false]);
});

const RIGHTS = [
  "access_declared",
  "access_open",
  "license_text",
  "license_spdx",
  "license_permissive",
  "license_open",
] as const;
const NO_LICENCE = { license_text: "", license_spdx: "", license_permissive: false, license_open: false };
const NO_ACCESS = { access_declared: false, access_open: null };

table("rights", [
  { name: "no field for rights", given: {}, evidence: Object.fromEntries(RIGHTS.map((name) => [name, null])) },
  { name: "null", given: { rightsList: null }, evidence: { ...NO_LICENCE, ...NO_ACCESS }, fields: { license: null } },
  { name: "an empty list of rights", given: { rightsList: [] }, evidence: { ...NO_LICENCE, ...NO_ACCESS } },
  { name: "an entry of rights without text", given: { rightsList: [{}] }, evidence: { ...NO_LICENCE, ...NO_ACCESS } },
  { name: "a placeholder", given: { rightsList: [{ rights: "TODO" }] }, evidence: { ...NO_LICENCE, ...NO_ACCESS } },
  {
    name: "a repository's sentence that a file has no licence",
    given: { rightsList: [{ rights: "tides.csv has no associated licence. Please contact the archive for advice." }] },
    evidence: { ...NO_LICENCE, ...NO_ACCESS },
  },
  {
    name: "the licence of the metadata is not that of the data",
    given: {
      rightsList: [
        {
          rights: "All metadata are available under CC0.",
          rightsUri: "http://creativecommons.org/publicdomain/zero/1.0/",
        },
        { rights: "Alle Metadaten sind frei verfügbar unter CC0 1.0." },
      ],
    },
    evidence: { ...NO_LICENCE, ...NO_ACCESS },
  },
  {
    name: "a text in place of a list of rights",
    given: { rightsList: "CC0" },
    evidence: Object.fromEntries(RIGHTS.map((name) => [name, null])),
    errors: RIGHTS,
  },
  {
    name: "an identifier in lower case",
    given: { rightsList: [{ rights: "Creative Commons Attribution 4.0", rightsIdentifier: "cc-by-4.0" }] },
    evidence: {
      license_text: "Creative Commons Attribution 4.0",
      license_spdx: "CC-BY-4.0",
      license_permissive: true,
      license_open: true,
      ...NO_ACCESS,
    },
    fields: { license: "CC-BY-4.0" },
  },
  {
    name: "only a URL",
    given: { rightsList: [{ rightsUri: "https://creativecommons.org/licenses/by-nc/4.0/legalcode" }] },
    evidence: { license_spdx: "CC-BY-NC-4.0", license_permissive: false, license_open: false },
  },
  {
    name: "the URL of a licence for a country without an SPDX id",
    given: {
      rightsList: [
        {
          rights: "Creative Commons Attribution-ShareAlike 3.0 United States",
          rightsUri: "https://creativecommons.org/licenses/by-sa/3.0/us/",
        },
      ],
    },
    evidence: { license_spdx: null, license_permissive: false, license_open: true },
  },
  {
    name: "share alike is open but not permissive",
    given: { rightsList: [{ rights: "CC BY-SA 4.0" }] },
    evidence: { license_spdx: "CC-BY-SA-4.0", license_permissive: false, license_open: true },
  },
  {
    name: "rights in free text",
    given: { rightsList: [{ rights: "Ask the curator." }] },
    evidence: { ...NO_LICENCE, license_text: "Ask the curator.", ...NO_ACCESS },
    fields: { license: "Ask the curator." },
  },
  {
    name: "words before the name of a licence",
    given: { rightsList: [{ rights: "Ask the curator." }, { rightsIdentifier: "CC0-1.0" }] },
    evidence: { license_text: "CC0-1.0", license_spdx: "CC0-1.0" },
  },
  {
    name: "a plain text of an older shape",
    given: { rightsList: ["CC0"] },
    evidence: { license_text: "CC0", license_spdx: "CC0-1.0" },
  },
  {
    name: "an access level and a licence",
    given: {
      rightsList: [
        { rightsUri: "info:eu-repo/semantics/openAccess" },
        { rights: "MIT License", rightsIdentifier: "mit" },
      ],
    },
    evidence: { access_declared: true, access_open: true, embargo_active: false, license_spdx: "MIT" },
    fields: { accessStatus: "info:eu-repo/semantics/openAccess" },
  },
  {
    name: "an access level and a licence URL in one entry",
    given: { rightsList: [{ rights: "Open Access", rightsUri: "https://creativecommons.org/publicdomain/zero/1.0/" }] },
    evidence: { access_open: true, license_spdx: "CC0-1.0" },
    fields: { accessStatus: "Open Access" },
  },
  {
    name: "an access level is not a licence",
    given: { rightsList: [{ rights: "Open Access" }] },
    evidence: { ...NO_LICENCE, access_declared: true, access_open: true },
  },
  {
    name: "the more restrictive of two levels",
    given: { rightsList: [{ rights: "Open Access" }, { rights: "Restricted Access" }] },
    evidence: { access_declared: true, access_open: false },
  },
  {
    name: "a sentence with the word restricted",
    given: { rightsList: [{ rights: "Data access is restricted (moratorium, sensitive data, license constraints)" }] },
    evidence: { ...NO_LICENCE, access_declared: true, access_open: false },
  },
  {
    name: "an open licence is not an access level",
    given: { rightsList: [{ rightsIdentifier: "CC0-1.0" }] },
    evidence: NO_ACCESS,
  },
]);

table("descriptions", [
  ...listCases("descriptions", ["description_length", "methods_length"]),
  {
    name: "the longest of abstract, other and untyped descriptions; methods are separate",
    given: {
      descriptions: [
        { description: "<p>abc</p>", descriptionType: "Abstract" },
        { description: "abcd &amp; e", descriptionType: "Other" },
        { description: "abcde" },
        { description: "a very long table of contents", descriptionType: "TableOfContents" },
        { description: "step", descriptionType: "Methods" },
        { description: "detail", descriptionType: "TechnicalInfo" },
      ],
    },
    evidence: { description_length: 8, methods_length: 6 },
  },
  {
    name: "placeholders and blanks do not count",
    given: {
      descriptions: [
        { description: ":unav", descriptionType: "Abstract" },
        { description: " ", descriptionType: "Methods" },
      ],
    },
    evidence: { description_length: 0, methods_length: 0 },
  },
  {
    name: "counts code points, not UTF-16 units",
    given: { descriptions: [{ description: "𝒳".repeat(100), descriptionType: "Abstract" }] },
    evidence: { description_length: 100 },
  },
  {
    name: "a list in place of text",
    given: { descriptions: [{ description: ["one", "three"], descriptionType: "Abstract" }] },
    evidence: { description_length: 5 },
  },
]);

const ORCID = "0000-0002-1825-0097";
const CREATORS = ["creator_count", "person_creator_count", "creator_pid_count", "organization_pid_count"] as const;

table("creators", [
  ...listCases("creators", CREATORS),
  {
    name: "people and organisations",
    given: {
      creators: [
        { name: "Typed", nameType: "Personal" },
        { name: "Institute", nameType: "Organizational" },
        { name: "Bo, Ann" },
        { name: "Ann Bo" },
        { name: "Ann Bo", givenName: "Ann", familyName: "Bo" },
        { name: "Steele, PhD" },
        { name: "Single" },
      ],
    },
    evidence: { creator_count: 7, person_creator_count: 3, creator_pid_count: 0, organization_pid_count: 0 },
  },
  {
    name: "an ORCID iD makes a person; one with a wrong check digit does not",
    given: {
      creators: [
        {
          name: "A B",
          nameIdentifiers: [{ nameIdentifier: `https://orcid.org/${ORCID}`, nameIdentifierScheme: "ORCID" }],
        },
        { name: "C D", nameIdentifiers: [{ nameIdentifier: "0000-0002-1825-0098", nameIdentifierScheme: "ORCID" }] },
        { name: "E F", nameIdentifiers: [{ nameIdentifier: ORCID }] },
      ],
    },
    evidence: { creator_count: 3, person_creator_count: 1, creator_pid_count: 1 },
  },
  {
    name: "a repeated identifier counts once",
    given: {
      creators: ["A, B", "C, D"].map((name) => ({
        name,
        nameIdentifiers: [{ nameIdentifier: ORCID, schemeUri: "https://orcid.org" }],
      })),
    },
    evidence: { person_creator_count: 2, creator_pid_count: 1 },
  },
  {
    name: "an ISNI of a person",
    given: {
      creators: [
        { name: "A, B", nameIdentifiers: [{ nameIdentifier: "0000 0001 2103 2683", nameIdentifierScheme: "ISNI" }] },
      ],
    },
    evidence: { creator_pid_count: 1, organization_pid_count: 0 },
  },
  {
    name: "an organisation's own identifier",
    given: {
      creators: [
        {
          name: "Institute",
          nameType: "Organizational",
          nameIdentifiers: [{ nameIdentifier: "https://ror.org/00k4n6c32", nameIdentifierScheme: "ROR" }],
        },
      ],
    },
    evidence: { person_creator_count: 0, creator_pid_count: 0, organization_pid_count: 1 },
  },
  {
    name: "affiliations as objects, of which each identifier counts once",
    given: {
      creators: [
        {
          name: "A, B",
          affiliation: [
            { name: "X", affiliationIdentifier: "https://ror.org/00k4n6c32", affiliationIdentifierScheme: "ROR" },
          ],
        },
        {
          name: "C, D",
          affiliation: [{ name: "X", affiliationIdentifier: "https://ror.org/00k4n6c32" }, { name: "Y" }],
        },
        {
          name: "E, F",
          affiliation: [{ name: "Z", affiliationIdentifier: "grid.5335.0", affiliationIdentifierScheme: "GRID" }],
        },
      ],
    },
    evidence: { organization_pid_count: 2 },
  },
  {
    name: "affiliation objects without identifiers",
    given: { creators: [{ name: "A, B", affiliation: [{ name: "X" }] }] },
    evidence: { organization_pid_count: 0 },
  },
  {
    name: "affiliation texts, which cannot carry identifiers",
    given: { creators: [{ name: "A, B", affiliation: ["X"] }] },
    evidence: { creator_count: 1, organization_pid_count: null },
  },
  {
    name: "placeholders are not creators",
    given: { creators: [{ name: "TODO" }, { name: ":unav" }, { name: "" }, {}, null] },
    evidence: { creator_count: 0, person_creator_count: 0, creator_pid_count: 0 },
  },
]);

test("an affiliation in DataCite does not count if its text says that there is none", () => {
  const { creators } = read({
    creators: [
      { name: "A, B", affiliation: ["none"] },
      { name: "C, D", affiliation: ["N/A", "Uni X"] },
    ],
  });
  expect(creators.map(({ affiliations }) => affiliations)).toEqual([[], [{ text: "Uni X", ror: null }]]);
});

test("an affiliation has its exact text, whether DataCite sends a text or an object", () => {
  const { creators } = read({
    creators: [
      {
        name: "A, B",
        affiliation: [" Uni <b>X</b>, Kiel ", { name: "Y", affiliationIdentifier: "https://ror.org/00k4n6c32" }, {}, 5],
      },
      { name: "C, D", affiliation: { name: "Z" } },
      { name: "E, F", affiliation: null },
    ],
  });
  expect(creators.map(({ affiliations }) => affiliations)).toEqual([
    [
      { text: " Uni <b>X</b>, Kiel ", ror: null },
      { text: "Y", ror: "00k4n6c32" },
    ],
    [{ text: "Z", ror: null }],
    [],
  ]);
});

table("use", [
  { name: "no counts of use", given: {}, evidence: { view_count: null, download_count: null, citation_count: null } },
  {
    name: "zero views and downloads are unknown, zero citations are known",
    given: { viewCount: 0, downloadCount: 0, citationCount: 0 },
    evidence: { view_count: null, download_count: null, citation_count: 0 },
  },
  {
    name: "counts as numbers and as text",
    given: { viewCount: 3, downloadCount: 2.0, citationCount: "4" },
    evidence: { view_count: 3, download_count: 2, citation_count: 4 },
  },
  {
    name: "counts that are null",
    given: { viewCount: null, citationCount: null },
    evidence: { view_count: null, citation_count: null },
  },
  {
    name: "counts that are not numbers",
    given: { viewCount: "many", downloadCount: -1, citationCount: [] },
    evidence: { view_count: null, download_count: null, citation_count: null },
    errors: ["view_count", "download_count", "citation_count"],
  },
]);

table("funding", [
  ...listCases("fundingReferences", ["funder_count", "award_count"]),
  {
    name: "counts each funder and award once",
    given: {
      fundingReferences: [
        { funderName: "NSF", awardNumber: "1" },
        { funderName: "NSF", awardNumber: 2 },
        { funderName: "DFG" },
        { funderName: ":unav", awardNumber: "N/A" },
        {},
      ],
    },
    evidence: { funder_count: 2, award_count: 2 },
  },
]);

table("formats", [
  ...listCases("formats", ["open_format_file_count"]),
  {
    name: "media types, extensions and names",
    given: { formats: ["text/csv", "csv", "application/vnd.ms-excel", "", null] },
    evidence: { open_format_file_count: 2 },
  },
]);

const RELATIONS = [
  "reference_count",
  "reference_pid_count",
  "publication_link_count",
  "data_link_count",
  "linked_code_count",
  "derivative_count",
  "related_identifier_count",
] as const;

function related(relationType: string, relatedIdentifier: string, rest: Attributes = {}): Attributes {
  return { relationType, relatedIdentifier, ...rest };
}

table("relations", [
  ...listCases("relatedIdentifiers", RELATIONS).filter(({ errors = [] }) => errors.length === 0),
  {
    name: "relatedIdentifiers as text",
    given: { relatedIdentifiers: "10.1/x" },
    errors: [...RELATIONS, "version_stated"],
    evidence: { reference_count: null, version_stated: null },
  },
  {
    name: "a relation without a related type",
    given: {
      relatedIdentifiers: [
        related("References", "10.1234/a"),
        related("Cites", "some book", { relatedIdentifierType: "ISBN" }),
        related("IsSupplementTo", "10.1234/b"),
        related("IsDerivedFrom", "10.1234/c"),
        related("IsSourceOf", "10.1234/d"),
        related("IsCitedBy", "10.1234/e"),
        related("IsPartOf", "10.1234/f"),
        related("HasMetadata", "10.1234/g"),
      ],
    },
    evidence: {
      reference_count: 2,
      reference_pid_count: 1,
      publication_link_count: 1,
      data_link_count: 2,
      linked_code_count: 0,
      derivative_count: 1,
      related_identifier_count: 5,
      version_stated: null,
    },
  },
  {
    name: "two spellings of one DOI are one work",
    given: {
      relatedIdentifiers: [related("References", "https://doi.org/10.1234/A"), related("references", "10.1234/a")],
    },
    evidence: { reference_count: 1, related_identifier_count: 1 },
  },
  {
    name: "a source-code host is code, with or without a type",
    given: {
      relatedIdentifiers: [
        related("IsSupplementTo", "https://github.com/a/b/tree/v1"),
        related("IsSupplementedBy", "10.1234/s", { resourceTypeGeneral: "Software" }),
      ],
    },
    evidence: { linked_code_count: 2 },
  },
  {
    name: "entries without identifier or relation, and placeholders",
    given: {
      relatedIdentifiers: [{}, related("Cites", ""), { relatedIdentifier: "10.1/x" }, related("Cites", ":unav"), null],
    },
    evidence: { reference_count: 0, related_identifier_count: 0 },
  },
  {
    name: "related items count like related identifiers",
    given: {
      relatedItems: [
        {
          relationType: "Cites",
          relatedItemType: "JournalArticle",
          relatedItemIdentifier: { relatedItemIdentifier: "10.1234/x", relatedItemIdentifierType: "DOI" },
        },
        { relationType: "Cites", titles: [{ title: "no identifier" }] },
      ],
    },
    evidence: { reference_count: 1, reference_pid_count: 1 },
  },
]);

table("versions", [
  { name: "no field for the version", given: {}, evidence: { version_stated: null }, fields: { version: null } },
  { name: "a version that is null", given: { version: null }, evidence: { version_stated: false } },
  { name: "a version", given: { version: "1.0" }, evidence: { version_stated: true }, fields: { version: "1.0" } },
  { name: "a number as version", given: { version: 2 }, evidence: { version_stated: true }, fields: { version: "2" } },
  { name: "a placeholder", given: { version: "N/A" }, evidence: { version_stated: false }, fields: { version: null } },
  {
    name: "a list as version",
    given: { version: ["1"] },
    evidence: { version_stated: null },
    errors: ["version_stated"],
  },
  {
    name: "a relation to another version without a version number",
    given: { relatedIdentifiers: [related("IsNewVersionOf", "10.1234/a")] },
    evidence: { version_stated: true, related_identifier_count: 0 },
  },
  {
    name: "the family of a version is the work in IsVersionOf",
    given: { relatedIdentifiers: [related("IsVersionOf", "https://doi.org/10.1234/Concept")] },
    fields: { versionFamily: "10.1234/concept" },
  },
]);

test.each([
  ["10.6084/m9.figshare.8039504.v1", "10.6084/m9.figshare.8039504"],
  ["10.6084/m9.figshare.8039504", "10.6084/m9.figshare.8039504"],
  ["10.5072/data.v1.2", "10.5072/data.v1.2"],
])("the family of versions of the DOI %s is %s", (doi, family) => {
  expect(readRecord(datacite, payload({}), doi).fields.versionFamily).toBe(family);
});

table("venue", [
  { name: "no field for the venue", given: {}, evidence: { venue_stated: null } },
  { name: "a venue that is null", given: { container: null }, evidence: { venue_stated: false } },
  { name: "an empty venue", given: { container: {} }, evidence: { venue_stated: false } },
  { name: "a journal", given: { container: { type: "Journal", title: "J" } }, evidence: { venue_stated: true } },
  {
    name: "the repository in place of a journal",
    given: { container: { type: "DataRepository", title: "R" } },
    evidence: { venue_stated: false },
  },
  { name: "a text as venue", given: { container: "J" }, evidence: { venue_stated: null }, errors: ["venue_stated"] },
]);

table("fields", [
  { name: "a publisher as text", given: { publisher: "Dryad" }, fields: { repository: "Dryad" } },
  {
    name: "a publisher as object",
    given: { publisher: { name: "Dryad", publisherIdentifier: "x" } },
    fields: { repository: "Dryad" },
  },
  { name: "a placeholder as publisher", given: { publisher: ":unav" }, fields: { repository: null } },
  {
    name: "a title with markup",
    given: { titles: [{ title: "" }, { title: "CO<sub>2</sub> &amp; more" }] },
    fields: { title: "CO2 & more" },
  },
  {
    name: "an issued date, which is preferred to the year",
    given: { publicationYear: 2019, dates: [{ date: "2020-05-01", dateType: "Issued" }] },
    fields: { pubDate: "2020-05-01" },
  },
  { name: "the year of publication", given: { publicationYear: 2019 }, fields: { pubDate: "2019" } },
  { name: "a landing page", given: { url: "https://example.org/1" }, fields: { url: "https://example.org/1" } },
  { name: "an invalid URL", given: { url: "javascript:alert(1)" }, fields: { url: `https://doi.org/${DOI}` } },
]);

test.each([
  ["2020-01-02T03:04:05.000Z", "2020-01-02T03:04:05.000Z"],
  ["2020-01-02T03:04:05+02:00", "2020-01-02T01:04:05.000Z"],
  ["2020-01-02", "2020-01-02T00:00:00.000Z"],
  // This text has no time zone and could be read in several ways, so it is unknown.
  ["01/02/2020", null],
  ["yesterday", null],
])("the time of update %s in DataCite is read as %s", (updated, instant) => {
  expect(read({ updated }).updated).toBe(instant);
});

/** Reads attributes in the form that DataCite's API had in 2017. */
function legacy(attributes: Attributes, item: Attributes = {}) {
  const types = { "resource-type-subtype": "Dataset" };
  return readRecord(datacite, { id: DOI, ...item, attributes: { doi: DOI, author: [], ...types, ...attributes } }, DOI);
}

describe("payloads of DataCite before 2018", () => {
  const cases: FragmentCase<Attributes>[] = [
    {
      name: "most of today's fields did not exist before 2018",
      given: { description: "<p>abc</p>", license: null },
      evidence: {
        ...Object.fromEntries(EVIDENCE_NAMES.map((name) => [name, null])),
        creator_count: 0,
        person_creator_count: 0,
        creator_pid_count: 0,
        description_length: 3,
        methods_length: 0,
        ...NO_LICENCE,
        reference_count: 0,
        reference_pid_count: 0,
        publication_link_count: 0,
        data_link_count: 0,
        linked_code_count: 0,
        derivative_count: 0,
        related_identifier_count: 0,
      },
    },
    {
      name: "authors as a list of lists, with an ORCID iD as id",
      given: {
        author: [
          [{ family: "Steele", given: "Ann" }, { literal: "Institute" }],
          { name: "Bo, C", id: `https://orcid.org/${ORCID}` },
        ],
      },
      evidence: { creator_count: 2, person_creator_count: 2, creator_pid_count: 1, organization_pid_count: null },
    },
    { name: "one author as an object", given: { author: { name: "Bo, C" } }, evidence: { creator_count: 1 } },
    {
      name: "descriptions with types",
      given: { description: [{ type: "Abstract", text: "abc" }, { type: "Methods", text: "abcd" }, { text: "ab" }] },
      evidence: { description_length: 3, methods_length: 4 },
    },
    {
      name: "a licence URL without an access level",
      given: { license: "https://creativecommons.org/publicdomain/zero/1.0/" },
      evidence: { license_spdx: "CC0-1.0", access_declared: null, access_open: null, embargo_active: null },
    },
    {
      name: "relations, and a version that counts revisions of the metadata",
      given: { version: 3, "related-identifier": [{ "relation-type": "References", id: "https://doi.org/10.1234/x" }] },
      evidence: { reference_count: 1, version_stated: null },
      fields: { version: null },
    },
    {
      name: "the title of the container, which was the publisher",
      given: { "container-title": "University of Bath", title: "A title", published: "2015" },
      fields: { repository: "University of Bath", title: "A title", pubDate: "2015" },
    },
  ];
  testFragments(cases, legacy);

  test("a DataCite payload in the form before 2018 has its resource type in a relationship or in the deposited XML", () => {
    const relationships = { "resource-type": { data: { id: "dataset" } } };
    expect(legacy({ "resource-type-subtype": "Survey" }, { relationships }).fields.recordKind).toBe("dataset");
    const xml = Buffer.from('<resource><resourceType resourceTypeGeneral="Collection"/></resource>').toString("base64");
    expect(legacy({ "resource-type-subtype": "Survey", xml }).fields.recordKind).toBe("Collection");
  });
});
