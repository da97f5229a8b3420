/** The npm package `share-release-score`: scores a draft on the user's machine, without a server. */

import "./without-eval.ts";
import { sourceOfFileName } from "../pipeline/evaluate/draft.ts";
import type { DraftScore } from "../pipeline/evaluate/evaluation.ts";
import { NoDraft } from "../pipeline/evaluate/evaluation-error.ts";
import { buildDraftScore, scoreDraft } from "../pipeline/evaluate/scorer.ts";
import type { MetadataChange } from "../pipeline/repair/metadata-change.ts";
import { getContractId } from "../pipeline/rubrics/contracts.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../pipeline/sources/index.ts";
import type { RubricVersion } from "../schemas/public/api/evaluation.ts";
import { MAX_DRAFT_BYTES } from "../schemas/public/text.ts";
import { getReader } from "./readers.ts";

export { NoDraft };

export interface ScoreOptions {
  /** The source whose format the metadata have. By default, the file name or the format decides. */
  readonly source?: string | null;
  /** The name of the file. Usual names such as `.zenodo.json` show the source. */
  readonly fileName?: string | null;
  /** A public version or an exact contract; by default 2.0. */
  readonly contract?: RubricVersion;
  /** The as-of date (ISO), which decides whether an embargo has ended; today by default. */
  readonly asOf?: string;
}

/**
 * Scores the metadata of one dataset as if they were deposited unchanged. The metadata are text, bytes, or an object for
 * JSON. The result equals the field `draft` in the response of POST /evaluations/draft.
 * @throws NoDraft (`code` "no-draft") if the metadata do not belong to one dataset of a known source; RangeError if they
 * are too long; Error for an unknown source or contract
 */
export async function score(payload: string | Uint8Array | object, options: ScoreOptions = {}): Promise<DraftScore> {
  const { version, file, inputs } = readOptions(payload, options);
  const evaluation = await scoreDraft(sourceIn(options), file, inputs);
  return buildDraftScore(evaluation, version);
}

/** A draft with its score, and the repaired file if facts were in the wrong place. */
export interface RepairedDraft {
  readonly draft: DraftScore;
  /** The repaired file; null if there is nothing to repair, or if SHARE cannot write the format. */
  readonly repaired: {
    /** The usual file name of the format. */
    readonly fileName: string;
    readonly text: string;
    /** The total of the repaired file; null if too few signals can be judged. */
    readonly total: number | null;
    readonly changes: readonly MetadataChange[];
  } | null;
}

/**
 * Scores the metadata, and copies facts that are in the wrong place to the fields where they count. Adds only facts
 * that the metadata already contain.
 * @throws the same errors as {@link score}
 */
export async function repair(
  payload: string | Uint8Array | object,
  options: ScoreOptions = {},
): Promise<RepairedDraft> {
  const { version, file, inputs } = readOptions(payload, options);
  // Loaded with the first repair, so that a page that only scores stays small.
  const { repairDraft } = await import("../pipeline/repair/record.ts");
  const { before, after, repair: found, text } = await repairDraft(sourceIn(options), file, inputs);
  const draft = buildDraftScore(before, version);
  if (found === null || text === null) return { draft, repaired: null };
  const { format, changes } = found;
  return { draft, repaired: { fileName: format.fileName, text, total: after.record?.score?.total ?? null, changes } };
}

function readOptions(
  payload: string | Uint8Array | object,
  { contract: version = "2.0", asOf = today() }: ScoreOptions,
) {
  const file = toBytes(payload);
  if (file.length > MAX_DRAFT_BYTES) {
    throw new RangeError(
      `the metadata have ${file.length} bytes; at most ${MAX_DRAFT_BYTES} are possible, so shorten them`,
    );
  }
  return { version, file, inputs: { contract: getContractId(version), asOf, getReader } };
}

const today = () => new Date().toISOString().slice(0, 10);

function toBytes(payload: string | Uint8Array | object): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  return new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload));
}

function sourceIn({ source: name = null, fileName = null }: ScoreOptions): Source | null {
  if (name === null) return fileName === null ? null : sourceOfFileName(fileName);
  const source = sourceNamed(name);
  if (source !== null) return source;
  throw new Error(`there is no source called ${name}; the sources are ${SOURCES.map((each) => each.name).join(", ")}`);
}
