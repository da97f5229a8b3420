/** The entry `share-release-client/release`: published releases without a server. */

import { type SendingOptions, sending } from "../sending.ts";
import { Files, ReleaseFault } from "./files.ts";
import { PublishedRelease } from "./published-release.ts";
import type { ReleaseKey } from "./signature.ts";

export { ReleaseFault } from "./files.ts";
export type { PublishedRelease, VersionOptions } from "./published-release.ts";
export type { ReleaseKey } from "./signature.ts";

export interface ReleaseOptions extends SendingOptions {
  /**
   * Public keys of the publisher. One of them must have signed the release. A key that is revoked here, or in the key set
   * beside the release, does not count. Without keys, only the manifest and the digests are verified.
   */
  readonly keys?: readonly ReleaseKey[];
}

const RELEASE = /\/releases\/sha256-[0-9a-f]{64}\/$/;

/**
 * Opens a release by the URL of its folder, or the active one by the URL of the target: a folder or a bucket over HTTP
 * with range requests.
 *
 * @throws ReleaseFault if there is none, or none of the keys signed it
 */
export async function openRelease(url: string | URL, options: ReleaseOptions = {}): Promise<PublishedRelease> {
  const send = sending(options);
  const parsedUrl = new URL(url);
  parsedUrl.search = "";
  parsedUrl.hash = "";
  const place = parsedUrl.href.replace(/\/*$/, "/");
  const folder = RELEASE.test(place) ? place : await releaseInUse(place, send);
  const release = new PublishedRelease(folder, new Files(folder, send));
  const { keys } = options;
  if (keys === undefined) return release;
  const revoked = await revokedKeys(folder, send);
  await release.requireSignature(keys.map((key) => ({ ...key, revoked: key.revoked ?? revoked.get(key.kid) })));
  return release;
}

/**
 * Paths of the key set, beside published files and at a service. The order matters: in a browser, a bucket's 404 without
 * CORS headers looks like a failed connection. A service always sends these headers.
 */
const KEY_SETS = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

interface KeySet {
  readonly keys?: readonly ReleaseKey[];
  /** Statements of earlier versions. Revocations in them still count. */
  readonly statements?: readonly { readonly statement: string; readonly kid: string; readonly since?: string }[];
}

/** Returns the revoked keys with their dates. */
async function revokedKeys(folder: string, send: ReturnType<typeof sending>): Promise<ReadonlyMap<string, string>> {
  const place = folder.replace(/releases\/sha256-[0-9a-f]{64}\/$/, "");
  for (const path of KEY_SETS) {
    const set: KeySet | null = await jsonAt(`${place}${path}`, send);
    if (set === null) continue;
    const { keys = [], statements = [] } = set;
    return new Map([
      ...keys.flatMap(({ kid, revoked }): [string, string][] => (revoked === undefined ? [] : [[kid, revoked]])),
      ...statements.flatMap(({ kid, since }): [string, string][] => (since === undefined ? [] : [[kid, since]])),
    ]);
  }
  return new Map();
}

/**
 * Returns the active release. In a folder `current` is a link; in a bucket it is an object that names the release
 * (docs/packs.md).
 */
async function releaseInUse(place: string, send: ReturnType<typeof sending>): Promise<string> {
  const pointer = await jsonAt(`${place}current`, send);
  const { folder, releaseDigest }: { folder?: unknown; releaseDigest?: unknown } =
    pointer ?? (await jsonAt(`${place}current/release.json`, send)) ?? {};
  const named = typeof folder === "string" ? folder : `releases/${String(releaseDigest).replace(":", "-")}`;
  if (!RELEASE.test(`/${named}/`)) throw new ReleaseFault(`${place}current`, "does not name a release");
  return `${place}${named}/`;
}

/** Returns null if the object does not exist. */
async function jsonAt(url: string, send: ReturnType<typeof sending>): Promise<object | null> {
  const response = await send(new Request(url));
  const text = await response.text();
  if (!response.ok) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
