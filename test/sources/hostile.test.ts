/** Payloads nobody meant: any JSON, anywhere in a payload, is read without an exception and into sane evidence. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Source } from "../../pipeline/sources/source.ts";
import { EVIDENCE } from "../../schemas/evidence.ts";
import { AS_OF, vocabularies } from "./fragment.ts";

/** Keys the normalisers look at, so that random objects reach deep into them. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  datacite: [
    "creators",
    "titles",
    "publisher",
    "subjects",
    "contributors",
    "dates",
    "descriptions",
    "geoLocations",
    "rightsList",
    "relatedIdentifiers",
    "relatedItems",
    "fundingReferences",
    "formats",
    "container",
    "version",
    "viewCount",
    "citationCount",
    "publicationYear",
    "updated",
    "url",
    "state",
    "isActive",
    "author",
    "license",
    "description",
    "related-identifier",
    "xml",
    "published",
    "__proto__",
    "constructor",
  ],
  zenodo: [
    "creators",
    "title",
    "access_right",
    "embargo_date",
    "license",
    "keywords",
    "subjects",
    "contributors",
    "locations",
    "dates",
    "description",
    "method",
    "journal",
    "grants",
    "funding",
    "related_identifiers",
    "references",
    "version",
    "publication_date",
    "doi",
    "__proto__",
    "toString",
  ],
  clinicaltrials: [
    "identificationModule",
    "statusModule",
    "sponsorCollaboratorsModule",
    "descriptionModule",
    "conditionsModule",
    "contactsLocationsModule",
    "referencesModule",
    "ipdSharingStatementModule",
    "eligibilityModule",
    "designModule",
  ],
};

/** Keys of the entries below. */
const INNER = [
  "name",
  "givenName",
  "familyName",
  "nameType",
  "affiliation",
  "nameIdentifiers",
  "nameIdentifier",
  "subject",
  "date",
  "dateType",
  "description",
  "descriptionType",
  "rights",
  "rightsUri",
  "relationType",
  "relatedIdentifier",
  "identifier",
  "relation",
  "type",
  "id",
  "term",
  "start",
  "code",
  "funder",
  "keywords",
  "references",
  "availIpds",
  "overallOfficials",
  "leadSponsor",
  "collaborators",
  "locations",
  "briefSummary",
  "startDateStruct",
  "pmid",
  "ipdSharing",
  "title",
  "key",
];

const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    "",
    " ",
    ":unav",
    "2020-01-01",
    "9999-99-99",
    "10.1234/x",
    "open",
    "restricted",
    "CC0",
    "Collected",
    "Cites",
  ),
  fc.string({ maxLength: 30, unit: "binary" }),
  fc.double({ noNaN: true }),
  fc.constantFrom(-1, 0, 1e21, Number.MAX_SAFE_INTEGER, -0.5),
);
const { entry } = fc.letrec<{ entry: unknown }>((tie) => ({
  entry: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("entry"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...INNER), tie("entry"), { maxKeys: 6 }),
  ),
}));

const FRAME: Readonly<Record<string, (inner: unknown, beside: unknown) => unknown>> = {
  datacite: (inner, beside) => ({
    id: "10.1234/x",
    relationships: beside,
    attributes: { types: { resourceTypeGeneral: "Dataset" }, ...Object(inner) },
  }),
  zenodo: (inner, beside) => ({
    files: beside,
    stats: beside,
    metadata: { resource_type: { type: "dataset" }, ...Object(inner) },
  }),
  clinicaltrials: (inner, beside) => ({ protocolSection: inner, derivedSection: beside, documentSection: beside }),
};

function expectSane(source: Source, payload: unknown): void {
  // Through JSON, as payloads come: own `__proto__` keys included.
  const document: unknown = JSON.parse(JSON.stringify(payload) ?? "null");
  const before = JSON.stringify(document);
  const normalised = source.normalise(document, "10.1234/x", { asOf: AS_OF, vocabularies });
  expect(JSON.stringify(document)).toBe(before);
  if (normalised.outcome !== "record") {
    expect(normalised.reason).not.toBe("");
    return;
  }
  for (const { name, type } of EVIDENCE) {
    const value = normalised.evidence[name];
    // What could not be read in full is never "none".
    if (normalised.errors.has(name)) expect([name, value === null || Boolean(value)]).toEqual([name, true]);
    if (value === null) continue;
    expect([name, typeof value]).toEqual([name, type === "int" ? "number" : type === "bool" ? "boolean" : "string"]);
    if (type === "int")
      expect([name, Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31]).toEqual([name, true]);
  }
  const { evidence, creators, fields } = normalised;
  expect(evidence.creator_count ?? creators.length).toBe(creators.length);
  expect(evidence.subject_count ?? 0).toBeLessThanOrEqual(evidence.keyword_count ?? Number.POSITIVE_INFINITY);
  expect(evidence.person_creator_count ?? 0).toBeLessThanOrEqual(evidence.creator_count ?? Number.POSITIVE_INFINITY);
  expect(evidence.reference_pid_count ?? 0).toBeLessThanOrEqual(evidence.reference_count ?? Number.POSITIVE_INFINITY);
  expect(evidence.open_format_file_count ?? 0).toBeGreaterThanOrEqual(evidence.inspectable_file_count ?? 0);
  for (const creator of creators) expect(creator.name.trim()).not.toBe("");
  for (const text of [fields.title, fields.repository]) expect(text).not.toBe("");
  expect(fields.versionFamily).not.toBe("");
}

describe.each(SOURCES.map((source) => ({ name: source.name, source })))("$name", ({ name, source }) => {
  test("reads any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (payload) => expectSane(source, payload)),
      { numRuns: 500 },
    );
  });

  test("reads any value in any of its keys", () => {
    const keys = KEYS[name] ?? [];
    const frame = FRAME[name];
    if (frame === undefined) throw new Error(`no frame for ${name}`);
    const inner = fc.dictionary(fc.constantFrom(...keys), entry, { maxKeys: 12 });
    fc.assert(
      fc.property(inner, entry, (fields, beside) => expectSane(source, frame(fields, beside))),
      { numRuns: 2000 },
    );
  });
});
