/** Access to an EDI package: who may read it, and under which terms. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { webUrlOf } from "../../reading/identifiers.ts";
import { readLicence } from "../../reading/licence.ts";
import { asObject, asText, type Json, type Reader } from "../../reading/reader.ts";
import { cleanText } from "../../reading/text.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, elementsOf } from "./elements.ts";

/** Permissions that let somebody read. */
const READING = new Set(["read", "write", "changepermission", "all"]);

/** The document's own access rules; a document without any states no access level. */
export function accessEvidence(document: Json): Partial<Evidence> {
  const rules = allAt(document, "access");
  if (rules.length === 0) return { access_declared: false };
  const allowed = rules.some((rule) => publicMayRead(rule, "allow"));
  const denied = rules.some((rule) => publicMayRead(rule, "deny"));
  const open = allowed && !denied;
  // EML has no embargo: data under one are not readable by the public.
  return { access_declared: true, access_open: open, embargo_active: open ? false : null };
}

function publicMayRead(rule: unknown, kind: "allow" | "deny"): boolean {
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
