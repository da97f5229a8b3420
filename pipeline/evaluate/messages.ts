/** Defines the messages between an evaluator and its worker processes. Each task and its result is one message. */

import type { Identifier } from "../parse-identifier.ts";
import type { LogEvent } from "../stage/effects.ts";
import type { EvaluationFault } from "./evaluation-error.ts";

export interface RequestOptions {
  readonly contact: string | null;
  /** Base URLs to use instead of the usual ones. The key is the name of a source, or `doi.org`. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** Time limit of one request, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * A step that the parent process must do for an evaluation: a request, or a wait that a service demands. `service` is
 * the name of a source or `doi.org`.
 */
export type Question = { readonly service: string; readonly url: string } & (
  | {
      readonly kind: "request";
      readonly headers: readonly (readonly [string, string])[];
      readonly body: string | null;
    }
  | { readonly kind: "wait"; readonly milliseconds: number; readonly reason: LogEvent | null }
);

/** The outcome of a {@link Question}, and the time at which it ended. */
export type Reply = { readonly at: string } & (
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: Uint8Array;
    }
  | { readonly kind: "failed"; readonly name: string; readonly code: string | null; readonly message: string }
  | { readonly kind: "waited" }
);

export interface EvaluateTask {
  readonly kind: "evaluate";
  readonly identifier: Identifier;
  readonly asOf: string;
  readonly at: string;
  /** A random number in [0, 1). It spreads out the retries of evaluations that failed at the same time. */
  readonly share: number;
  readonly options: RequestOptions;
  /** The replies to the questions so far, in order. */
  readonly replies: readonly Reply[];
}

/** A task to score a metadata file. If `source` is null, the format of the file decides which source it belongs to. */
export interface DraftTask {
  readonly kind: "draft";
  readonly source: string | null;
  readonly file: Uint8Array;
  readonly asOf: string;
}

export type EvaluationTask = EvaluateTask | DraftTask;

export interface ScoredResult {
  readonly kind: "scored";
  /** The evaluation under each contract, as JSON. */
  readonly evaluations: Readonly<Record<string, string>>;
  /** Researcher ids in the order of the authors; null for an organisation. */
  readonly researcherIds: readonly (string | null)[];
}

export type Result =
  | ScoredResult
  /** The next request or wait that the evaluation needs before it can continue. */
  | { readonly kind: "question"; readonly question: Question }
  | {
      readonly kind: "fault";
      readonly code: EvaluationFault;
      readonly message: string;
      readonly retryAfter: number | null;
    };
