/** Common ends of every normaliser: blank evidence, families, and the three ways of being no record. */

import type { Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import { EVIDENCE_NAMES, type Evidence, type EvidenceName } from "../../schemas/public/evidence.ts";
import { FIELD_COLUMNS } from "../../schemas/public/record-columns.ts";
import { asObject } from "./reader.ts";
import { instantOf } from "./text.ts";
import { parseXml } from "./xml.ts";

const BLANK = Object.freeze(Object.fromEntries(EVIDENCE_NAMES.map((name) => [name, null]))) as Evidence;

/** Evidence with every column null: nothing carried. */
export function blankEvidence(): Evidence {
  return { ...BLANK };
}

/** What a column that could not be read in full did find, stands; that it found nothing says nothing, and reads null. */
export function settled(evidence: Evidence, errors: ReadonlySet<EvidenceName>): Evidence {
  if (errors.size === 0) return evidence;
  const doubtful = [...errors].filter((name) => !evidence[name]).map((name) => [name, null]);
  return { ...evidence, ...Object.fromEntries(doubtful) };
}

/** A count over several parts of a payload. What was found counts; none is none only where every part was carried. */
export function counted(found: number, parts: readonly (object | null)[]): number | null {
  return found > 0 || parts.every((part) => part !== null) ? found : null;
}

/** A record that is gone, hidden or not public. */
export function tombstone(reason: string, updated: string | null): Normalised {
  return { outcome: "tombstone", reason, updated: instantOf(updated) };
}

/** A record of something that is no dataset. */
export function notDataset(reason: string, updated: string | null): Normalised {
  return { outcome: "not_dataset", reason, updated: instantOf(updated) };
}

/** A record identified but not readable: published without a score. */
export function failed(reason: string, updated: string | null, fields: RecordFields): Normalised {
  return { outcome: "failed", reason, updated: instantOf(updated), fields };
}

/** The fields of a record of which no more is known than who it is. */
export function bareFields(known: Pick<RecordFields, "versionFamily"> & Partial<RecordFields>): RecordFields {
  return { ...NO_FIELDS, ...known };
}

const NO_FIELDS = Object.fromEntries(FIELD_COLUMNS.map(({ field }) => [field, null])) as Omit<
  RecordFields,
  "versionFamily"
>;

/** The family key of a record that states no versions: its DOI without a `.vN` or `.vN.N.N` suffix, or its own identifier. */
export function ownFamily(doi: string | null, identifier: string): string {
  return doi === null ? identifier : doi.replace(/\.v\d+(?:\.\d+\.\d+)?$/, "");
}

/**
 * JSON or XML as their parsers give it. `xmlParts` names the members of a payload put together from several answers
 * that hold XML as text: those are parsed in place. Throws what the parsers throw.
 */
export function parsePayload(text: string, xmlParts: readonly string[] = []): unknown {
  return /^[\s\ufeff]*</.test(text) ? parseXml(text) : withXmlParts(JSON.parse(text), xmlParts);
}

/** The document with its XML parts parsed; those that are no text, or parsed already, as they are. */
export function withXmlParts(document: unknown, xmlParts: readonly string[]): unknown {
  const parts = asObject(document);
  if (parts === null || !xmlParts.some((name) => typeof parts[name] === "string")) return document;
  const members = Object.entries(parts).map(([name, value]) =>
    xmlParts.includes(name) && typeof value === "string" ? [name, parseXml(value)] : [name, value],
  );
  return Object.fromEntries(members);
}
