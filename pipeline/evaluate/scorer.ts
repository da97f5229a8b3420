/** Scores one payload under every contract, with the readers and rules of the batch. Uses no network and no clock. */

import type { Reader } from "../../schemas/public/release.ts";
import type { ContractId, Rubric } from "../../schemas/public/rubric.ts";
import { readContracts } from "../rubrics/contracts.ts";
import { type ScoredPayload, scorePayload } from "../score-payload.ts";
import type { Source } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { readPledge } from "../sources/pledges.ts";
import { readerOf } from "../sources/reader-of.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { NoDraft, readDraft, UNNAMED } from "./draft.ts";
import { addPeopleNames, type Evaluation, type EvaluationInputs, evaluationOf } from "./evaluation.ts";
import type { SourcePayload } from "./obtain.ts";
import { type OneRecord, oneRecord } from "./one-record.ts";

/** The later payload of a file that is not deposited. */
export interface DraftPayload {
  readonly payload: SourcePayload;
  readonly hasId: boolean;
}

/** The scores of one capture by contract, with the data that explain them. */
export interface OneScored extends OneRecord, Pick<ScoredPayload, "pledge" | "scores"> {
  readonly outcome: ScoredPayload["normalised"]["outcome"];
  readonly reason: string | null;
  readonly reader: Reader;
}

export async function scoreOne({ isDraft = false, ...payload }: SourcePayload, asOf: string): Promise<OneScored> {
  const source = sourceNamed(payload.source);
  if (source === null) throw new Error(`there is no source called ${payload.source}`);
  const reader = await readerOf(source.name);
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
): Evaluation {
  return evaluationOf(scored, { contract: contractNamed(id), ...inputs });
}

function contractNamed(id: ContractId): Rubric {
  const contract = readContracts().get(id);
  if (contract === undefined) throw new Error(`there is no contract ${id}`);
  return contract;
}

/**
 * Reads a file of metadata that are not deposited yet. If `chosen` is null, the format decides about the source.
 * @throws NoDraft if the file does not hold the metadata of one record of a known source
 */
export function readDraftPayload(chosen: Source | null, file: Uint8Array): DraftPayload {
  const { source, ...draft } = readDraft(Buffer.from(file), chosen, (each) => readPledge(each).name);
  return {
    payload: { ...draft, source: source.name, status: 200, retrievedAt: null, isDraft: true },
    hasId: draft.sourceId !== UNNAMED,
  };
}

/**
 * Scores metadata of a trusted user in this process, as if they were deposited unchanged.
 * @throws NoDraft as {@link readDraftPayload}, or if the draft cannot be read
 */
export async function scoreDraft(
  source: Source | null,
  file: Uint8Array,
  contract: ContractId,
  asOf: string,
): Promise<Evaluation> {
  const { payload, hasId } = readDraftPayload(source, file);
  const scored = await scoreOne(payload, asOf);
  const evaluation = explain(scored, contract, { asOf, isWithheld: () => false });
  return addPeopleNames(withoutLandingPage(evaluation, hasId), scored.researcherIds);
}

/**
 * Removes the landing page from a draft without an id.
 *
 * @throws NoDraft if the draft could not be read, because the advice would then be wrong
 */
export function withoutLandingPage(evaluation: Evaluation, hasId: boolean): Evaluation {
  const { outcome, reason, record } = evaluation;
  if (outcome === "failed") throw new NoDraft(`cannot be read: ${reason ?? "nothing in it is known"}`);
  return hasId || record === null ? evaluation : { ...evaluation, record: { ...record, url: null } };
}
