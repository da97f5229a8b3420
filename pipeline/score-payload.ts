/**
 * Scores the payload of one record without Node and without a database. Everything that this file imports runs in browsers
 * too (test/architecture/core.test.ts).
 */

import type { Normalised, StatedValue } from "../schemas/internal/capture.ts";
import type { Envelope } from "../schemas/internal/rows.ts";
import type { Evidence } from "../schemas/public/evidence.ts";
import type { Pledge } from "../schemas/public/pledge.ts";
import type { ContractId } from "../schemas/public/rubric.ts";
import { readPayload } from "./reading/read-payload.ts";
import { POLICY, readContracts } from "./rubrics/contracts.ts";
import { type RecordScore, scoreEvidence } from "./rubrics/score.ts";
import { sourceNamed } from "./sources/index.ts";
import { readPledge, supportedMask } from "./sources/pledges.ts";
import { loadVocabularies } from "./vocabularies/index.ts";

/** The stored payload of one record, and the name of its source. */
export interface SourcePayload extends Pick<Envelope, "sourceId" | "payload" | "status"> {
  readonly source: string;
}

export interface PayloadOptions {
  /** The as-of date (ISO), which decides whether an embargo has ended. */
  readonly asOf: string;
  /** True if the metadata are not published yet, but come from the depositor. */
  readonly isDraft?: boolean;
}

export interface ScoredPayload {
  readonly normalised: Normalised;
  readonly evidence: Evidence | null;
  readonly pledge: Pledge;
  /**
   * The scores by the id of the contract. Empty if the payload is not that of a readable dataset (the outcome is not
   * `record`).
   */
  readonly scores: ReadonlyMap<ContractId, RecordScore>;
  readonly values: readonly StatedValue[];
}

/** Returns the scores of a payload under every contract. */
export function scorePayload({ source: name, ...captured }: SourcePayload, options: PayloadOptions): ScoredPayload {
  const source = sourceNamed(name);
  if (source === null) throw new Error(`there is no source called ${name}; give one such as zenodo`);
  const pledge = readPledge(source);
  const { normalised, values } = readPayload(source, captured, { ...options, vocabularies: loadVocabularies() });
  const read = { normalised, values, pledge };
  if (normalised.outcome !== "record") return { ...read, evidence: null, scores: new Map() };
  const contracts = [...readContracts().values()];
  const scored = contracts.map((contract) => {
    return { rubric: contract.contract, contract, supported: supportedMask(pledge, contract.contract) };
  });
  const scores = scoreEvidence(scored, { ...normalised, neverCarries: pledge.neverCarries }, POLICY.leastEvaluable);
  return {
    ...read,
    evidence: normalised.evidence,
    scores: new Map(contracts.flatMap(({ contract }, i) => (scores[i] === undefined ? [] : [[contract, scores[i]]]))),
  };
}
