/** DataCite's attributes before 2018 (`author`, `title`, `related-identifier`…) under today's names. */

import { asList, asObject, asText, at, type Json } from "../../reading/reader.ts";

/**
 * The attributes as today's shape would give them. What the old shape could not carry stays missing, so that it reads
 * as unknown; its `version` counts metadata revisions and says nothing of the data. Marked by the key `legacy`.
 */
export function modernised(attributes: Json, item: unknown): Json {
  if (Object.hasOwn(attributes, "creators") || !Object.hasOwn(attributes, "author")) return attributes;
  return {
    legacy: true,
    doi: attributes.doi,
    url: attributes.url,
    state: attributes.state,
    isActive: attributes["is-active"],
    updated: attributes.updated,
    published: attributes.published,
    publisher: attributes.publisher ?? attributes["container-title"],
    creators: authors(attributes.author),
    titles: listOf(attributes.title).map((title) => ({ title: asText(title) ?? asText(at(title, "text")) })),
    descriptions: listOf(attributes.description).map((entry) => ({
      descriptionType: asText(at(entry, "type")) ?? "Abstract",
      description: asText(entry) ?? asText(at(entry, "text")),
    })),
    rightsList: listOf(attributes.license).map((license) => ({ rightsUri: license })),
    relatedIdentifiers: listOf(attributes["related-identifier"]).map((entry) => ({
      relationType: at(entry, "relation-type"),
      relatedIdentifier: at(entry, "id"),
    })),
    types: { resourceTypeGeneral: resourceType(attributes, item) },
  };
}

function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Authors came as one object, a list, or a list of lists (an affiliation read as a second author in each). */
function authors(value: unknown): unknown[] {
  return listOf(value)
    .flatMap((entry) => (Array.isArray(entry) ? entry.slice(0, 1) : [entry]))
    .map((author) => ({
      name: at(author, "name"),
      givenName: at(author, "given-name") ?? at(author, "given"),
      familyName: at(author, "family-name") ?? at(author, "family"),
      nameType: null,
      affiliation: [],
      nameIdentifiers: [...asList(at(author, "identifier")), at(author, "id")]
        .filter((id) => asText(id) !== null)
        .map((id) => ({ nameIdentifier: id })),
    }));
}

/** The general type: the relationship, else the deposited XML, else a free-text type that says it exactly. */
function resourceType(attributes: Json, item: unknown): string | null {
  const related = asText(at(asObject(item), "relationships", "resource-type", "data", "id"));
  if (related !== null) return related;
  const xml = asText(attributes.xml);
  const stated =
    xml === null ? null : /resourceTypeGeneral\s*=\s*["'](\w+)["']/.exec(Buffer.from(xml, "base64").toString());
  return stated?.[1] ?? asText(attributes["resource-type-subtype"]);
}
