/** The evaluation of one payload: its score with explanations, or the reason that it has none. */

import { recordDetail } from "../api-static/pages/record.ts";
import { withholding } from "../api-static/pages/withheld.ts";
import { POLICY } from "../pipeline/rubrics/contracts.ts";
import type { EvaluationBasis } from "../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../schemas/public/api/record.ts";
import type { Pledge } from "../schemas/public/pledge.ts";
import type { ContractId, PublicVersion, Rubric } from "../schemas/public/rubric.ts";
import { basisOf } from "./basis.ts";
import { type Improvement, improvementsOf } from "./improvements.ts";
import type { OneScored } from "./one-record.ts";
import { withPeopleNamed, withSpecifics } from "./specifics.ts";

export interface Evaluation {
  /** A tombstone, and an item that is not a dataset, has a reason in place of a record. */
  readonly outcome: OneScored["outcome"];
  readonly reason: string | null;
  /** `<source>/<source-id>`. */
  readonly identifier: string;
  readonly contract: ContractId;
  /** The public version of the contract; a superseded one is shown under the version it belonged to. */
  readonly rubric: PublicVersion;
  /** The day embargoes are judged by. */
  readonly asOf: string;
  readonly record: RecordDetail | null;
  readonly basis: EvaluationBasis;
  readonly improvements: readonly Improvement[];
}

/** The things that explain a score under any contract. */
export interface Explaining {
  readonly contract: Rubric;
  readonly pledges: ReadonlyMap<string, Pledge>;
  readonly asOf: string;
  /** Whether the researcher of this id has asked not to be shown. */
  readonly isWithheld: (researcherId: string) => boolean;
}

/** 2.0.0-beta.1 has no public version of its own; its R bucket is reusability, as that of 2.0. */
const SHOWN_UNDER: PublicVersion = "2.0";

export function evaluationOf(scored: OneScored, explaining: Explaining): Evaluation {
  const { contract, pledges, asOf } = explaining;
  const { outcome, reason } = scored;
  const authors = withholding(scored.bundle.authors, scored.researcherIds, explaining.isWithheld);
  const bundle = { ...scored.bundle, authors };
  const version = contract.publicVersion ?? SHOWN_UNDER;
  const pledge = pledges.get(bundle.record.source);
  if (pledge === undefined) throw new Error(`there is no pledge of ${bundle.record.source}`);
  const isRecord = outcome === "record" || outcome === "failed";
  const score = scored.scores.get(contract.contract) ?? null;
  const record = isRecord
    ? withSpecifics(recordDetail(bundle, score, { version, contract, pledges }), scored.fallingShort)
    : null;
  return {
    outcome,
    reason,
    identifier: `${bundle.record.source}/${bundle.record.source_id}`,
    contract: contract.contract,
    rubric: version,
    asOf,
    record,
    basis: basisOf({ asOf, contract, pledge, policy: POLICY, ...scored }),
    improvements: record === null || outcome === "failed" ? [] : improvementsOf(record),
  };
}

/**
 * Adds the names of the people without an ORCID iD to the advice. Call it after withholding, which decides who may be named.
 * @param researcherIds one id for each creator, in the same order; null for an organisation
 */
export function peopleNamed(evaluation: Evaluation, researcherIds: readonly (string | null)[]): Evaluation {
  const { record, outcome } = evaluation;
  if (record === null || outcome === "failed") return evaluation;
  const people = researcherIds.map((id) => id !== null);
  const named = withPeopleNamed(record, people);
  return named === record ? evaluation : { ...evaluation, record: named, improvements: improvementsOf(named) };
}
