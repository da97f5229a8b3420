/** The parts that OSF answers within a node because it was asked to: contributors, licence, identifiers, institutions. */

import { asList, asObject, asText, at, type Json } from "../../reading/reader.ts";

/** A list embedded in a resource: `null` = not asked for, or an error in its place; `"unreadable"` = something else. */
export function embeddedList(node: Json, name: string): readonly unknown[] | null | "unreadable" {
  const embed = at(node, "embeds", name);
  if (embed === undefined || embed === null || Array.isArray(at(embed, "errors"))) return null;
  const data = at(embed, "data");
  return Array.isArray(data) ? data : "unreadable";
}

/** True where the list has no further page: an embedded one shows ten. */
export function isWhole(node: Json, name: string, shown: number): boolean {
  const links = at(node, "embeds", name, "links");
  const total = at(links, "meta", "total") ?? at(node, "embeds", name, "meta", "total");
  if (typeof total === "number") return total <= shown;
  return asText(at(links, "next")) === null;
}

/** The attributes of an embedded resource, or null. */
export function embeddedAttributes(resource: unknown, name: string): Json | null {
  return asObject(at(resource, "embeds", name, "data", "attributes"));
}

/** The DOIs of a node, as OSF registered them. */
export function identifiersOf(node: Json): readonly string[] {
  const list = asList(at(node, "embeds", "identifiers", "data"));
  return list
    .filter((entry) => asText(at(entry, "attributes", "category")) === "doi")
    .map((entry) => asText(at(entry, "attributes", "value")))
    .filter((value) => value !== null);
}
