/** Describes the metadata formats that SHARE can repair: for each fact, the field that contains it. */

import { readOrcid } from "../reading/identifiers.ts";
import { asList, asObject, asText, at, firstText, type Json, oneOrMany } from "../reading/reader.ts";
import { datasetNode, PREFIXES } from "../sources/datacite/schema-org.ts";
import { versionsIn } from "../sources/dataverse/normalise.ts";

/** The identifier of a cited work. `type` is a name in DataCite's list of identifier types. */
export interface CitedWork {
  readonly type: "DOI" | "PMID" | "arXiv";
  readonly id: string;
}

/** How a format stores a fact: as an entry to add to a list, or as the new value of a field that is not a list. */
export interface Placement {
  readonly field: string;
  readonly entry: unknown;
}

/** Reads and writes the fields of one record. `set` changes the document. */
export interface FieldAccess {
  get(field: string): unknown;
  set(field: string, value: unknown): void;
}

/**
 * A list of the format, such as keywords or creators, with functions that read and write the text or ORCID iD of one
 * entry.
 */
interface Entries {
  readonly field: string;
  readText(entry: unknown): string | null;
}

interface Terms extends Entries {
  withText(entry: unknown, text: string): unknown;
}

interface People extends Entries {
  readOrcid(entry: unknown): string | null;
  withOrcid(entry: unknown, name: string, orcid: string): unknown;
}

export interface Format {
  readonly name: string;
  /** The usual file name of this format. */
  readonly fileName: string;
  /** Names of fields that contain one value instead of a list. */
  readonly single: readonly string[];
  work(work: CitedWork): Placement;
  code(url: string): Placement;
  /**
   * Returns how the format stores a licence, whose SPDX id is `spdx`. Returns null if the format cannot express the
   * licence.
   */
  licence(spdx: string): Placement | null;
  /** Returns how the format stores a funder. Null if the format has no field for a funder whose award is unknown. */
  funder(name: string): Placement | null;
  /**
   * Changes the role of a contributor who is listed as funder, and returns the changed entry. Returns null if the
   * contributor is not a funder, or if the format allows funders as contributors.
   */
  withoutFunderRole?(contributor: unknown): unknown;
  /**
   * The field of awards, with a function that adds an award number to the entry of a funder, or returns null if that
   * entry already has one. `award` is null if the format cannot store an award without the identifier of the funder.
   */
  readonly award: { readonly field: string; withNumber(entry: Json, number: string): Json | null } | null;
  readonly terms: Terms;
  readonly people: People;
  /** The field that lists other people. Its entries look like those of `people`. */
  readonly contributors: string;
}

/** A document that can be repaired: its format, and access to its fields. */
export interface Repairable {
  readonly format: Format;
  readonly fields: FieldAccess;
}

/** Returns the format and the fields of a document from this source; null if SHARE cannot write the format. */
export function repairableIn(source: string, document: unknown): Repairable | null {
  const stated = asObject(document);
  if (stated === null) return null;
  switch (source) {
    case "zenodo": {
      const metadata = asObject(stated.metadata) ?? stated;
      const isRdm = asText(at(metadata, "resource_type", "id")) !== null;
      return { format: isRdm ? INVENIO_RDM : ZENODO, fields: makeMemberFields(metadata) };
    }
    case "datacite": {
      const node = datasetNode(stated);
      if (node !== null) return { format: SCHEMA_ORG, fields: makePropertyFields(node) };
      const item = asObject(stated.data) ?? stated;
      return { format: DATACITE, fields: makeMemberFields(asObject(item.attributes) ?? item) };
    }
    case "dataverse": {
      const version = versionsIn(stated)[0]?.version ?? null;
      return version === null ? null : { format: DATAVERSE, fields: makeCitationFields(version) };
    }
    default:
      return null;
  }
}

function makeMemberFields(object: Json): FieldAccess {
  return {
    get: (field) => object[field],
    set: (field, value) => {
      Object.assign(object, { [field]: value });
    },
  };
}

/** Returns access to schema.org properties. A property may have a prefix ("schema:keywords"). */
function makePropertyFields(node: Json): FieldAccess {
  const findKey = (field: string) =>
    PREFIXES.map((prefix) => `${prefix}${field}`).find((key) => Object.hasOwn(node, key)) ?? field;
  return {
    get: (field) => node[findKey(field)],
    set: (field, value) => {
      Object.assign(node, { [findKey(field)]: value });
    },
  };
}

/** Returns access to the fields of the citation block of Dataverse, and to the licence, which is beside the block. */
function makeCitationFields(version: Json): FieldAccess {
  const fields = asList(at(version, "metadataBlocks", "citation", "fields"));
  const named = (field: string) => fields.map(asObject).find((each) => at(each, "typeName") === field) ?? null;
  return {
    get: (field) => (field === "license" ? version.license : at(named(field), "value")),
    set: (field, value) => {
      if (field === "license") Object.assign(version, { license: value });
      else if (named(field) !== null) Object.assign(named(field) ?? {}, { value });
      else (fields as unknown[]).push({ typeName: field, multiple: true, typeClass: "primitive", value });
    },
  };
}

const ORCID_URL = "https://orcid.org/";

export const DATACITE_FORMAT = "DataCite JSON";

const DATACITE: Format = {
  name: DATACITE_FORMAT,
  fileName: "datacite.json",
  single: [],
  work: ({ type, id }) => ({
    field: "relatedIdentifiers",
    entry: { relatedIdentifier: id, relatedIdentifierType: type, relationType: "References" },
  }),
  code: (url) => ({
    field: "relatedIdentifiers",
    entry: {
      relatedIdentifier: url,
      relatedIdentifierType: "URL",
      relationType: "References",
      resourceTypeGeneral: "Software",
    },
  }),
  licence: (spdx) => ({
    field: "rightsList",
    entry: {
      rights: spdx,
      rightsUri: spdxUrl(spdx),
      rightsIdentifier: spdx.toLowerCase(),
      rightsIdentifierScheme: "SPDX",
      schemeUri: "https://spdx.org/licenses/",
    },
  }),
  funder: (name) => ({ field: "fundingReferences", entry: { funderName: name } }),
  // Kernel 4 has no contributor type Funder, so a record with it is not valid.
  withoutFunderRole: (contributor) =>
    asText(at(contributor, "contributorType"))?.toLowerCase() === "funder"
      ? { ...asObject(contributor), contributorType: "Other" }
      : null,
  award: {
    field: "fundingReferences",
    withNumber: (entry, number) => (asText(entry.awardNumber) === null ? { ...entry, awardNumber: number } : null),
  },
  terms: {
    field: "subjects",
    readText: (entry) => asText(at(entry, "subject")) ?? asText(entry),
    withText: (entry, text) => (asObject(entry) === null ? text : { ...asObject(entry), subject: text }),
  },
  people: {
    field: "creators",
    readText: (entry) => asText(at(entry, "name")),
    readOrcid: (entry) => firstOrcid(asList(at(entry, "nameIdentifiers")).map((each) => at(each, "nameIdentifier"))),
    withOrcid: (entry, name, orcid) => ({
      ...asObject(entry),
      name,
      nameIdentifiers: [
        ...asList(at(entry, "nameIdentifiers")),
        { nameIdentifier: `${ORCID_URL}${orcid}`, nameIdentifierScheme: "ORCID", schemeUri: "https://orcid.org" },
      ],
    }),
  },
  contributors: "contributors",
};

const ZENODO: Format = {
  name: "Zenodo metadata",
  fileName: ".zenodo.json",
  single: ["license"],
  work: ({ type, id }) => ({
    field: "related_identifiers",
    entry: { identifier: id, scheme: type.toLowerCase(), relation: "references" },
  }),
  code: (url) => ({
    field: "related_identifiers",
    entry: { identifier: url, relation: "references", resource_type: "software" },
  }),
  licence: (spdx) => ({ field: "license", entry: spdx.toLowerCase() }),
  // Not possible: Zenodo finds a grant by the funder and the award number together.
  funder: () => null,
  award: null,
  terms: { field: "keywords", readText: asText, withText: (_entry, text) => text },
  people: {
    field: "creators",
    readText: (entry) => asText(at(entry, "name")),
    readOrcid: (entry) => firstOrcid([at(entry, "orcid")]),
    withOrcid: (entry, name, orcid) => ({ ...asObject(entry), name, orcid }),
  },
  contributors: "contributors",
};

const INVENIO_RDM: Format = {
  ...ZENODO,
  name: "InvenioRDM record",
  fileName: "record.json",
  single: [],
  work: ({ type, id }) => ({
    field: "related_identifiers",
    entry: { identifier: id, scheme: type.toLowerCase(), relation_type: { id: "references" } },
  }),
  code: (url) => ({
    field: "related_identifiers",
    entry: { identifier: url, scheme: "url", relation_type: { id: "references" }, resource_type: { id: "software" } },
  }),
  licence: (spdx) => ({ field: "rights", entry: { id: spdx.toLowerCase() } }),
  terms: {
    field: "subjects",
    readText: (entry) => asText(at(entry, "subject")),
    withText: (entry, text) => ({ ...asObject(entry), subject: text }),
  },
  people: {
    field: "creators",
    readText: (entry) => asText(at(entry, "person_or_org", "name")),
    readOrcid: (entry) =>
      firstOrcid(asList(at(entry, "person_or_org", "identifiers")).map((each) => at(each, "identifier"))),
    // InvenioRDM makes the full name from the family name and the given name.
    withOrcid: (entry, name, orcid) => {
      const [family = name, given = null] = name.split(/, */, 2);
      const identifiers = [
        ...asList(at(entry, "person_or_org", "identifiers")),
        { scheme: "orcid", identifier: orcid },
      ];
      const parts = { name, family_name: family, ...(given === null ? {} : { given_name: given }) };
      const who = { ...asObject(at(entry, "person_or_org")), ...parts, identifiers };
      return { ...asObject(entry), person_or_org: who };
    },
  },
};

/** Makes a single value inside a compound field of Dataverse. */
const primitive = (typeName: string, value: string, typeClass = "primitive") => ({
  typeName,
  multiple: false,
  typeClass,
  value,
});

const DATAVERSE: Format = {
  name: "Dataverse JSON",
  fileName: "dataset.json",
  single: ["license"],
  work: (work) => ({ field: "otherReferences", entry: buildWorkUrl(work) }),
  code: (url) => ({ field: "relatedMaterial", entry: url }),
  // Installations choose their licences. They all have those of Creative Commons under these names.
  licence: (spdx) => {
    const [, terms] = /^CC-(BY(?:-NC)?(?:-ND|-SA)?)-4\.0$/.exec(spdx) ?? [];
    if (spdx === "CC0-1.0") return creativeCommons("CC0 1.0", "publicdomain/zero/1.0");
    return terms === undefined ? null : creativeCommons(`CC ${terms} 4.0`, `licenses/${terms.toLowerCase()}/4.0`);
  },
  // Not needed, because a contributor with the role of a funder already counts as a funder.
  funder: () => null,
  award: null,
  terms: {
    field: "keyword",
    readText: (entry) => asText(at(entry, "keywordValue", "value")),
    withText: (entry, text) => ({ ...asObject(entry), keywordValue: primitive("keywordValue", text) }),
  },
  people: {
    field: "author",
    readText: (entry) => asText(at(entry, "authorName", "value")),
    readOrcid: (entry) => firstOrcid([at(entry, "authorIdentifier", "value")]),
    withOrcid: (entry, name, orcid) => ({
      ...asObject(entry),
      authorName: primitive("authorName", name),
      authorIdentifierScheme: primitive("authorIdentifierScheme", "ORCID", "controlledVocabulary"),
      authorIdentifier: primitive("authorIdentifier", orcid),
    }),
  },
  contributors: "contributor",
};

function creativeCommons(name: string, path: string): Placement {
  return { field: "license", entry: { name, uri: `http://creativecommons.org/${path}` } };
}

const SCHEMA_ORG: Format = {
  name: "schema.org JSON-LD",
  fileName: "dataset.jsonld",
  single: ["license"],
  work: (work) => ({ field: "citation", entry: buildWorkUrl(work) }),
  code: (url) => ({ field: "citation", entry: { "@type": "SoftwareSourceCode", "@id": url, codeRepository: url } }),
  licence: (spdx) => ({ field: "license", entry: spdxUrl(spdx) }),
  funder: () => null,
  award: null,
  terms: { field: "keywords", readText: asText, withText: (_entry, text) => text },
  people: {
    field: "creator",
    readText: (entry) => firstText(entry, at(entry, "name")),
    readOrcid: (entry) =>
      firstOrcid(["@id", "identifier", "sameAs", "url"].flatMap((key) => oneOrMany(at(entry, key)))),
    withOrcid: (entry, name, orcid) => ({
      "@type": "Person",
      ...asObject(entry),
      name,
      identifier: `${ORCID_URL}${orcid}`,
    }),
  },
  contributors: "contributor",
};

/** Returns the URL of a work, for formats that do not distinguish types of identifiers. */
function buildWorkUrl({ type, id }: CitedWork): string {
  if (type === "DOI") return `https://doi.org/${id}`;
  return type === "PMID"
    ? `https://pubmed.ncbi.nlm.nih.gov/${id}/`
    : `https://arxiv.org/abs/${id.slice("arXiv:".length)}`;
}

function firstOrcid(stated: readonly unknown[]): string | null {
  return stated.map((each) => readOrcid(asText(each))).find((orcid) => orcid !== null) ?? null;
}

function spdxUrl(spdx: string): string {
  return `https://spdx.org/licenses/${spdx}.html`;
}
