/**
 * Notifying: once a release is active, each address is sent the same signed message, and again while it fails in a way that
 * passes. Whatever comes of it, the release is active.
 */

import { createHmac, hash } from "node:crypto";
import { backOff, retryAfterOf } from "../pipeline/1-harvest/requests.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import type { Receipt } from "../schemas/public/release.ts";

export interface NotifyRequest {
  readonly addresses: readonly URL[];
  readonly secret: Uint8Array;
}

/** What became of one address. */
export interface Notified {
  /** Its origin alone: a path or query may be what keeps strangers out. */
  readonly to: string;
  readonly delivered: boolean;
  readonly attempts: number;
  /** The last answer, or what was wrong; null where it was delivered. */
  readonly why: string | null;
}

/** Tries in all, the longest wait between two, and the longest that one may take. */
const ATTEMPTS = 5;
const LONGEST_WAIT = 30_000;
const LONGEST_TRY = 10_000;

/** Answers that another try may mend. Redirects are not followed: what was signed for one place is for no other. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

type Sending = Pick<Effects, "fetch" | "now" | "sleep" | "random" | "log">;

/** Never throws: what failed is told, and logged as a warning. */
export async function notify(
  { addresses, secret }: NotifyRequest,
  receipt: Receipt,
  effects: Sending,
): Promise<Notified[]> {
  const activated = effects.now().toISOString();
  const body = messageOf(receipt, activated);
  // The same for every try, so that who gets it twice can tell.
  const id = `msg_${hash("sha256", `${receipt.releaseDigest} ${activated}`).slice(0, 32)}`;
  return Promise.all(addresses.map((address) => deliver(address, { id, body, secret }, effects)));
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly secret: Uint8Array;
}

function messageOf(receipt: Receipt, timestamp: string): string {
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

async function deliver(address: URL, message: Message, effects: Sending): Promise<Notified> {
  const to = address.origin;
  for (let attempt = 1; ; attempt += 1) {
    const tried = await tryOnce(address, message, effects);
    if (tried === null) return { to, delivered: true, attempts: attempt, why: null };
    if (!tried.passing || attempt === ATTEMPTS) {
      effects.log({ level: "warn", event: "notify-failed", to, attempts: attempt, why: tried.why });
      return { to, delivered: false, attempts: attempt, why: tried.why };
    }
    await effects.sleep(Math.min(LONGEST_WAIT, backOff(attempt, effects.random(), tried.after)));
  }
}

interface Failure {
  readonly why: string;
  readonly passing: boolean;
  /** Milliseconds that the receiver asks for. */
  readonly after: number | null;
}

/** Null where it was taken. */
async function tryOnce(address: URL, { id, body, secret }: Message, effects: Sending): Promise<Failure | null> {
  const at = Math.floor(effects.now().getTime() / 1000);
  try {
    const answer = await effects.fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...signedHeaders(secret, { id, at, body }) },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(LONGEST_TRY),
    });
    await answer.body?.cancel();
    if (answer.ok) return null;
    const after = retryAfterOf(answer.headers.get("retry-after"), effects.now());
    return { why: `answered ${answer.status}`, passing: PASSING.has(answer.status), after };
  } catch (error) {
    return { why: reasonOf(error), passing: true, after: null };
  }
}

/** The system's word for it: messages of the platform may repeat the address. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${LONGEST_TRY / 1000} s`;
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause ? `could not be reached (${cause.code})` : "could not be reached";
}

const FORM = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Its bytes; null for what is no such secret, which nobody repeats. */
export function secretBytes(text: string): Uint8Array | null {
  const encoded = FORM.exec(text.trim())?.[1];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded && bytes.length >= 24 && bytes.length <= 64 ? bytes : null;
}

/** `at` in seconds since 1970. The signature is over id, time and body, so that none of them can be changed or sent again later. */
export function signedHeaders(
  secret: Uint8Array,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const signature = createHmac("sha256", secret).update(`${id}.${at}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` };
}
