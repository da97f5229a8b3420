/** Asking the other side: again after a fault, later when it says so, and never for more than was announced. */

import { z } from "zod";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { releaseList } from "../../schemas/public/api/service.ts";

export interface Remote {
  readonly effects: Pick<Effects, "fetch" | "sleep" | "random" | "now">;
  /** Sent with every request to `origin`, and to no other: they may hold a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly origin: string | null;
  /** Origins that answered before: one that was there comes back, one that never was is mistyped. */
  readonly met: Set<string>;
}

/** One after the other, for one answer. */
const MOST_REDIRECTS = 5;

/** Tries in a row that bring nothing at all. */
const TRIES = 12;
/** Times to come back to one file because the server asked for it. */
const LATERS = 60;
/** Between two tries of ours; a server that names a time is given up to the longer one. */
const LONGEST_PAUSE_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 120;
/** A request that lasts longer is cut and goes on with a range. */
const REQUEST_MILLISECONDS = 120_000;

/** Thrown by `attempt` where the server asks to come back later. */
class ComeBackLater extends Error {
  readonly seconds: number;
  constructor(seconds: number, status: number) {
    super(`HTTP ${status}`);
    this.seconds = seconds;
  }
}

/**
 * Runs `attempt` until it ends well. Faults are followed by longer and longer waits; an attempt that got further than
 * any before, as `progress` tells, begins the count anew. Being asked to come back later is no fault.
 * @throws FetchInterrupted, FetchRefused
 */
export async function persist<T>(
  { effects, met }: Remote,
  url: string,
  progress: () => number,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failed = 0, later = 0, reached = progress(); ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof FetchRefused || isLocal(error)) throw error;
      if (!met.has(originOf(url)) && isNobody(error)) throw new FetchUnanswered(url, error);
      if (error instanceof ComeBackLater && later < LATERS) {
        later += 1;
        await effects.sleep(1000 * Math.min(error.seconds, LONGEST_WAIT_SECONDS));
        continue;
      }
      failed = progress() > reached ? 1 : failed + 1;
      reached = progress();
      if (failed >= TRIES) throw new FetchInterrupted(url, error);
      const pause = Math.min(0.1 * 2 ** (failed - 1), LONGEST_PAUSE_SECONDS) * (0.5 + effects.random());
      await effects.sleep(1000 * pause);
    }
  }
}

/** The system's own word that nobody is there by that name, at that port, or with a certificate to trust. */
function isNobody(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // A port that the platform's fetch never asks has no code.
  if (cause instanceof Error && cause.message === "bad port") return true;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(
    code,
  );
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

/** A full disk here is not mended by asking there again. */
function isLocal(error: unknown): boolean {
  return (
    error instanceof Error &&
    "syscall" in error &&
    "code" in error &&
    /^E(NOSPC|DQUOT|ROFS|ACCES|PERM|FBIG|MFILE|IO)$/.test(String(error.code))
  );
}

/** Asks for `url` from a byte on; answers what came, with 200, 206 or 416. */
export async function ask(remote: Remote, url: string, from: number): Promise<Response> {
  const response = await follow(remote, url, {
    // What is compressed on the way has other bytes, and no ranges.
    "accept-encoding": "identity",
    ...(from > 0 ? { range: `bytes=${from}-` } : {}),
  });
  remote.met.add(originOf(url));
  if (response.status === 200 || response.status === 206 || response.status === 416) return response;
  await response.body?.cancel();
  if (response.status === 429 || response.status === 503) {
    throw new ComeBackLater(retryAfter(response, remote.effects.now()), response.status);
  }
  if (response.status >= 500) throw new Error(`HTTP ${response.status}`);
  throw new FetchRefused(url, `answers HTTP ${response.status}`);
}

/** Redirects are followed by hand: the platform would take a key along to whatever origin it is sent to. */
async function follow(
  { effects, headers, origin }: Remote,
  first: string,
  asked: Readonly<Record<string, string>>,
): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const own = URL.parse(url)?.origin === origin ? headers : {};
    const response = await effects.fetch(url, { headers: { ...own, ...asked }, signal, redirect: "manual" });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    const next = URL.parse(response.headers.get("location") ?? "", url);
    if (next === null || !/^https?:$/.test(next.protocol) || next.username !== "" || next.password !== "")
      throw new FetchRefused(first, "redirects to what is no address");
    if (URL.parse(url)?.protocol === "https:" && next.protocol === "http:")
      throw new FetchRefused(first, "redirects from https to http");
    url = next.href;
  }
  throw new FetchRefused(first, `redirects more than ${MOST_REDIRECTS} times`);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Seconds; a date counts from now (RFC 9110, 10.2.3). */
function retryAfter(response: Response, now: Date): number {
  const text = response.headers.get("retry-after") ?? "";
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0.1) : 1;
}

/** A small text, whole. */
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
        if (bytes > most) throw new FetchRefused(url, `has more than ${most} bytes`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString("utf8");
    },
  );
}

export interface ReleaseAddress {
  /** Ends with `/releases/sha256-<hex>`. */
  readonly url: string;
  readonly digest: string;
  /** The list of releases beside it; null where it was not needed to find the address. */
  readonly list: ReleaseList | null;
}

type ReleaseList = z.infer<typeof releaseList>;

const RELEASE = /^(.*\/releases\/)sha256(?:-|:|%3a)([0-9a-f]{64})\/?$/i;

/** Of a release's own address, or of the service's: then the release that is active there. */
export async function releaseAddress(text: string, remote: Remote): Promise<ReleaseAddress> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FetchRefused(text, "is no http or https address of a service or of a release");
  }
  const plain = `${url.origin}${url.pathname}`;
  const [, before, hex] = RELEASE.exec(plain) ?? [];
  if (before !== undefined && hex !== undefined) return addressOf(before, `sha256:${hex.toLowerCase()}`, null);
  const list = `${plain.replace(/\/$/, "")}/releases`;
  const releases = await listAt(list, remote);
  const active = releases?.find((release) => release.active);
  if (active === undefined) throw new FetchRefused(list, "names no active release; give the address of one");
  return addressOf(`${list}/`, active.releaseDigest, releases);
}

/** The list that a release is in, by its own address: what a service answers, or what lies beside the releases as a file. */
export async function listBeside({ url, list }: ReleaseAddress, remote: Remote): Promise<ReleaseList | null> {
  if (list !== null) return list;
  const at = url.replace(/\/sha256-[0-9a-f]{64}$/, "");
  for (const place of [at, `${at}.json`]) {
    const found = await listAt(place, remote).catch((error: unknown) => {
      if (error instanceof FetchRefused) return null;
      throw error;
    });
    if (found !== null) return found;
  }
  return null;
}

/** Null for what is no list of releases. */
async function listAt(url: string, remote: Remote): Promise<ReleaseList | null> {
  return releaseList.safeParse(jsonOf(await textAt(remote, url, LIST_BYTES))).data ?? null;
}

const LIST_BYTES = 64 * 1024 * 1024;

function addressOf(before: string, digest: string, list: ReleaseList | null): ReleaseAddress {
  return { url: `${before}${digest.replace(":", "-")}`, digest, list };
}

/** The address of a file of a release. */
export function fileAddress({ url }: ReleaseAddress, path: string): string {
  return `${url}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function jsonOf(text: string): z.infer<ReturnType<typeof z.json>> {
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What is offered is no sound release: asking again will not help. */
export class FetchRefused extends Error {
  readonly code = "ERR_FETCH_REFUSED";
  constructor(url: string, what: string, options?: ErrorOptions) {
    super(`${url} ${what}`, options);
    this.name = "FetchRefused";
  }
}

/** Nobody is there: asking again at once will not help, and what was typed may be wrong. */
class FetchUnanswered extends Error {
  readonly code = "ERR_FETCH_UNANSWERED";
  constructor(url: string, cause: unknown) {
    super(`nobody answers at ${url} (${reasonOf(cause)}); is the address right, and is it being served?`, { cause });
    this.name = "FetchUnanswered";
  }
}

/** The connection gave out too often: asking again goes on where this stopped. */
class FetchInterrupted extends Error {
  readonly code = "ERR_FETCH_INTERRUPTED";
  constructor(url: string, cause: unknown) {
    super(`${url} cannot be had (${reasonOf(cause)}); the same command goes on where this one stopped`, { cause });
    this.name = "FetchInterrupted";
  }
}

/** The platform's fetch wraps what went wrong; a name with several addresses wraps it twice, without words. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message === "" && "code" in error ? error.code : error.message;
}
