/**
 * Scores one payload under every contract, with the same readers and rules as a build. Does not use the network or the
 * time.
 */

import type { RubricVersion } from "../../schemas/public/api/evaluation.ts";
import type { ReaderVersion } from "../../schemas/public/release.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { type ScoredPayload, scorePayload } from "../score-payload.ts";
import type { Source } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { readDraft } from "./draft.ts";
import { type DraftScore, explain, type ScoredEvaluation, showPeople } from "./evaluation.ts";
import { NoDraft } from "./evaluation-error.ts";
import type { ObtainedPayload } from "./obtain.ts";
import { type OneRecord, oneRecord } from "./one-record.ts";

/** The scores of one capture by contract, and the data that explain them. */
export interface OneScored extends OneRecord, Pick<ScoredPayload, "pledge" | "scores"> {
  readonly outcome: ScoredPayload["normalised"]["outcome"];
  readonly reason: string | null;
  readonly reader: ReaderVersion;
  readonly asOf: string;
  readonly isDraft: boolean;
}

/**
 * Scores a payload under every contract. `reader` is published with the score; the caller computes it, because it contains
 * digests of files that this module cannot read.
 */
export function scoreOne(
  { isDraft = false, ...payload }: ObtainedPayload,
  asOf: string,
  reader: ReaderVersion,
): OneScored {
  const source = sourceNamed(payload.source);
  if (source === null) throw new Error(`there is no source called ${payload.source}`);
  const { normalised, values, pledge, scores } = scorePayload(payload, { asOf, isDraft });
  return {
    ...oneRecord(source, payload, { normalised, values }, { asOf, vocabularies: loadVocabularies() }),
    outcome: normalised.outcome,
    reason: normalised.outcome === "record" ? null : normalised.reason,
    ...{ reader, pledge, scores, asOf, isDraft },
  };
}

export interface DraftInputs {
  readonly contract: ContractId;
  readonly asOf: string;
  getReader(source: string): Promise<ReaderVersion>;
}

/**
 * Scores metadata of a trusted user in this process, as if they were deposited unchanged.
 * @throws NoDraft under the conditions of {@link readDraft}, or if the draft cannot be read
 */
export async function scoreDraft(
  source: Source | null,
  file: Uint8Array,
  { contract, asOf, getReader }: DraftInputs,
): Promise<ScoredEvaluation> {
  const payload = await readDraft(file, source);
  const scored = scoreOne(payload, asOf, await getReader(payload.source));
  return showPeople(explain(scored, contract), scored.researcherIds);
}

/**
 * Returns the score of a draft in the form of the API.
 * @throws NoDraft if the metadata are not those of a dataset
 */
export function buildDraftScore(evaluation: ScoredEvaluation, rubric: RubricVersion): DraftScore {
  const { record, outcome, reason, contract, asOf, basis, improvements } = evaluation;
  if (record === null) {
    const is = outcome === "not_dataset" ? "is not a dataset" : "is not a draft";
    throw new NoDraft(`${is}: ${reason ?? `${outcome} without a reason`}`);
  }
  return { source: basis.pledge.source, rubric, contract, asOf, record, basis, improvements };
}
