/**
 * Sends a signed message to each webhook when a release becomes active. Repeats the message after temporary failures. A
 * failure does not affect the release.
 */

import { createHmac, hash } from "node:crypto";
import { backOff, readRetryAfter } from "../pipeline/1-harvest/requests.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import type { Receipt } from "../schemas/public/release.ts";

export interface NotifyRequest {
  readonly urls: readonly URL[];
  readonly secret: Uint8Array;
}

export interface NotifyResult {
  /** Origin of the URL. Path and query are left out, because they may be secret. */
  readonly to: string;
  readonly delivered: boolean;
  readonly attempts: number;
  /** The last failure; null if the message was delivered. */
  readonly why: string | null;
}

/**
 * Limits for each webhook: the number of attempts, the longest wait between two attempts, and the longest duration of one
 * attempt. Times are in milliseconds.
 */
const ATTEMPTS = 5;
const MAX_WAIT_MS = 30_000;
const MAX_TRY_MS = 10_000;

/**
 * HTTP statuses after which a retry may succeed. Redirects are not among them, and are not followed, because the message is
 * signed for one receiver.
 */
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);

type NotifyEffects = Pick<Effects, "fetch" | "now" | "sleep" | "random" | "log">;

/**
 * Sends every URL a message about the activated release. Never throws an error: failures are part of the result, and are
 * also logged as warnings.
 */
export async function notify(
  { urls, secret }: NotifyRequest,
  receipt: Receipt,
  effects: NotifyEffects,
): Promise<NotifyResult[]> {
  const activated = effects.now().toISOString();
  const body = writeMessage(receipt, activated);
  // All attempts have the same id, so that a receiver can detect duplicates.
  const id = `msg_${hash("sha256", `${receipt.releaseDigest} ${activated}`).slice(0, 32)}`;
  return Promise.all(urls.map((url) => deliver(url, { id, body, secret }, effects)));
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly secret: Uint8Array;
}

function writeMessage(receipt: Receipt, timestamp: string): string {
  const { releaseDigest, scoreReleaseVersion, asOf, publishedAt, previousReleaseDigest, coverage } = receipt;
  const data = {
    releaseDigest,
    scoreReleaseVersion,
    asOf,
    publishedAt,
    previousReleaseDigest,
    scored: coverage.scored,
  };
  return JSON.stringify({ type: "release.activated", timestamp, data });
}

async function deliver(url: URL, message: Message, effects: NotifyEffects): Promise<NotifyResult> {
  const to = url.origin;
  for (let attempt = 1; ; attempt += 1) {
    const failure = await tryOnce(url, message, effects);
    if (failure === null) return { to, delivered: true, attempts: attempt, why: null };
    if (!failure.isTemporary || attempt === ATTEMPTS) {
      effects.log({ level: "warn", event: "notify-failed", to, attempts: attempt, why: failure.why });
      return { to, delivered: false, attempts: attempt, why: failure.why };
    }
    await effects.sleep(Math.min(MAX_WAIT_MS, backOff(attempt, effects.random(), failure.after)));
  }
}

interface Failure {
  readonly why: string;
  readonly isTemporary: boolean;
  /** Milliseconds until the next attempt, if the receiver requires a wait; otherwise null. */
  readonly after: number | null;
}

/** Sends the message once. Returns the failure; null if the message was delivered. */
async function tryOnce(url: URL, { id, body, secret }: Message, effects: NotifyEffects): Promise<Failure | null> {
  const at = Math.floor(effects.now().getTime() / 1000);
  try {
    const response = await effects.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signedHeaders(secret, { id, at, body }) },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(MAX_TRY_MS),
    });
    await response.body?.cancel();
    if (response.ok) return null;
    const after = readRetryAfter(response.headers.get("retry-after"), effects.now());
    return { why: `responded with status ${response.status}`, isTemporary: TEMPORARY.has(response.status), after };
  } catch (error) {
    return { why: describeReason(error), isTemporary: true, after: null };
  }
}

/**
 * Describes a failed request by the error code of the system, such as ECONNREFUSED. The message of the error is not used,
 * because it may contain the URL.
 */
function describeReason(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no response within ${MAX_TRY_MS / 1000} s`;
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause ? `could not be reached (${cause.code})` : "could not be reached";
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * Returns the bytes of a secret such as `whsec_…` (24 to 64 bytes in base64); null if it does not have this form. Callers
 * must not print the text, which may be a mistyped secret.
 */
export function secretBytes(text: string): Uint8Array | null {
  const encoded = SECRET.exec(text.trim())?.[1];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded && bytes.length >= 24 && bytes.length <= 64 ? bytes : null;
}

/**
 * Returns the headers of a signed message. `at` is in seconds since 1970. The signature covers id, time and body, so the
 * message can neither be changed nor sent again later.
 */
export function signedHeaders(
  secret: Uint8Array,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const signature = createHmac("sha256", secret).update(`${id}.${at}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` };
}
