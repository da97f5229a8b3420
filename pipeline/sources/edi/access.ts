/** Access to an EDI package: who may read it, and under which terms. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { webUrlOf } from "../../reading/identifiers.ts";
import { readLicence } from "../../reading/licence.ts";
import { asObject, asText, type Json, type Reader } from "../../reading/reader.ts";
import { cleanText } from "../../reading/text.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, ENTITIES, elementsOf } from "./elements.ts";

/** Permissions that let somebody read. */
const READING = new Set(["read", "write", "changepermission", "all"]);

/**
 * The access rules of the document, and those of an entity's own, which stand in for them (EML 2.2, eml-access): one
 * entity that the public may not read is enough to limit access. A document without any rule states no access level.
 */
export function accessEvidence(document: Json): Partial<Evidence> {
  const entities = ENTITIES.flatMap((kind) => allAt(document, "dataset", kind));
  const ofEntities = entities.flatMap((entity) => [
    ...allAt(entity, "access"),
    ...allAt(entity, "physical", "distribution", "access"),
  ]);
  const groups = [allAt(document, "access"), ...ofEntities.map((rule) => [rule])].filter((rules) => rules.length > 0);
  if (groups.length === 0) return { access_declared: false };
  const open = groups.every(
    (rules) =>
      rules.some((rule) => appliesToPublic(rule, "allow")) && !rules.some((rule) => appliesToPublic(rule, "deny")),
  );
  // EML has no embargo: data under one are not readable by the public.
  return { access_declared: true, access_open: open, embargo_active: open ? false : null };
}

function appliesToPublic(rule: unknown, kind: "allow" | "deny"): boolean {
  return allAt(rule, kind).some(
    (entry) =>
      allAt(entry, "principal").some((principal) => asText(principal)?.toLowerCase() === "public") &&
      allAt(entry, "permission").some((permission) => READING.has(asText(permission)?.toLowerCase() ?? "")),
  );
}

const COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** The licence element of EML 2.2, then the rights in words, with the addresses in them. */
export function licenceOf(reader: Reader, vocabularies: Vocabularies): ReturnType<typeof readLicence> {
  const stated = elementsOf(reader, "licensed", COLUMNS).map((licence) =>
    ["identifier", "url", "licenseName"].map((key) => xmlTextOf(licence[key])),
  );
  const rights = reader.raw("intellectualRights");
  const words = xmlTextOf(rights);
  const statements = [...stated, words === null ? [] : [words, ...addressesIn(rights, words)]].map((texts) =>
    texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any")),
  );
  return readLicence(
    statements.flatMap((texts) => {
      const spellings = texts.filter((text) => text !== null);
      return spellings[0] === undefined ? [] : [{ text: cleanText(spellings[0]), spellings }];
    }),
    vocabularies,
  );
}

/** Addresses as they stand in the words, and those of links, which are attributes. */
function addressesIn(rights: unknown, words: string): string[] {
  const written = words.match(/https?:\/\/[^\s<>()[\]"']+/g) ?? [];
  const addresses = [...written, ...linksIn(rights)].map((address) => webUrlOf(withoutEnd(address, ".,;:")));
  return addresses.filter((address) => address !== null);
}

function linksIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(linksIn);
  return Object.entries(asObject(value) ?? {}).flatMap(([name, member]) =>
    name === "@url" && typeof member === "string" ? [member] : linksIn(member),
  );
}
