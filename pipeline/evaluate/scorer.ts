/**
 * Scores one payload under every contract, with the same readers and rules as a build. Does not use the network or the
 * time.
 */

import type { DraftResult, RubricVersion } from "../../schemas/public/api/evaluation.ts";
import type { ReaderVersion } from "../../schemas/public/release.ts";
import type { ContractId, Rubric } from "../../schemas/public/rubric.ts";
import { readContracts } from "../rubrics/contracts.ts";
import { type ScoredPayload, scorePayload } from "../score-payload.ts";
import type { Source } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { readPledge } from "../sources/pledges.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { NoDraft, readDraft, UNNAMED } from "./draft.ts";
import { addPeopleNames, buildEvaluation, type EvaluationInputs, type ScoredEvaluation } from "./evaluation.ts";
import type { ObtainedPayload } from "./obtain.ts";
import { type OneRecord, oneRecord } from "./one-record.ts";

/** The payload that a file will have once it is deposited. */
export interface DraftPayload {
  readonly payload: ObtainedPayload;
  readonly hasId: boolean;
}

/** The scores of one capture by contract, and the data that explain them. */
export interface OneScored extends OneRecord, Pick<ScoredPayload, "pledge" | "scores"> {
  readonly outcome: ScoredPayload["normalised"]["outcome"];
  readonly reason: string | null;
  readonly reader: ReaderVersion;
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
    ...{ reader, pledge, scores },
  };
}

export function explain(
  scored: OneScored,
  id: ContractId,
  inputs: Pick<EvaluationInputs, "asOf" | "isWithheld">,
): ScoredEvaluation {
  return buildEvaluation(scored, { contract: contractNamed(id), ...inputs });
}

function contractNamed(id: ContractId): Rubric {
  const contract = readContracts().get(id);
  if (contract === undefined) throw new Error(`there is no contract ${id}`);
  return contract;
}

/**
 * Reads a file of metadata that are not deposited yet. If `chosen` is null, the format of the file decides to which source
 * it belongs.
 * @throws NoDraft if the file does not hold the metadata of one record of a known source
 */
export async function readDraftPayload(chosen: Source | null, file: Uint8Array): Promise<DraftPayload> {
  const { source, ...draft } = await readDraft(file, chosen, (each) => readPledge(each).name);
  return {
    payload: { ...draft, source: source.name, status: 200, retrievedAt: null, isDraft: true },
    hasId: draft.sourceId !== UNNAMED,
  };
}

export interface DraftInputs {
  readonly contract: ContractId;
  readonly asOf: string;
  getReader(source: string): Promise<ReaderVersion>;
}

/**
 * Scores metadata of a trusted user in this process, as if they were deposited unchanged.
 * @throws NoDraft under the conditions of {@link readDraftPayload}, or if the draft cannot be read
 */
export async function scoreDraft(
  source: Source | null,
  file: Uint8Array,
  { contract, asOf, getReader }: DraftInputs,
): Promise<ScoredEvaluation> {
  const { payload, hasId } = await readDraftPayload(source, file);
  const scored = scoreOne(payload, asOf, await getReader(payload.source));
  const evaluation = explain(scored, contract, { asOf, isWithheld: () => false });
  return addPeopleNames(withoutLandingPage(evaluation, hasId), scored.researcherIds);
}

export type DraftScore = DraftResult["draft"];

/**
 * Returns the score of a draft in the form of the API.
 * @throws NoDraft if the metadata are not those of a dataset
 */
export function buildDraftScore(
  { record, outcome, reason, ...evaluation }: ScoredEvaluation,
  rubric: RubricVersion,
): DraftScore {
  if (record === null) {
    const is = outcome === "not_dataset" ? "is not a dataset" : "is not a draft";
    throw new NoDraft(`${is}: ${reason ?? `${outcome} without a reason`}`);
  }
  const { contract, asOf, basis } = evaluation;
  const improvements = evaluation.improvements.map((one) => ({
    ...one,
    signals: [...one.signals],
    advice: [...one.advice],
  }));
  return { source: basis.pledge.source, rubric, contract, asOf, record, basis, improvements };
}

/**
 * Removes the URL of the record if the draft has no id, because the URL would not exist.
 *
 * @throws NoDraft if the draft could not be read, because the advice would then be wrong
 */
export function withoutLandingPage(evaluation: ScoredEvaluation, hasId: boolean): ScoredEvaluation {
  const { outcome, reason, record } = evaluation;
  if (outcome === "failed") throw new NoDraft(`cannot be read: ${reason ?? "nothing in it is known"}`);
  return hasId || record === null ? evaluation : { ...evaluation, record: { ...record, url: null } };
}
