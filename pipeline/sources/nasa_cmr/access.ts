/** Constraints of a CMR collection: the licence or terms of use, whether the data are free and open, and access in words. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { type LicenceStatement, readLicence } from "../../reading/licence.ts";
import { asObject, asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseContext } from "../adapter/source.ts";

interface Access {
  readonly evidence: Partial<Evidence>;
  /** The access statement in the source's own words, or null. */
  readonly statement: string | null;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;
const ACCESS_COLUMNS = ["access_declared", "access_open", "embargo_active"] as const;

/** `FreeAndOpenData` is the flag of UMM-C since 1.17; before it, only words about access could be given. */
export function accessOf(reader: Reader, { vocabularies }: NormaliseContext): Access {
  const use = readUse(reader);
  const words = wordsOf(reader);
  const level = words === null ? null : vocabularies.accessLevels.levelOfConstraints(words);
  const isNone = words !== null && vocabularies.placeholders.isPlaceholder(words, "any");
  const open = use?.open ?? (level === null ? null : level === "open");
  // The more restrictive of two statements holds.
  const isOpen = open === true && level !== null && level !== "open" ? false : open;
  const carried = use !== null || words !== null;
  return {
    evidence: {
      ...(use === null ? {} : readLicence(termsOf(use.stated, vocabularies), vocabularies)),
      access_declared: isOpen !== null ? true : carried ? false : null,
      access_open: isOpen,
      // There is no field for an embargo: only stated free and open data say that there is none.
      embargo_active: isOpen === true ? false : null,
    },
    // "None" says more beside its label than alone: where the flag speaks, too, its words are shown.
    statement: statementOf(level === null || (isNone && use?.open === true) ? null : words, use?.open ?? null),
  };
}

function statementOf(words: string | null, flag: boolean | null): string | null {
  if (words !== null) return displayText(words, 80);
  return flag === null ? null : flag ? "free and open data" : "not free and open data";
}

interface Use {
  readonly stated: unknown;
  readonly open: boolean | null;
}

/** An object since UMM-C 1.9, plain text before; a missing key of a whole answer states no terms. */
function readUse(reader: Reader): Use | null {
  const stated = reader.raw("UseConstraints");
  if (typeof stated === "string") return { stated: { Description: stated }, open: null };
  const object = reader.object("UseConstraints", [...LICENCE_COLUMNS, ...ACCESS_COLUMNS]);
  if (object === null) return null;
  const flag = object.FreeAndOpenData ?? null;
  if (flag !== null && typeof flag !== "boolean") reader.fail(ACCESS_COLUMNS);
  return { stated: object, open: typeof flag === "boolean" ? flag : null };
}

/** An address, a text or a description of the terms: one statement, of which the address is the most exact. */
function termsOf(use: unknown, vocabularies: Vocabularies): LicenceStatement[] {
  // The description was an object with a description for some years (UMM-C 1.10 to 1.15).
  const texts = [
    at(use, "LicenseURL", "Linkage"),
    at(use, "LicenseURL", "Name"),
    at(use, "LicenseText"),
    firstText(at(use, "Description"), at(use, "Description", "Description")),
    at(use, "LicenseURL", "Description"),
  ].map(asText);
  const spellings = texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"));
  const stated = spellings.filter((text) => text !== null);
  return stated[0] === undefined ? [] : [{ text: stated[0], spellings: stated }];
}

/** Words about who may have the data; null = not carried, "" = carried, and none. */
function wordsOf(reader: Reader): string | null {
  const stated = reader.raw("AccessConstraints");
  if (typeof stated === "string") return stated.trim();
  const object = reader.object("AccessConstraints", ["access_declared", "access_open"]);
  return object === null ? null : (asText(asObject(object)?.Description) ?? "");
}
