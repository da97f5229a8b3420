/** The problem by which the API says why there is no evaluation. */

import type { Evaluation } from "../../pipeline/evaluate/evaluation.ts";
import { EvaluationError, type EvaluationFault } from "../../pipeline/evaluate/evaluation-error.ts";
import type { ProblemType } from "../../schemas/public/problem.ts";
import { ProblemError } from "../frame/answering/problem-error.ts";
import { malformedIdentifier, sentence } from "./wanted.ts";

const TYPES: Readonly<Record<Exclude<EvaluationFault, "malformed-identifier">, ProblemType>> = {
  "unsupported-source": "unsupported-source",
  "not-in-source": "not-in-source",
  "source-unreachable": "source-unreachable",
  "source-too-slow": "source-too-slow",
};

/** The problem that a fault of the evaluator is; anything else is returned as it is. */
export function problemOf(error: unknown): unknown {
  if (!(error instanceof EvaluationError)) return error;
  if (error.code === "malformed-identifier") return malformedIdentifier(error.message);
  const headers: Record<string, string> = error.retryAfter === null ? {} : { "retry-after": String(error.retryAfter) };
  return new ProblemError(TYPES[error.code], sentence(error.message), { headers });
}

/** What is withdrawn or no dataset has no score, and is answered like what is not there, with the reason. */
export function withoutRecord({ outcome, reason, identifier }: Evaluation): ProblemError {
  const because = reason === null ? "." : `: ${reason}.`;
  const said =
    outcome === "tombstone"
      ? `${identifier} has been withdrawn at its source${because}`
      : `${identifier} is not a dataset${because}`;
  return new ProblemError("not-in-source", said);
}
