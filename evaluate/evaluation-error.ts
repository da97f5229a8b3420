/** The reason that there is no evaluation: a stable code, and a message that may be shown to whoever asked. */

/**
 * `malformed-identifier`: no identifier (400). `unsupported-source`: one of no source here (422). `not-in-source`: the
 * source has no such record (404). `source-unreachable`: no usable answer (502). `source-too-slow`: none in time (504).
 */
export type EvaluationFault =
  | "malformed-identifier"
  | "unsupported-source"
  | "not-in-source"
  | "source-unreachable"
  | "source-too-slow";

export class EvaluationError extends Error {
  readonly code: EvaluationFault;
  /** Seconds after which asking again makes sense, for faults that pass; null for the others. */
  readonly retryAfter: number | null;

  constructor(code: EvaluationFault, message: string, options: ErrorOptions & { readonly retryAfter?: number } = {}) {
    super(message, options);
    this.name = "EvaluationError";
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}
