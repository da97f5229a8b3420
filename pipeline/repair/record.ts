/** Repairs one record, and scores it before and after the repair. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { explain, type ScoredEvaluation } from "../evaluate/evaluation.ts";
import type { ObtainedPayload } from "../evaluate/obtain.ts";
import { type DraftInputs, scoreDraft, scoreOne } from "../evaluate/scorer.ts";
import { decodeText, withoutMark } from "../files/decode-text.ts";
import { type FoundValue, findOtherLinks } from "../reading/found-elsewhere.ts";
import { readDoi } from "../reading/identifiers.ts";
import { asList, asObject, asText, at, type Json, oneOrMany } from "../reading/reader.ts";
import type { Source } from "../sources/adapter/source.ts";
import { versionsIn } from "../sources/dataverse/normalise.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { type LeftOver, type Repair, repair } from "./index.ts";
import type { MetadataChange } from "./metadata-change.ts";

export interface RepairedRecord {
  /** The name of the source whose format the record has. */
  readonly source: string;
  readonly before: ScoredEvaluation;
  /** The score after the repair. It equals `before` if nothing changed. */
  readonly after: ScoredEvaluation;
  /** The changes; null if SHARE cannot write the format. */
  readonly repair: Repair | null;
  /** The repaired file, or the body of the request that updates a published record, as JSON. Null if nothing changed. */
  readonly text: string | null;
}

/**
 * Repairs a metadata file. The result has the same format and layout as the file.
 * @throws NoDraft if the file does not hold the metadata of one record of a known source
 */
export async function repairDraft(
  chosen: Source | null,
  file: Uint8Array,
  inputs: DraftInputs,
): Promise<RepairedRecord> {
  const before = await scoreDraft(chosen, file, inputs);
  const source = before.basis.pledge.source;
  const document = jsonIn(file);
  const repaired = repairOf(source, document, before);
  if (repaired === null || repaired.changes.length === 0) {
    return { source, before, after: before, repair: repaired, text: null };
  }
  const text = `${JSON.stringify(repaired.document, null, detectIndentation(file))}\n`;
  const after = await scoreDraft(chosen, new TextEncoder().encode(text), inputs);
  return { source, before, after, repair: repaired, text };
}

/** Repairs a published record. The `text` of the result is the update in the form that the repository accepts. */
export async function repairRecord(
  payload: ObtainedPayload,
  { contract, asOf, getReader }: DraftInputs,
): Promise<RepairedRecord> {
  const { source } = payload;
  const reader = await getReader(source);
  const scored = (text: string) => explain(scoreOne({ ...payload, payload: text }, asOf, reader), contract);
  const before = scored(payload.payload);
  const document = payload.status === 200 ? jsonIn(new TextEncoder().encode(payload.payload)) : null;
  const repaired = repairOf(source, document, before);
  if (repaired === null || repaired.changes.length === 0) {
    return { source, before, after: before, repair: repaired, text: null };
  }
  const after = scored(JSON.stringify(repaired.document));
  const update = buildUpdate(source, repaired);
  return { source, before, after, repair: repaired, text: `${JSON.stringify(update, null, 2)}\n` };
}

function repairOf(source: string, document: unknown, { record }: ScoredEvaluation): Repair | null {
  if (document === null) return null;
  return repair(source, document, foundIn(record), record === null ? [] : otherLinksIn(document, record));
}

/** Returns the links in texts that are not copied, because the text may state another relation than "references". */
function otherLinksIn(document: unknown, { signals, values, doi }: RecordDetail): LeftOver[] {
  const evidence = Object.assign({}, ...signals.map((signal) => signal.evidence));
  const stated = Object.values(values ?? {}).flatMap(({ counted, missing }) => [...counted, ...missing]);
  const known = new Set([...stated, doi ?? ""].map((text) => (readDoi(text) ?? text).toLowerCase()));
  const links = findOtherLinks(document, evidence, known, loadVocabularies());
  return links.map(({ value, foundIn: place, reason }) => ({ value, foundIn: place, reason }));
}

/** Returns the facts that the record contains in the wrong place. */
export function foundIn(record: Pick<RecordDetail, "values"> | null): FoundValue[] {
  return Object.entries(record?.values ?? {}).flatMap(([column, { elsewhere = [] }]) =>
    elsewhere.map((each) => ({ evidence: column as EvidenceName, ...each })),
  );
}

/** Parses a JSON file. Returns null for XML and YAML. */
function jsonIn(file: Uint8Array): unknown {
  try {
    return JSON.parse(decodeText(withoutMark(file)));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Returns the indentation of the first indented line. The repaired file is written with it, so that only the repaired
 * lines differ.
 */
function detectIndentation(file: Uint8Array): string | number {
  return /\n([ \t]{1,8})["[{]/.exec(decodeText(file.subarray(0, 4096)))?.[1] ?? 2;
}

function buildUpdate(source: string, { document, changes }: Repair): unknown {
  switch (source) {
    case "zenodo":
      return zenodoDeposit(document);
    case "datacite":
      return dataciteUpdate(document, changes);
    case "dataverse":
      return dataverseUpdate(document, changes);
    default:
      return document;
  }
}

/**
 * Returns the body of PUT /dois/{id}. Contains only the changed attributes, because some of the others cannot be
 * written.
 */
function dataciteUpdate(document: unknown, changes: readonly MetadataChange[]): unknown {
  const item = asObject(at(document, "data")) ?? asObject(document);
  const attributes = asObject(at(item, "attributes")) ?? {};
  const changed = [...new Set(changes.map(({ field }) => field))].map((field) => [field, attributes[field]]);
  return { data: { id: at(item, "id"), type: "dois", attributes: Object.fromEntries(changed) } };
}

/**
 * Returns the body of PUT /api/datasets/:persistentId/editMetadata?replace=true. Leaves out the licence, which
 * Dataverse updates through another endpoint.
 */
function dataverseUpdate(document: unknown, changes: readonly MetadataChange[]): unknown {
  const version = versionsIn(document)[0]?.version ?? {};
  const names = new Set(changes.map(({ field }) => field));
  const fields = asList(at(version, "metadataBlocks", "citation", "fields"));
  return { fields: fields.filter((field) => names.has(asText(at(field, "typeName")) ?? "")) };
}

/**
 * Metadata fields that a published record and a deposit have in the same form (developers.zenodo.org, "Deposit
 * metadata").
 */
const DEPOSIT_FIELDS = new Set([
  ...["title", "description", "creators", "contributors", "keywords", "access_right", "access_conditions"],
  ...["publication_date", "embargo_date", "related_identifiers", "references", "version", "language", "notes"],
  ...["method", "subjects", "dates", "locations"],
]);

/** Returns the metadata of a published record in the form of a deposit, for `.zenodo.json`. */
function zenodoDeposit(record: unknown): Json {
  const metadata = asObject(at(record, "metadata")) ?? {};
  const grants = oneOrMany(metadata.grants).flatMap((grant) => {
    const [funder, code] = [asText(at(grant, "funder", "doi")), asText(at(grant, "code"))];
    return code === null ? [] : [{ id: funder === null ? code : `${funder}::${code}` }];
  });
  const licence = asText(at(metadata, "license", "id")) ?? asText(metadata.license);
  return {
    ...Object.fromEntries(Object.entries(metadata).filter(([field]) => DEPOSIT_FIELDS.has(field))),
    upload_type: "dataset",
    ...(licence === null ? {} : { license: licence }),
    ...(grants.length === 0 ? {} : { grants }),
  };
}
