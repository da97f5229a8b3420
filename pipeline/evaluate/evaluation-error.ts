/** Errors of an evaluation. Each has a stable code and a message for the user. */

/**
 * The codes of faults, with their HTTP status. `malformed-identifier` (400): the text is not an identifier.
 * `unsupported-source` (422): none of the sources of this service contains it. `not-in-source` (404): the source has no
 * such record. `source-unreachable` (502): the source did not send a usable response. `source-too-slow` (504): the source
 * did not respond in time. `draft-too-large` (413): scoring the draft would take more time, memory or text than is allowed.
 */
export type EvaluationFault =
  | "malformed-identifier"
  | "unsupported-source"
  | "not-in-source"
  | "source-unreachable"
  | "source-too-slow"
  | "draft-too-large";

export class EvaluationError extends Error {
  readonly code: EvaluationFault;
  /** Seconds after which to try again; null if that would not help. */
  readonly retryAfter: number | null;

  constructor(code: EvaluationFault, message: string, options: ErrorOptions & { readonly retryAfter?: number } = {}) {
    super(message, options);
    this.name = "EvaluationError";
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** Longest wait during an evaluation, in milliseconds: for the rate limit of a service, or after a failure. */
export const PATIENCE_MS = 5000;

/** Seconds after which to try again, because a failure has usually passed by then. */
const SOON = 30;

/** The next request would have to wait too long, because of the rate limit of the service or because it requires a wait. */
export class ServiceBusy extends Error {
  readonly code = "service-busy";
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    super(`no request before ${Math.ceil(milliseconds)} ms have passed`);
    this.name = "ServiceBusy";
    this.milliseconds = milliseconds;
  }
}

const SLOW_CODES = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** Converts an error of a request to the fault that the user sees. `service` is the public name of the service. */
export function upstreamFault(error: unknown, service: string): EvaluationError {
  const causes = listCauses(error);
  const known = causes.find((cause) => cause instanceof EvaluationError);
  if (known instanceof EvaluationError) return known;
  const busy = causes.find((cause) => cause instanceof ServiceBusy);
  if (busy instanceof ServiceBusy) {
    const retryAfter = Math.ceil(busy.milliseconds / 1000);
    const message = `${service} takes no more requests for now; try again in ${retryAfter} s`;
    return new EvaluationError("source-unreachable", message, { cause: error, retryAfter });
  }
  const options = { cause: error, retryAfter: SOON };
  if (causes.some(isTimeout)) {
    return new EvaluationError("source-too-slow", `${service} did not answer in time; try again later`, options);
  }
  const status = causes.map(findStatus).find((each) => each !== null) ?? null;
  const detail = status === null ? "" : ` (status ${status})`;
  return new EvaluationError(
    "source-unreachable",
    `${service} gave no usable answer${detail}; try again later`,
    options,
  );
}

/**
 * Returns the HTTP status of a failed response; null if there was none. The text of the response is not shown to the user.
 */
function findStatus(cause: unknown): number | null {
  return cause instanceof Error && "status" in cause && typeof cause.status === "number" ? cause.status : null;
}

/** Returns the fault for a response with neither the record nor a statement that the record is gone. */
export function unusable(service: string, detail: string): EvaluationError {
  return new EvaluationError("source-unreachable", `${service} gave no usable answer (${detail}); try again later`, {
    retryAfter: SOON,
  });
}

function listCauses(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 10; ) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

function isTimeout(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return cause.name === "TimeoutError" || ("code" in cause && SLOW_CODES.has(String(cause.code)));
}
