/** The entry `share-release-client/release`: published releases without a server. */

import { type SendingOptions, sending } from "../sending.ts";
import { Files, ReleaseFault, readResponseBody } from "./files.ts";
import { PublishedRelease, RECEIPT_BYTES, type ReleaseHead } from "./published-release.ts";
import { type ReleaseKey, signatureFault } from "./signature.ts";

export { ReleaseFault } from "./files.ts";
export type { PublishedRelease, ReleaseHead, VersionOptions } from "./published-release.ts";
export type { ReleaseKey } from "./signature.ts";

export interface ReleaseOptions extends SendingOptions {
  /**
   * Public keys of the publisher, of which one must have signed the release. A key does not count if it is revoked here, or in
   * the key set beside the release. Without keys, only the manifest and the digests are verified, so an older release could be
   * presented as the latest.
   */
  readonly keys?: readonly ReleaseKey[];
  /** `head.sequence` of the last release that you opened. A head with a lower number is rejected, because it is an old copy. */
  readonly lastSequence?: number;
  /** True to accept a head that is missing, has expired, or has a lower number than `lastSequence`. */
  readonly allowOlder?: boolean;
}

const RELEASE = /\/releases\/sha256-[0-9a-f]{64}\/$/;

/**
 * Opens one release by the URL of its folder, or the active release by the URL where a publisher has its releases. That is
 * a folder or a bucket that supports range requests over HTTP.
 * @throws ReleaseFault if there is no release, if none of the keys signed it, or if the head of the publisher is missing or
 * old
 */
export async function openRelease(url: string | URL, options: ReleaseOptions = {}): Promise<PublishedRelease> {
  const send = sending(options);
  const parsedUrl = new URL(url);
  parsedUrl.search = "";
  parsedUrl.hash = "";
  const place = parsedUrl.href.replace(/\/*$/, "/");
  const named = RELEASE.exec(place);
  const { keys } = options;
  if (keys === undefined) {
    const folder = named === null ? await releaseInUse(place, send) : place;
    return new PublishedRelease(folder, new Files(folder, send));
  }
  const base = place.slice(0, named === null ? undefined : named.index + 1);
  const set = await keySetBelow(base, send);
  const revoked = revokedKeys(set);
  const trusted = keys.map((key) => ({ ...key, revoked: key.revoked ?? revoked.get(key.kid) }));
  const head = await trustedHead(base, set, trusted, { ...options, isLatest: named === null });
  const latest = head === null ? null : `${base}releases/${head.releaseDigest.replace(":", "-")}/`;
  const folder = named === null ? (latest ?? (await releaseInUse(place, send))) : place;
  const release = new PublishedRelease(folder, new Files(folder, send), head);
  await release.requireSignature(trusted);
  return release;
}

/**
 * Returns the head, which is the publisher's statement about its latest release, if one of the keys signed it; otherwise
 * null. Unless `allowOlder` is set, rejects a head that is needed but missing or not signed, one with a lower number than
 * `lastSequence`, and, for the latest release, an expired one.
 */
async function trustedHead(
  base: string,
  { head }: KeySet,
  keys: readonly ReleaseKey[],
  { isLatest, lastSequence = 0, allowOlder = false }: ReleaseOptions & { readonly isLatest: boolean },
): Promise<ReleaseHead | null> {
  const fault = head === undefined ? "is missing" : await signatureFault({ ...head }, keys, "share-release-head");
  const signed = head === undefined || fault !== null ? null : head;
  const old = signed === null ? null : ageFault(signed, { isLatest, lastSequence });
  const isNeeded = isLatest || lastSequence > 0 || head !== undefined;
  if (isNeeded && !allowOlder && (fault ?? old) !== null)
    throw new ReleaseFault(`the head of ${base}`, `${fault ?? old}, so this copy may be old; allowOlder accepts it`);
  return signed;
}

function ageFault(
  { sequence, expiresAt }: ReleaseHead,
  { isLatest, lastSequence }: { readonly isLatest: boolean; readonly lastSequence: number },
): string | null {
  if (sequence < lastSequence) return `is older (number ${sequence}) than one that was seen before (${lastSequence})`;
  return isLatest && Date.parse(expiresAt) < Date.now() ? `expired at ${expiresAt}` : null;
}

/**
 * Paths of the key set, first at published files, then at a service. The order matters in a browser: a bucket's 404 without
 * CORS headers looks like a failed connection, while a service always sends these headers.
 */
const KEY_SETS = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

/** Maximum bytes of a key set, which suffice for thousands of keys, and of the object that names the active release. */
const [KEY_SET_BYTES, POINTER_BYTES] = [1024 * 1024, 64 * 1024];

interface KeySet {
  readonly keys?: readonly ReleaseKey[];
  readonly head?: ReleaseHead;
  /** Statements on keys by earlier versions of the program. Revocations in them still count. */
  readonly statements?: readonly { readonly statement: string; readonly kid: string; readonly since?: string }[];
}

async function keySetBelow(base: string, send: ReturnType<typeof sending>): Promise<KeySet> {
  for (const path of KEY_SETS) {
    const set: KeySet | null = await jsonAt(`${base}${path}`, KEY_SET_BYTES, send);
    if (set !== null) return set;
  }
  return {};
}

/** Returns the revoked keys with their dates. */
function revokedKeys({ keys = [], head, statements = [] }: KeySet): ReadonlyMap<string, string> {
  return new Map([
    ...[...keys, ...(head?.keys ?? [])].flatMap(({ kid, revoked }): [string, string][] =>
      revoked === undefined ? [] : [[kid, revoked]],
    ),
    ...statements.flatMap(({ kid, since }): [string, string][] => (since === undefined ? [] : [[kid, since]])),
  ]);
}

/**
 * Returns the URL of the active release at a publisher. `current` leads to this release: in a folder it is a link, and in a
 * bucket an object that names the release (docs/packs.md).
 */
async function releaseInUse(place: string, send: ReturnType<typeof sending>): Promise<string> {
  const pointer = await jsonAt(`${place}current`, POINTER_BYTES, send);
  const { folder, releaseDigest }: { folder?: unknown; releaseDigest?: unknown } =
    pointer ?? (await jsonAt(`${place}current/release.json`, RECEIPT_BYTES, send)) ?? {};
  const named = typeof folder === "string" ? folder : `releases/${String(releaseDigest).replace(":", "-")}`;
  if (!RELEASE.test(`/${named}/`))
    throw new ReleaseFault(
      `${place}current`,
      "does not name a release; give the URL of a service or of published files",
    );
  return `${place}${named}/`;
}

/**
 * Returns the JSON object at a URL; null if it does not exist or is not JSON. @throws ReleaseFault if it is longer than
 * `most` bytes
 */
async function jsonAt(url: string, most: number, send: ReturnType<typeof sending>): Promise<object | null> {
  const response = await send(new Request(url));
  if (!response.ok) {
    await response.body?.cancel();
    return null;
  }
  const bytes = await readResponseBody(response, most, url);
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
