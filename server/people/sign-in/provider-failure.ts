/** Failures of requests to the identity provider, as problems: its fault or its absence, or a sign-in that does not fit. */

import * as oidc from "openid-client";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import { ServiceAway } from "../../outbound/one-origin-fetch.ts";

const RETRY_AFTER_SECONDS = "30";

/** Errors of OAuth that say something about us or about the provider, nothing about who signs in (RFC 6749, 4.1.2.1, 5.2). */
const NOT_THEIRS = [
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "server_error",
  "temporarily_unavailable",
];

/** Answers that are none: no JSON, not as OpenID Connect has them, or none at all. */
const NO_ANSWER = [
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_PARSE_ERROR",
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_INVALID_SERVER_METADATA",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_UNSUPPORTED_OPERATION",
];

/** The problem of an error; logs its codes, never its words, which may repeat a code or a token. */
export function providerProblem(error: unknown, log: Effects["log"]): ProblemError {
  if (error instanceof ProblemError) return error;
  const refusal = refusalOf(error);
  const unreachable = isAway(error) || (refusal !== null && isNotTheirs(refusal));
  log({
    level: unreachable ? "error" : "warn",
    event: unreachable ? "provider-unreachable" : "sign-in-failed",
    code: innermostCode(error),
    status: refusal?.status ?? null,
    error: refusal?.error ?? null,
  });
  if (unreachable) return providerUnreachable();
  // A fault of our own is none of theirs.
  if (refusal === null && !(error instanceof oidc.ClientError)) throw error;
  return signInFailed(
    refusal?.error === "access_denied"
      ? "Signing in was declined at the identity provider."
      : "The identity provider's answer does not belong to this sign-in, or was used before; begin again.",
  );
}

export function signInFailed(detail: string): ProblemError {
  return new ProblemError("sign-in-failed", detail);
}

function providerUnreachable(): ProblemError {
  return new ProblemError("provider-unreachable", "The identity provider gave no usable answer; try again later.", {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

interface Refusal {
  /** A word of OAuth; null where there is none, or it could be anything. */
  readonly error: string | null;
  readonly status: number | null;
}

/** What the provider itself said no with. */
function refusalOf(error: unknown): Refusal | null {
  const word = (text: string | undefined) => (text !== undefined && /^[a-z_]{1,40}$/.test(text) ? text : null);
  if (error instanceof oidc.ResponseBodyError) return { error: word(error.error), status: error.status };
  if (error instanceof oidc.AuthorizationResponseError) return { error: word(error.error), status: null };
  if (error instanceof oidc.WWWAuthenticateChallengeError) return { error: null, status: error.status };
  return null;
}

function isNotTheirs({ error, status }: Refusal): boolean {
  if (error !== null && NOT_THEIRS.includes(error)) return true;
  return status !== null && (status >= 500 || status === 429 || (error === null && status === 401));
}

/** Where several errors lie within each other, the first one has the reason. */
function innermostCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const inner = innermostCode(error.cause);
  return inner !== "unknown" || !("code" in error) ? inner : String(error.code);
}

function isAway(error: unknown): boolean {
  if (error instanceof ServiceAway) return true;
  if (!(error instanceof Error)) return false;
  return (error instanceof oidc.ClientError && NO_ANSWER.includes(error.code ?? "")) || isAway(error.cause);
}
