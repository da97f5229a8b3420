/** DataCite rights: which entries are licences, which state an access level, and whether an embargo runs. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay } from "../../reading/dates.ts";
import { type LicenceStatement, readLicence } from "../../reading/licence.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { cannotState } from "./schema-org.ts";

interface Access {
  readonly evidence: Partial<Evidence>;
  /** The access statement in the source's own words, or null. */
  readonly statement: string | null;
}

const COLUMNS = [
  "access_declared",
  "access_open",
  "license_text",
  "license_spdx",
  "license_permissive",
  "license_open",
] as const;

export function accessOf(reader: Reader, context: NormaliseContext): Access {
  const { vocabularies } = context;
  const rights = reader.list("rightsList", COLUMNS);
  if (rights === null) return { evidence: { embargo_active: embargo(reader, null, context) }, statement: null };
  const licences: LicenceStatement[] = [];
  const levels: string[] = [];
  let statement: string | null = null;
  for (const entry of rights) {
    const texts = textsOf(entry).filter((text) => !vocabularies.placeholders.isPlaceholder(text, "any"));
    const access = texts.filter((text) => vocabularies.accessLevels.levelOf(text) !== null);
    for (const text of access) levels.push(vocabularies.accessLevels.levelOf(text) ?? "");
    statement ??= access[0] ?? null;
    // A licence is not an access level: an entry that only states access is no licence.
    const spellings = texts.filter((text) => !access.includes(text));
    const text = asText(at(entry, "rights"));
    const words = text !== null && spellings.includes(text) ? text : spellings[0];
    if (words !== undefined) licences.push({ text: words, spellings });
  }
  // Of several stated levels the most restrictive holds.
  const level = levels.find((stated) => stated !== "open") ?? levels[0] ?? null;
  const evidence = {
    ...readLicence(licences, vocabularies),
    // The shape before 2018 had room for a licence only.
    access_declared: level !== null ? true : reader.has("legacy") || cannotState(reader, "access") ? null : false,
    access_open: level === null ? null : level === "open",
    embargo_active: embargo(reader, level, context),
  };
  return { evidence, statement: statement === null ? null : displayText(statement, 80) };
}

function textsOf(entry: unknown): string[] {
  const texts = ["rightsIdentifier", "rightsUri", "rights"].map((key) => asText(at(entry, key)));
  return [...texts, asText(entry)].filter((text) => text !== null);
}

/** By the date the data become available; without one, only stated open access says there is none. */
function embargo(reader: Reader, level: string | null, { asOf }: NormaliseContext): boolean | null {
  const stated = (reader.list("dates", []) ?? [])
    .filter((entry) => at(entry, "dateType") === "Available")
    .map((entry) => asText(at(entry, "date")))
    .filter((text) => text !== null);
  const available = stated.map(dateOf).filter((date) => date !== null);
  // Which of the dates is the last cannot be said where one is unreadable; a running embargo is one all the same.
  if (available.length < stated.length) reader.fail(["embargo_active"]);
  if (available.some((date) => firstDay(date) > asOf)) return true;
  if (available.length > 0 || level === "open") return false;
  return null;
}
