/** Tests readers with payloads that no source sends: any JSON is read without an exception, into consistent evidence. */

import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asObject, at, type Json } from "../../pipeline/reading/reader.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import { AS_OF, vocabularies } from "./fragment.ts";

/** Keys that the reader of each source looks for, so that random objects reach its deepest parts. */
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
  dryad: [
    "title",
    "authors",
    "abstract",
    "keywords",
    "fieldOfScience",
    "hsiStatement",
    "methods",
    "usageNotes",
    "locations",
    "temporalCoverages",
    "relatedWorks",
    "funders",
    "license",
    "versionNumber",
    "versionChanges",
    "curationStatus",
    "visibility",
    "embargoEndDate",
    "publicationDate",
    "relatedPublicationISSN",
    "storageSize",
    "_embedded",
    "__proto__",
  ],
  figshare: [
    "title",
    "authors",
    "description",
    "keywords",
    "tags",
    "categories",
    "license",
    "references",
    "related_materials",
    "resource_doi",
    "funding",
    "funding_list",
    "files",
    "version",
    "is_embargoed",
    "embargo_date",
    "is_confidential",
    "doi",
    "timeline",
    "__proto__",
  ],
  dataverse: ["metadataBlocks", "files", "license", "termsOfUse", "versionNumber", "lastUpdateTime", "__proto__"],
  osf: [
    "title",
    "description",
    "tags",
    "subjects",
    "public",
    "embargoed",
    "embargo_end_date",
    "node_license",
    "article_doi",
    "category",
    "date_registered",
    "__proto__",
  ],
  openneuro: ["description", "readme", "summary", "files", "tag", "created", "__proto__"],
  nasa_cmr: [
    "ShortName",
    "Version",
    "EntryTitle",
    "Abstract",
    "Purpose",
    "DOI",
    "ScienceKeywords",
    "ISOTopicCategories",
    "AncillaryKeywords",
    "LocationKeywords",
    "SpatialExtent",
    "TemporalExtents",
    "PaleoTemporalCoverages",
    "ContactPersons",
    "ContactGroups",
    "DataCenters",
    "CollectionCitations",
    "UseConstraints",
    "AccessConstraints",
    "ArchiveAndDistributionInformation",
    "PublicationReferences",
    "AssociatedDOIs",
    "MetadataAssociations",
    "RelatedUrls",
    "DataDates",
    "__proto__",
  ],
  openaire: [
    "authors",
    "author",
    "bestAccessRight",
    "container",
    "contributors",
    "descriptions",
    "embargoEndDate",
    "formats",
    "geoLocations",
    "indicators",
    "instances",
    "lastUpdateTimeStamp",
    "mainTitle",
    "organizations",
    "pids",
    "projects",
    "publicationDate",
    "subjects",
    "version",
    "__proto__",
  ],
  edi: [
    "creator",
    "associatedParty",
    "contact",
    "project",
    "abstract",
    "additionalInfo",
    "keywordSet",
    "annotation",
    "licensed",
    "intellectualRights",
    "coverage",
    "methods",
    "dataTable",
    "otherEntity",
    "literatureCited",
    "referencePublication",
    "distribution",
    "alternateIdentifier",
    "pubDate",
    "__proto__",
  ],
  geo: [
    "accession",
    "title",
    "summary",
    "gdstype",
    "pdat",
    "suppfile",
    "pubmedids",
    "extrelations",
    "relations",
    "error",
    "__proto__",
  ],
  sra: [
    "project_acc",
    "project_type",
    "project_title",
    "project_description",
    "keyword",
    "submitter_organization",
    "submitter_organization_list",
    "registration_date",
    "error",
    "__proto__",
  ],
};

const DATAVERSE_FIELDS = [
  "title",
  "author",
  "keyword",
  "topicClassification",
  "subject",
  "dsDescription",
  "contributor",
  "producer",
  "publication",
  "relatedDatasets",
  "otherReferences",
  "grantNumber",
  "timePeriodCovered",
  "geographicCoverage",
  "samplingProcedure",
  "series",
];

/** Keys for random objects inside lists and objects. */
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
  "firstName",
  "lastName",
  "orcid",
  "affiliationROR",
  "place",
  "point",
  "relationship",
  "organization",
  "stash:files",
  "path",
  "full_name",
  "orcid_id",
  "funder_name",
  "grant_code",
  "totals",
  "url",
  "value",
  "typeName",
  "authorName",
  "keywordValue",
  "dsDescriptionValue",
  "label",
  "restricted",
  "dataFile",
  "attributes",
  "embeds",
  "data",
  "users",
  "text",
  "errors",
  "Authors",
  "License",
  "ReferencesAndLinks",
  "Funding",
  "modalities",
  "ages",
  "species",
  "filename",
  "directory",
  "views",
  "key",
  "#text",
  "@id",
  "@directory",
  "@is_public",
  "@status",
  "Roles",
  "FirstName",
  "LastName",
  "Topic",
  "Term",
  "Linkage",
  "FreeAndOpenData",
  "Description",
  "Format",
  "DOI",
  "Type",
  "URL",
  "Subtype",
  "BeginningDateTime",
  "RangeDateTimes",
  "HorizontalSpatialDomain",
  "Geometry",
  "BoundingRectangles",
  "fullName",
  "surname",
  "pid",
  "scheme",
  "license",
  "accessRight",
  "usageCounts",
  "citationImpact",
  "fundings",
  "individualName",
  "surName",
  "organizationName",
  "userId",
  "role",
  "keyword",
  "keywordThesaurus",
  "geographicCoverage",
  "temporalCoverage",
  "calendarDate",
  "methodStep",
  "dataSource",
  "online",
  "physical",
  "objectName",
  "award",
  "awardNumber",
  "funding",
  "citation",
  "bibtex",
  "allow",
  "principal",
  "permission",
  "resource",
  "nonRobotReads",
  "targetobject",
  "relationtype",
  "expxml",
  "runs",
  "result",
  "uids",
  "SAMPLE",
  "SAMPLE_ATTRIBUTES",
  "SAMPLE_ATTRIBUTE",
  "TAG",
  "VALUE",
  "STUDY_LINKS",
  "STUDY_LINK",
  "XREF_LINK",
  "URL_LINK",
  "DB",
  "ID",
  "RUN_SET",
  "RUN",
  "DESCRIPTOR",
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
  clinicaltrials: (inner, beside) => ({
    hasResults: beside,
    protocolSection: inner,
    derivedSection: { miscInfoModule: beside, ...Object(beside) },
    documentSection: beside,
  }),
  dryad: (inner, beside) => ({ dataset: { title: "t", ...Object(inner) }, files: beside }),
  figshare: (inner, beside) => ({
    article: { defined_type: 3, ...Object(inner) },
    files: beside,
    views: beside,
    downloads: beside,
  }),
  dataverse: (inner, beside) => ({
    latestVersion: {
      metadataBlocks: { citation: { fields: DATAVERSE_FIELDS.map((typeName) => ({ typeName, value: beside })) } },
      ...Object(inner),
    },
  }),
  osf: (inner, beside) => ({
    node: {
      type: "nodes",
      attributes: inner,
      embeds: { bibliographic_contributors: { data: beside }, affiliated_institutions: beside, license: beside },
    },
    files: beside,
  }),
  openneuro: (inner, beside) => ({
    public: true,
    metadata: beside,
    analytics: beside,
    latestSnapshot: { description: beside, summary: beside, ...Object(inner) },
  }),
  nasa_cmr: (inner, beside) => ({ meta: beside, umm: { ShortName: "X", ...Object(inner) } }),
  openaire: (inner, beside) => ({ type: "dataset", pids: beside, ...Object(inner) }),
  edi: (inner, beside) => ({
    eml: { eml: { "@schemaLocation": "eml-2.2.0", access: beside, dataset: { title: "t", ...Object(inner) } } },
    rmd: { resourceMetadata: beside },
    reads: { resourceReads: beside },
  }),
  geo: (inner) => ({ entrytype: "GSE", ...Object(inner) }),
  sra: (inner, beside) => ({
    project: { project_acc: "PRJNA1", ...Object(inner) },
    STUDY: beside,
    EXPERIMENT_PACKAGE: beside,
    experiments: { result: { uids: ["1"], "1": { expxml: "<Summary/>", runs: "", ...Object(beside) } } },
  }),
};

/** Returns the payloads of a source's fixtures that are a single record. */
function readFixtures(source: Source): readonly Json[] {
  const folder = new URL(`../../fixtures/payloads/${source.name}/`, import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const document: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    const shape = source.readShape(document);
    const payload = shape.kind === "record" ? asObject(at(document, ...shape.path)) : null;
    return payload === null ? [] : [payload];
  });
}

function expectSane(source: Source, payload: unknown): void {
  // The payload is written and parsed as JSON, as real payloads are, so that `__proto__` is an ordinary key.
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
    // A value that could be read only in part is unknown or positive, and never zero, empty or false.
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

describe.each(SOURCES.map((source) => ({ name: source.name, source })))("the reader of $name", ({ name, source }) => {
  test("the reader of a source reads any JSON value without an exception", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (payload) => expectSane(source, payload)),
      { numRuns: 500 },
    );
  });

  const frame = FRAME[name];
  if (frame === undefined) {
    test("the reader of a source reads any value in place of any field of its fixtures", () => {
      const payloads = fc.constantFrom(...readFixtures(source));
      fc.assert(
        fc.property(payloads, fc.nat(), entry, (payload, n, value) => {
          const keys = Object.keys(payload);
          expectSane(source, { ...payload, [keys[n % keys.length] ?? ""]: value });
        }),
        { numRuns: 2000 },
      );
    });
    return;
  }

  test("the reader of a source reads any value in any key", () => {
    const keys = KEYS[name] ?? [];
    const inner = fc.dictionary(fc.constantFrom(...keys), entry, { maxKeys: 12 });
    fc.assert(
      fc.property(inner, entry, (fields, beside) => expectSane(source, frame(fields, beside))),
      { numRuns: 2000 },
    );
  });
});
