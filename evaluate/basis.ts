/** What an evaluation rests on besides the payload: whoever has it can come from the evidence to the masks again. */

import { contractDigest } from "../pipeline/rubrics/contracts.ts";
import { pledgeDigest } from "../pipeline/sources/pledges.ts";
import type { EvaluationBasis } from "../schemas/public/api/evaluation.ts";
import { evidenceErrors } from "../schemas/public/evidence.ts";
import type { ReleasedPledge } from "../schemas/public/pledge.ts";
import type { Policy, Reader } from "../schemas/public/release.ts";
import type { ReleasedRubric } from "../schemas/public/rubric.ts";

export interface RestingOn {
  readonly asOf: string;
  readonly contract: ReleasedRubric;
  readonly pledge: ReleasedPledge;
  readonly policy: Policy;
  /** Null where nobody wrote down which it was. */
  readonly reader: Reader | null;
  /** Columns of evidence that could not be read, as `evidence_errors` has them. */
  readonly evidenceErrors: bigint;
}

export function basisOf({
  asOf,
  contract,
  pledge,
  policy,
  reader,
  evidenceErrors: errors,
}: RestingOn): EvaluationBasis {
  return {
    asOf,
    contract: { id: contract.contract, digest: contractDigest(contract) },
    pledge: { source: pledge.source, digest: pledgeDigest(pledge), neverCarries: [...pledge.neverCarries] },
    policy,
    reader,
    unreadable: evidenceErrors(errors),
  };
}
