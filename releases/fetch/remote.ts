/**
 * Sends requests to another service or mirror. Repeats them after faults, waits as long as the server requires, and limits
 * sizes.
 */

import { z } from "zod";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { releaseList } from "../../schemas/public/api/service.ts";

export interface Remote {
  readonly effects: Pick<Effects, "fetch" | "sleep" | "random" | "now">;
  /** Headers that are only sent to `origin`, because they may contain a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly origin: string | null;
  /**
   * Origins that have responded at least once. If an origin cannot be reached and has never responded, its URL may be
   * mistyped, so the request is not repeated.
   */
  readonly respondedOrigins: Set<string>;
}

/** Largest number of redirects for one response. */
const MAX_REDIRECTS = 5;

/** Number of consecutive attempts without progress after which a download fails. */
const TRIES = 12;
/** Number of times that the server may require a wait for one file (status 429 or 503). Further ones count as faults. */
const MAX_WAITS = 60;
/** Longest waits in seconds: the first between two attempts after a fault, the second if a server requires a wait. */
const MAX_PAUSE_SECONDS = 10;
const MAX_WAIT_SECONDS = 120;
/** Milliseconds after which a request is cancelled. The download then continues with the rest of the file. */
const REQUEST_MILLISECONDS = 120_000;

/**
 * Error for a response with which the server requires a wait (status 429 or 503). {@link persist} waits and repeats the
 * request.
 */
class WaitDemanded extends Error {
  readonly seconds: number;
  constructor(seconds: number, status: number) {
    super(`HTTP ${status}`);
    this.seconds = seconds;
  }
}

/**
 * Calls `attempt` until it succeeds. Waits longer after each fault, and gives up after too many. The count starts again
 * whenever `progress` has grown since the last fault. A wait that the server requires is not a fault.
 *
 * @throws FetchInterrupted, FetchRejected
 */
export async function persist<T>(
  { effects, respondedOrigins }: Remote,
  url: string,
  progress: () => number,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failed = 0, waits = 0, reached = progress(); ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof FetchRejected || isLocal(error)) throw error;
      if (!respondedOrigins.has(getOrigin(url)) && isUnreachable(error)) throw new ServerUnreachable(url, error);
      if (error instanceof WaitDemanded && waits < MAX_WAITS) {
        waits += 1;
        await effects.sleep(1000 * Math.min(error.seconds, MAX_WAIT_SECONDS));
        continue;
      }
      failed = progress() > reached ? 1 : failed + 1;
      reached = progress();
      if (failed >= TRIES) throw new FetchInterrupted(url, error);
      const pause = Math.min(0.1 * 2 ** (failed - 1), MAX_PAUSE_SECONDS) * (0.5 + effects.random());
      await effects.sleep(1000 * pause);
    }
  }
}

/** Returns whether the error means that the host is unknown, the port closed or the certificate not trusted. */
function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // Ports that the platform's fetch blocks have no error code.
  if (cause instanceof Error && cause.message === "bad port") return true;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(
    code,
  );
}

function getOrigin(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

/** True for a fault of this machine, such as a full disk, which a retry does not fix. */
function isLocal(error: unknown): boolean {
  return (
    error instanceof Error &&
    "syscall" in error &&
    "code" in error &&
    /^E(NOSPC|DQUOT|ROFS|ACCES|PERM|FBIG|MFILE|IO)$/.test(String(error.code))
  );
}

/** Requests a file from byte `from` on. Returns a response with status 200, 206 or 416. */
export async function ask(remote: Remote, url: string, from: number): Promise<Response> {
  const response = await follow(remote, url, {
    // Compression would change the bytes and prevent ranges.
    "accept-encoding": "identity",
    ...(from > 0 ? { range: `bytes=${from}-` } : {}),
  });
  remote.respondedOrigins.add(getOrigin(url));
  if (response.status === 200 || response.status === 206 || response.status === 416) return response;
  await response.body?.cancel();
  if (response.status === 429 || response.status === 503) {
    throw new WaitDemanded(retryAfter(response, remote.effects.now()), response.status);
  }
  if (response.status >= 500) throw new Error(`HTTP ${response.status}`);
  throw new FetchRejected(url, `responds with HTTP ${response.status}; check the URL`);
}

/**
 * Sends a request and follows redirects. `fetch` could follow them itself, but would then send the API key to every origin.
 */
async function follow(
  { effects, headers, origin }: Remote,
  first: string,
  requestHeaders: Readonly<Record<string, string>>,
): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const own = URL.parse(url)?.origin === origin ? headers : {};
    const response = await effects.fetch(url, { headers: { ...own, ...requestHeaders }, signal, redirect: "manual" });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    const next = URL.parse(response.headers.get("location") ?? "", url);
    if (next === null || !/^https?:$/.test(next.protocol) || next.username !== "" || next.password !== "")
      throw new FetchRejected(first, "redirects to an invalid URL; check the URL, or ask the publisher");
    if (URL.parse(url)?.protocol === "https:" && next.protocol === "http:")
      throw new FetchRejected(
        first,
        "redirects from https to http, which is not safe; ask the publisher for another URL",
      );
    url = next.href;
  }
  throw new FetchRejected(first, `redirects more than ${MAX_REDIRECTS} times; check the URL, or ask the publisher`);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the seconds to wait from the header Retry-After, which contains a number or a date (RFC 9110, 10.2.3); 1 if it
 * has neither.
 */
function retryAfter(response: Response, now: Date): number {
  const text = response.headers.get("retry-after") ?? "";
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0.1) : 1;
}

/**
 * Returns the text at a URL.
 * @throws FetchRejected if it has more than `most` bytes, or if the server rejects the request
 */
export function textAt(remote: Remote, url: string, most: number): Promise<string> {
  return persist(
    remote,
    url,
    () => 0,
    async () => {
      const response = await ask(remote, url, 0);
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (bytes > most) throw new FetchRejected(url, `has more than ${most} bytes. ${REPORT}`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString("utf8");
    },
  );
}

export interface ReleaseAddress {
  readonly url: string;
  readonly digest: string;
  /** The list of releases that contains this one; null if it was not needed to find the URL. */
  readonly list: ReleaseList | null;
}

type ReleaseList = z.infer<typeof releaseList>;

const RELEASE = /^(.*\/)releases\/sha256(?:-|:|%3a)([0-9a-f]{64})\/?$/i;

/**
 * Splits a URL such as `https://example.org/releases/sha256-80ed…` into the address of the publisher, with a slash at its
 * end, and the digest of the release. The digest is null if the URL does not contain one; then the latest release is meant.
 */
export function readPublisherAddress(text: string): { readonly base: string; readonly digest: string | null } {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FetchRejected(
      text,
      "is not an http or https URL; give the URL of a service or a release, such as https://share.example",
    );
  }
  const plain = `${url.origin}${url.pathname}`;
  const [, before, hex] = RELEASE.exec(plain) ?? [];
  if (before !== undefined && hex !== undefined) return { base: before, digest: `sha256:${hex.toLowerCase()}` };
  return { base: plain.replace(/\/?$/, "/"), digest: null };
}

/**
 * Returns the address of the release with this digest. If `digest` is null, returns the address of the release that the
 * publisher's list shows as active.
 */
export async function releaseAddress(base: string, digest: string | null, remote: Remote): Promise<ReleaseAddress> {
  if (digest !== null) return buildReleaseAddress(`${base}releases/`, digest, null);
  const list = `${base}releases`;
  const releases = await listAt(list, remote);
  const active = releases?.find((release) => release.active);
  if (active === undefined)
    throw new FetchRejected(
      list,
      "does not list an active release; give the URL of a release, which ends with /releases/sha256-… and its digest",
    );
  return buildReleaseAddress(`${list}/`, active.releaseDigest, releases);
}

/**
 * Returns the publisher's list of releases: from the service (`releases`), or from the file beside the releases
 * (`releases.json`); null if there is neither.
 */
export async function listBeside({ url, list }: ReleaseAddress, remote: Remote): Promise<ReleaseList | null> {
  if (list !== null) return list;
  const at = url.replace(/\/sha256-[0-9a-f]{64}$/, "");
  for (const place of [at, `${at}.json`]) {
    const found = await listAt(place, remote).catch((error: unknown) => {
      if (error instanceof FetchRejected) return null;
      throw error;
    });
    if (found !== null) return found;
  }
  return null;
}

/** Returns the list at a URL; null if the response is not a list of releases. */
async function listAt(url: string, remote: Remote): Promise<ReleaseList | null> {
  return releaseList.safeParse(parseJson(await textAt(remote, url, LIST_BYTES))).data ?? null;
}

const LIST_BYTES = 64 * 1024 * 1024;

function buildReleaseAddress(before: string, digest: string, list: ReleaseList | null): ReleaseAddress {
  return { url: `${before}${digest.replace(":", "-")}`, digest, list };
}

export function fileAddress({ url }: ReleaseAddress, path: string): string {
  return `${url}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function parseJson(text: string): z.infer<ReturnType<typeof z.json>> {
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Tells the user what to do if a publisher has a damaged or forged release. */
export const REPORT = "Report this to the publisher, or fetch the release from another address.";

/** Error for an invalid release or a rejected request, for which a retry would fail too. */
export class FetchRejected extends Error {
  readonly code = "ERR_FETCH_REJECTED";
  constructor(url: string, what: string, options?: ErrorOptions) {
    super(`${url} ${what}`, options);
    this.name = "FetchRejected";
  }
}

/** Error for a server that cannot be reached, for example because the URL is wrong. */
class ServerUnreachable extends Error {
  readonly code = "ERR_FETCH_UNANSWERED";
  constructor(url: string, cause: unknown) {
    super(`cannot reach ${url} (${findReason(cause)}). Check the URL, and that the server runs.`, { cause });
    this.name = "FetchUnanswered";
  }
}

/** Error for a download whose connection failed too often. The same command resumes the download. */
class FetchInterrupted extends Error {
  readonly code = "ERR_FETCH_INTERRUPTED";
  constructor(url: string, cause: unknown) {
    super(`cannot download ${url} (${findReason(cause)}). Run the same command again to resume.`, { cause });
    this.name = "FetchInterrupted";
  }
}

/**
 * Returns the message of the innermost cause of an error. `fetch` wraps the cause once, or twice if the host has several
 * addresses.
 */
function findReason(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.cause instanceof Error) return findReason(error.cause);
  return error.message === "" && "code" in error ? error.code : error.message;
}
