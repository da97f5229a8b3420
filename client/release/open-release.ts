/** Opens a published release by its address. */

import { type SendingOptions, sending } from "../sending.ts";
import { ReleaseFault } from "./fault.ts";
import { Files } from "./files.ts";
import { PublishedRelease } from "./published-release.ts";
import type { ReleaseKey } from "./signature.ts";
import { heardOf, type KeyStatement } from "./trusted-keys.ts";

export interface ReleaseOptions extends SendingOptions {
  /**
   * Public keys of who publishes: the release has to be signed by one of them, or by its successor, and not by one that was
   * revoked. Without, it is what its manifest says.
   */
  readonly keys?: readonly ReleaseKey[];
  /** What was said of these keys, as far as it is known here: `statements` of a key set that was kept. What lies beside the release is heard too. */
  readonly statements?: readonly KeyStatement[];
}

const RELEASE = /\/releases\/sha256-[0-9a-f]{64}\/$/;

/**
 * A release by the address of its folder, or the one in use by the address that was published to: a folder or a bucket over
 * HTTP that answers ranges.
 *
 * @throws ReleaseFault where there is none, or no key of those given signed it
 */
export async function openRelease(url: string | URL, options: ReleaseOptions = {}): Promise<PublishedRelease> {
  const send = sending(options);
  const given = new URL(url);
  given.search = "";
  given.hash = "";
  const place = given.href.replace(/\/*$/, "/");
  const folder = RELEASE.test(place) ? place : await releaseInUse(place, send);
  const release = new PublishedRelease(folder, new Files(folder, send));
  const { keys, statements = [] } = options;
  if (keys === undefined) return release;
  const trust = await heardOf(keys, [statements, await statementsBeside(folder, send)]);
  if (trust.fault !== null) throw new ReleaseFault(folder, `cannot be told to be theirs: ${trust.fault}`);
  await release.requireSignature(trust.keys);
  return release;
}

/**
 * Where the key set lies beside releases that were published as files, and where a service answers it: in this order, since a
 * browser takes a bucket's 404 without CORS headers for a failed connection, and a service has them on its own.
 */
const KEY_SETS = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

async function statementsBeside(folder: string, send: ReturnType<typeof sending>): Promise<readonly unknown[]> {
  const place = folder.replace(/releases\/sha256-[0-9a-f]{64}\/$/, "");
  for (const path of KEY_SETS) {
    const set: { statements?: unknown } | null = await jsonAt(`${place}${path}`, send);
    if (set !== null) return Array.isArray(set.statements) ? set.statements : [];
  }
  return [];
}

/** `current` is a link in a folder, and in a bucket an object that names the release (docs/packs.md). */
async function releaseInUse(place: string, send: ReturnType<typeof sending>): Promise<string> {
  const pointer = await jsonAt(`${place}current`, send);
  const { folder, releaseDigest }: { folder?: unknown; releaseDigest?: unknown } =
    pointer ?? (await jsonAt(`${place}current/release.json`, send)) ?? {};
  const named = typeof folder === "string" ? folder : `releases/${String(releaseDigest).replace(":", "-")}`;
  if (!RELEASE.test(`/${named}/`)) throw new ReleaseFault(`${place}current`, "leads to no release");
  return `${place}${named}/`;
}

/** Null where there is no such object. */
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
