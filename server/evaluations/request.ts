/** Reads an evaluation request, and makes the problem document if there is no score. */

import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import { type Identifier, identifierKey, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { getContractId } from "../../pipeline/rubrics/contracts.ts";
import type { RubricVersion, UnversionedRequest } from "../../schemas/public/api/evaluation.ts";
import { type ContractId, PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { malformedBody } from "../http/read-body.ts";
import { ProblemError } from "../http/response.ts";

/** Converts an error of the evaluator to a problem; returns any other error unchanged. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof EvaluationError)) return error;
  const { code, message, retryAfter } = error;
  if (code === "malformed-identifier") return malformedIdentifier(message);
  if (code === "no-draft") return malformedBody([{ path: "", message }]);
  const headers: Record<string, string> = retryAfter === null ? {} : { "retry-after": String(retryAfter) };
  return new ProblemError(code, sentence(message), { headers });
}

/** Makes the problem of a record that is withdrawn or not a dataset. */
export function noScoreProblem({ outcome, reason, identifier }: ScoredEvaluation): ProblemError {
  const because = reason === null ? "." : `: ${reason}.`;
  const detail =
    outcome === "tombstone"
      ? `${identifier} has been withdrawn at its source${because}`
      : `${identifier} is not a dataset${because}`;
  return new ProblemError("not-in-source", detail);
}

export interface EvaluationTarget {
  readonly text: string;
  readonly identifier: Identifier;
  /** The version from the request; the current public version by default. */
  readonly rubricVersion: RubricVersion;
  readonly contract: ContractId;
  /** True if the metadata are fetched from the source even if the release has the dataset. */
  readonly fresh: boolean;
  /**
   * One text with the contract, the canonical identifier, and whether the request is fresh. All spellings of an
   * identifier give the same text.
   */
  readonly subject: string;
}

const FRESH = " fresh";

/** True for the subject of a fresh request, which must not be answered from the release. */
export function isFresh(subject: string): boolean {
  return subject.endsWith(FRESH);
}

/**
 * Reads an evaluation request.
 * @throws ProblemError `invalid-body` for a malformed identifier; `unsupported-source` for a source that is not
 *   harvested
 */
export function readTarget({
  identifier: text,
  rubricVersion = PUBLIC_VERSIONS[0],
  fresh = false,
}: UnversionedRequest): EvaluationTarget {
  const identifier = parseIdentifier(text);
  if (identifier.kind === "rejected") {
    if (identifier.rejection === "malformed") throw malformedIdentifier(identifier.reason);
    throw new ProblemError("unsupported-source", sentence(identifier.reason));
  }
  const contract = getContractId(rubricVersion);
  return {
    text: text.trim(),
    identifier,
    rubricVersion,
    contract,
    fresh,
    subject: `${contract} ${identifierKey(identifier)}${fresh ? FRESH : ""}`,
  };
}

function malformedIdentifier(reason: string): ProblemError {
  return malformedBody([{ path: "identifier", message: reason }]);
}

function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`;
}
