/** Shared parts of normalisers: empty evidence, families of versions, and the three outcomes without a score. */

import type { Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import { EVIDENCE_NAMES, type Evidence, type EvidenceName } from "../../schemas/public/evidence.ts";
import { FIELD_COLUMNS } from "../../schemas/public/record-columns.ts";
import { asObject } from "./reader.ts";
import { readInstant } from "./text.ts";
import { parseXml } from "./xml.ts";

const BLANK = Object.freeze(Object.fromEntries(EVIDENCE_NAMES.map((name) => [name, null]))) as Evidence;

export function blankEvidence(): Evidence {
  return { ...BLANK };
}

/**
 * Returns the evidence with null (unknown) instead of 0, false or "" in each column that could not be fully read. Other
 * values stay, because they were found.
 */
export function settled(evidence: Evidence, errors: ReadonlySet<EvidenceName>): Evidence {
  if (errors.size === 0) return evidence;
  const doubtful = [...errors].filter((name) => !evidence[name]).map((name) => [name, null]);
  return { ...evidence, ...Object.fromEntries(doubtful) };
}

/** Returns a count over several parts of a payload. A count of 0 is unknown (null) if a part is missing. */
export function counted(found: number, parts: readonly (object | null)[]): number | null {
  return found > 0 || parts.every((part) => part !== null) ? found : null;
}

/** Returns the outcome for a record that is deleted, hidden or not public. */
export function tombstone(reason: string, updated: string | null): Normalised {
  return { outcome: "tombstone", reason, updated: readInstant(updated) };
}

/** Returns the outcome for a record that is not a dataset. */
export function notDataset(reason: string, updated: string | null): Normalised {
  return { outcome: "not_dataset", reason, updated: readInstant(updated) };
}

/**
 * Returns the outcome for a record that has an identifier but cannot be read. Such a record is published without a
 * score.
 */
export function failed(reason: string, updated: string | null, fields: RecordFields): Normalised {
  return { outcome: "failed", reason, updated: readInstant(updated), fields };
}

export function bareFields(known: Pick<RecordFields, "versionFamily"> & Partial<RecordFields>): RecordFields {
  return { ...NO_FIELDS, ...known };
}

const NO_FIELDS = Object.fromEntries(FIELD_COLUMNS.map(({ field }) => [field, null])) as Omit<
  RecordFields,
  "versionFamily"
>;

/**
 * Returns the key of the version family of a record whose source does not link versions: its DOI without a suffix `.vN`
 * or `.vN.N.N`, or its identifier if it has no DOI.
 */
export function ownFamily(doi: string | null, identifier: string): string {
  return doi === null ? identifier : doi.replace(/\.v\d+(?:\.\d+\.\d+)?$/, "");
}

/**
 * Parses JSON or XML. `xmlParts` are the fields of a joined payload that contain XML as text; each is replaced by the
 * parsed XML. Throws the errors of the parsers.
 */
export function parsePayload(text: string, xmlParts: readonly string[] = []): unknown {
  return /^[\s\ufeff]*</.test(text) ? parseXml(text) : withXmlParts(JSON.parse(text), xmlParts);
}

/** Parses the fields of a document that contain XML as text. A field that is not text stays unchanged. */
export function withXmlParts(document: unknown, xmlParts: readonly string[]): unknown {
  const parts = asObject(document);
  if (parts === null || !xmlParts.some((name) => typeof parts[name] === "string")) return document;
  const members = Object.entries(parts).map(([name, value]) =>
    xmlParts.includes(name) && typeof value === "string" ? [name, parseXml(value)] : [name, value],
  );
  return Object.fromEntries(members);
}
