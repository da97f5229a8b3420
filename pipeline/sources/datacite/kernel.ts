/**
 * DataCite's metadata as XML (schema kernels 2 to 4, as OAI-PMH, Zenodo's dump and depositors have it), turned into the
 * attributes the REST API gives for it (support.datacite.org, "DataCite XML to JSON mapping").
 */

import { doiOf } from "../../reading/identifiers.ts";
import { oneOrMany } from "../../reading/one-or-many.ts";
import { asObject, asText, at, firstText, type Json } from "../../reading/reader.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import { isDeleted } from "../adapter/oai-pmh.ts";

/** The kernel's root element, wherever an answer has it; null where there is none. */
export function resourceIn(document: unknown): Json | null {
  const record = at(document, "record") ?? document;
  const metadata = at(record, "metadata") ?? record;
  return asObject(at(metadata, "oai_datacite", "payload", "resource") ?? at(metadata, "resource"));
}

/** The DOI an XML record is about; of a deleted one there is only what OAI calls it. */
export function kernelDoi(document: unknown): string | null {
  const resource = resourceIn(document);
  if (resource === null) return doiInOai(asText(at(document, "record", "header", "identifier")));
  const stated = oneOrMany(resource.identifier).find((entry) => attribute(entry, "identifierType") === "DOI");
  return doiOf(textOf(stated)) ?? doiOf(textOf(oneOrMany(resource.identifier)[0]));
}

/** `doi:10…`, `oai:<host>:10…`, and Zenodo's numbers. */
function doiInOai(identifier: string | null): string | null {
  const number = /^oai:zenodo\.org:([1-9]\d{0,17})$/.exec(identifier ?? "")?.[1];
  if (number !== undefined) return `10.5281/zenodo.${number}`;
  return doiOf(/(?:^|[:/])(10\.\d{4,9}\/\S.*)/s.exec(identifier ?? "")?.[1] ?? null);
}

/** The payload the REST API would give for an XML one; any other as it is. */
export function withoutXml(payload: unknown): unknown {
  const updated = asText(at(payload, "record", "header", "datestamp"));
  if (isDeleted(at(payload, "record"))) return { attributes: { state: "deleted", updated } };
  const resource = resourceIn(payload);
  return resource === null ? payload : { attributes: attributesOf(resource, kernelOf(payload, resource), updated) };
}

function attributesOf(resource: Json, kernel: number, changed: string | null): Json {
  const many = (list: string, element: string) => oneOrMany(at(resource, list, element));
  const dates = many("dates", "date").map((entry) => ({ date: textOf(entry), ...pick(entry, "dateType") }));
  const items = many("relatedItems", "relatedItem");
  return {
    schemaVersion: `http://datacite.org/schema/kernel-${kernel}`,
    updated: changed ?? dates.find(({ dateType }) => dateType === "Updated")?.date ?? null,
    publisher: textOf(resource.publisher),
    publicationYear: textOf(resource.publicationYear),
    titles: many("titles", "title").map((entry) => ({ title: textOf(entry) })),
    types: { resourceTypeGeneral: attribute(resource.resourceType, "resourceTypeGeneral") },
    creators: many("creators", "creator").map((entry) => creatorOf(entry, kernel)),
    contributors: many("contributors", "contributor").map((entry) => ({
      name: textOf(at(entry, "contributorName")),
      ...pick(entry, "contributorType"),
    })),
    subjects: many("subjects", "subject").map((entry) => ({
      subject: textOf(entry),
      schemeUri: attribute(entry, "schemeURI"),
      valueUri: attribute(entry, "valueURI"),
      ...pick(entry, "subjectScheme", "classificationCode"),
    })),
    dates,
    formats: many("formats", "format").map(textOf),
    version: textOf(resource.version),
    rightsList: rightsOf(resource).map((entry) => ({
      rights: textOf(entry),
      rightsUri: attribute(entry, "rightsURI"),
      ...pick(entry, "rightsIdentifier"),
    })),
    descriptions: many("descriptions", "description").map((entry) => ({
      description: xmlTextOf(entry),
      ...pick(entry, "descriptionType"),
    })),
    relatedIdentifiers: many("relatedIdentifiers", "relatedIdentifier").map((entry) => ({
      relatedIdentifier: textOf(entry),
      ...pick(entry, "relatedIdentifierType", "relationType", "resourceTypeGeneral"),
    })),
    relatedItems: items.map(itemOf),
    container: containerOf(items),
    // What a kernel had no element for was not carried: that none is there says nothing.
    ...(kernel < 3 ? {} : { geoLocations: many("geoLocations", "geoLocation") }),
    ...(kernel < 4 ? {} : { fundingReferences: many("fundingReferences", "fundingReference").map(fundingOf) }),
  };
}

/** By its schema's address, by what OAI says of it, by the rights only the oldest had; without any of them, the present one. */
function kernelOf(payload: unknown, resource: Json): number {
  const address = asText(resource["@schemaLocation"]) ?? asText(resource["@noNamespaceSchemaLocation"]) ?? "";
  const record = at(payload, "record", "metadata") ?? payload;
  const stated = /kernel-(\d)/.exec(address)?.[1] ?? asText(at(record, "oai_datacite", "schemaVersion"))?.[0];
  return Number(stated ?? (resource.rights === undefined ? 4 : 2)) || 4;
}

function creatorOf(entry: unknown, kernel: number): Json {
  return {
    name: textOf(at(entry, "creatorName")),
    nameType: attribute(at(entry, "creatorName"), "nameType"),
    givenName: textOf(at(entry, "givenName")),
    familyName: textOf(at(entry, "familyName")),
    nameIdentifiers: oneOrMany(at(entry, "nameIdentifier")).map((identifier) => ({
      nameIdentifier: textOf(identifier),
      schemeUri: attribute(identifier, "schemeURI"),
      ...pick(identifier, "nameIdentifierScheme"),
    })),
    affiliation: oneOrMany(at(entry, "affiliation")).map((affiliation) => affiliationOf(affiliation, kernel)),
  };
}

/** Before the fourth kernel an affiliation could be nothing but text. */
function affiliationOf(entry: unknown, kernel: number): string | Json {
  const name = textOf(entry) ?? "";
  if (kernel < 4) return name;
  const identifier = pick(entry, "affiliationIdentifier", "affiliationIdentifierScheme");
  return { name, schemeUri: attribute(entry, "schemeURI"), ...identifier };
}

/** A list since kernel 3, one element before. */
function rightsOf(resource: Json): readonly unknown[] {
  const list = oneOrMany(at(resource, "rightsList", "rights"));
  return list.length > 0 ? list : oneOrMany(resource.rights);
}

function itemOf(entry: unknown): Json {
  const identifier = at(entry, "relatedItemIdentifier");
  return {
    ...pick(entry, "relationType", "relatedItemType"),
    relatedItemIdentifier: {
      relatedItemIdentifier: textOf(identifier),
      ...pick(identifier, "relatedItemIdentifierType"),
    },
  };
}

/** The work a record is published in; none is none, for every kernel's XML could have had it since 4.4. */
function containerOf(items: readonly unknown[]): Json {
  const within = items.find((item) => attribute(item, "relationType") === "IsPublishedIn");
  return { title: textOf(oneOrMany(at(within, "titles", "title"))[0]) };
}

function fundingOf(entry: unknown): Json {
  return { funderName: textOf(at(entry, "funderName")), awardNumber: textOf(at(entry, "awardNumber")) };
}

/** Attributes of the same name in both forms. */
function pick<K extends string>(entry: unknown, ...names: readonly K[]): { readonly [key in K]?: string | null } {
  const found: { [key in K]?: string | null } = {};
  for (const name of names) found[name] = attribute(entry, name);
  return found;
}

function attribute(entry: unknown, name: string): string | null {
  return asText(at(entry, `@${name}`));
}

function textOf(entry: unknown): string | null {
  return firstText(entry, at(entry, "#text"));
}
