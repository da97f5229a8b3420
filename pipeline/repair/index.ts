/**
 * Repairs a record: copies facts from the wrong place, such as a funder named in the description, to the fields of its
 * format. Every value comes from the record itself. Nothing is sent to a repository.
 */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { type FoundValue, joinedTermsIn } from "../reading/found-elsewhere.ts";
import { readOrcid } from "../reading/identifiers.ts";
import { asObject, oneOrMany } from "../reading/reader.ts";
import { withoutEnd, withoutStart } from "../vocabularies/ends.ts";
import {
  type CitedWork,
  type FieldAccess,
  type Format,
  type Placement,
  type Repairable,
  repairableIn,
} from "./formats.ts";
import type { MetadataChange } from "./metadata-change.ts";

/** A fact that was found but not copied, for example because the format has no field for it. `reason` explains why. */
export interface LeftOver {
  readonly value: string;
  readonly foundIn: string;
  readonly reason: string;
}

export interface Repair {
  readonly format: Pick<Format, "name" | "fileName">;
  /** The document after the changes. It equals the original document if there are none. */
  readonly document: unknown;
  readonly changes: readonly MetadataChange[];
  readonly leftOver: readonly LeftOver[];
}

/**
 * Repairs a copy of the document. `values` are the facts that were found in it, and `others` facts that must not be copied.
 * Returns null if SHARE cannot write the format.
 */
export function repair(
  source: string,
  document: unknown,
  values: readonly FoundValue[],
  others: readonly LeftOver[] = [],
): Repair | null {
  const copy: unknown = structuredClone(document);
  const found = repairableIn(source, copy);
  if (found === null) return null;
  const { format } = found;
  const changes: MetadataChange[] = [];
  const leftOver = [...others];
  // Funders are added first, because an award number is added to the entry of its funder.
  const ordered = values.toSorted((one, other) => Number(isAward(one)) - Number(isAward(other)));
  for (const { evidence, value, foundIn } of ordered) {
    if (evidence === "keyword_count") continue;
    const done = value.endsWith("…") ? TOO_LONG : place(found, evidence, value);
    if (typeof done === "string") leftOver.push({ value, foundIn, reason: done });
    else changes.push(...[done, ...dropRole(found, evidence, value)].map((each) => ({ ...each, evidence, foundIn })));
  }
  if (values.some(({ evidence }) => evidence === "keyword_count")) changes.push(...separateTerms(found));
  changes.push(...addOrcids(found));
  return {
    format: { name: format.name, fileName: format.fileName },
    document: copy,
    changes: merged(changes),
    leftOver,
  };
}

/** For each source whose format SHARE can write: an empty document in that format. */
const EMPTY: Readonly<Record<string, unknown>> = {
  zenodo: {},
  datacite: {},
  dataverse: { datasetVersion: { metadataBlocks: { citation: { fields: [] } } } },
};

/**
 * Returns the changes that can be derived from the found values alone: entries to add to a list, and fields to fill.
 * Unlike {@link repair}, it does not need the document. So it cannot correct the texts in which the values were found,
 * and its changes have no `original`. Returns null if SHARE cannot write the format of the source.
 */
export function listAdditions(source: string, values: readonly FoundValue[]): Omit<Repair, "document"> | null {
  const found = repairableIn(source, structuredClone(EMPTY[source]));
  if (found === null) return null;
  const { format, fields } = found;
  const changes: MetadataChange[] = [];
  const leftOver: LeftOver[] = [];
  for (const { evidence, value, foundIn } of values) {
    const done = findAddition(found, evidence, value);
    if (typeof done === "string") leftOver.push({ value, foundIn, reason: done });
    else {
      const { field, action, repaired } = insert(format, fields, done);
      changes.push({ field, action, repaired, evidence, foundIn });
    }
  }
  return { format: { name: format.name, fileName: format.fileName }, changes, leftOver };
}

/** Returns the entry to add for one fact, or the reason why adding it requires the complete record. */
function findAddition({ format }: Repairable, evidence: EvidenceName, value: string): Placement | string {
  if (value.endsWith("…")) return TOO_LONG;
  if (evidence === "award_count")
    return "an award goes into the entry of its funder, so the update needs the whole record";
  if (evidence !== "keyword_count") return findPlacement(format, evidence, value);
  return { field: format.terms.field, entry: format.terms.withText({}, value) };
}

const TOO_LONG = "the value is too long to copy";

const isAward = ({ evidence }: FoundValue) => evidence === "award_count";

/**
 * Merges a change of an entry that another change adds into that other change. So every change can be applied to the
 * original document.
 */
function merged(changes: readonly MetadataChange[]): MetadataChange[] {
  const all: MetadataChange[] = [];
  const places = new Map<unknown, number>();
  for (const change of changes) {
    const added = change.original === undefined ? undefined : places.get(change.original);
    const place = added ?? all.length;
    const earlier = all[place];
    all[place] = earlier === undefined ? change : { ...earlier, repaired: change.repaired };
    if (!places.has(change.repaired)) places.set(change.repaired, place);
  }
  return all;
}

type Placed = Omit<MetadataChange, "evidence" | "foundIn">;

/**
 * Makes the change for one fact in the document. If the format has no field for the fact, returns the reason instead.
 */
function place({ format, fields }: Repairable, evidence: EvidenceName, value: string): Placed | string {
  if (evidence === "award_count") return addAward(format, fields, value);
  const placement = findPlacement(format, evidence, value);
  return typeof placement === "string" ? placement : insert(format, fields, placement);
}

/**
 * Returns the field to which a fact belongs and the entry to write there, or the reason why the format has no field for
 * it. For facts that do not depend on the rest of the record.
 */
function findPlacement(format: Format, evidence: EvidenceName, value: string): Placement | string {
  switch (evidence) {
    case "reference_pid_count":
      return format.work(parseWork(value));
    case "linked_code_count":
      return format.code(value);
    case "license_text":
      return format.licence(value) ?? `${format.name} cannot state this licence`;
    case "funder_count":
      return format.funder(value) ?? `${format.name} needs the award beside the funder`;
    default:
      return "there is no rule for this field yet";
  }
}

/** Gives a contributor another role after the same organisation was added as a funder. */
function dropRole({ format, fields }: Repairable, evidence: EvidenceName, name: string): Placed[] {
  if (evidence !== "funder_count") return [];
  return oneOrMany(fields.get(format.contributors)).flatMap((entry, index) => {
    const other = format.people.readText(entry) === name ? (format.withoutFunderRole?.(entry) ?? null) : null;
    return other === null ? [] : [replaceChild(fields, format.contributors, index, other)];
  });
}

/** Parses a value such as "10.1000/x", "PMID:123" or "arXiv:2101.00001". */
function parseWork(value: string): CitedWork {
  if (value.startsWith("PMID:")) return { type: "PMID", id: value.slice("PMID:".length) };
  return { type: value.startsWith("arXiv:") ? "arXiv" : "DOI", id: value };
}

function insert({ single }: Format, fields: FieldAccess, { field, entry }: Placement): Placed {
  if (single.includes(field)) {
    const original = fields.get(field);
    fields.set(field, entry);
    return { field, action: "update", original: original ?? "", repaired: entry };
  }
  fields.set(field, [...oneOrMany(fields.get(field)), entry]);
  return { field, action: "insert", repaired: entry };
}

function replaceChild(fields: FieldAccess, field: string, index: number, repaired: unknown): Placed {
  const list = oneOrMany(fields.get(field));
  const original = list[index];
  fields.set(field, list.with(index, repaired));
  return { field, action: "updateChild", original, repaired };
}

/**
 * Adds an award number to its funder. Returns a reason instead if the record has several funders, because it is then
 * unknown which of them gave the award.
 */
function addAward({ award, name }: Format, fields: FieldAccess, number: string): Placed | string {
  if (award === null) return `${name} needs the funder's identifier beside the award`;
  const funders = oneOrMany(fields.get(award.field)).map(asObject);
  const [only = null] = funders;
  if (only === null || funders.length > 1) {
    return funders.length === 0
      ? "the record does not name its funder"
      : "the record has several funders, and nothing says which one gave it";
  }
  const repaired = award.withNumber(only, number);
  return repaired === null ? "the funder has another award already" : replaceChild(fields, award.field, 0, repaired);
}

/**
 * Separates texts that contain several keywords. The first keyword replaces the text, and the others are added to the list.
 */
function separateTerms({ format: { terms }, fields }: Repairable): MetadataChange[] {
  const { field } = terms;
  const list = oneOrMany(fields.get(field));
  const known = new Set(list.map((entry) => terms.readText(entry)?.toLowerCase()));
  const from = { field, evidence: "keyword_count", foundIn: field } as const;
  const added: unknown[] = [];
  const changes: MetadataChange[] = [];
  const kept = list.map((original) => {
    const separate = joinedTermsIn(terms.readText(original) ?? "").filter((term) => !known.has(term.toLowerCase()));
    const [repaired, ...rest] = [...new Set(separate)].map((term) => terms.withText(original, term));
    if (repaired === undefined) return original;
    changes.push({ ...from, action: "updateChild", original, repaired });
    for (const each of rest) changes.push({ ...from, action: "insert", repaired: each });
    added.push(...rest);
    return repaired;
  });
  if (changes.length > 0) fields.set(field, [...kept, ...added]);
  return changes;
}

const ORCID_DIGITS = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i;

/**
 * Matches the words before an iD in a name, such as "ORCID iD: https://orcid.org/". The last words come first, because
 * they are removed in this order.
 */
const ORCID_WORDS = [/https?:\/\/orcid\.org\/$/i, /ORCID(?: iD)?$/i];

/** Punctuation that stands around an iD in a name. */
const MARKS = " \t,;:([{)]}";

/**
 * Splits a text such as "Doe, Jane (ORCID: 0000-…)" into the name and the ORCID iD. Returns null if it lacks a name or
 * a valid iD.
 */
function orcidWithin(stated: string): { readonly name: string; readonly orcid: string } | null {
  const found = ORCID_DIGITS.exec(stated.slice(0, MAX_NAME));
  const orcid = found === null ? null : readOrcid(found[0]);
  if (found === null || orcid === null) return null;
  const before = ORCID_WORDS.reduce(
    (text, words) => withoutEnd(text.replace(words, ""), MARKS),
    withoutEnd(stated.slice(0, found.index), " \t"),
  );
  const after = withoutStart(stated.slice(found.index + found[0].length), MARKS);
  const name = [before, after].filter((part) => part !== "").join(" ");
  return name === "" ? null : { name, orcid };
}

const MAX_NAME = 300;

/**
 * Moves ORCID iDs from names to their own field. Also copies the iD of a contributor to the creator with exactly the
 * same name.
 */
function addOrcids({ format: { people, contributors }, fields }: Repairable): MetadataChange[] {
  const known = new Map<string, string>();
  for (const other of oneOrMany(fields.get(contributors))) {
    const [name, orcid] = [people.readText(other), people.readOrcid(other)];
    if (name !== null && orcid !== null && !known.has(name)) known.set(name, orcid);
  }
  const changes: MetadataChange[] = [];
  const list = oneOrMany(fields.get(people.field)).map((original) => {
    const name = people.readText(original);
    if (name === null || people.readOrcid(original) !== null) return original;
    const within = orcidWithin(name);
    const orcid = within?.orcid ?? known.get(name) ?? null;
    if (orcid === null) return original;
    const repaired = people.withOrcid(original, within?.name ?? name, orcid);
    const foundIn = within === null ? contributors : people.field;
    const from = { field: people.field, evidence: "creator_pid_count", foundIn } as const;
    changes.push({ ...from, action: "updateChild", original, repaired });
    return repaired;
  });
  if (changes.length > 0) fields.set(people.field, list);
  return changes;
}
