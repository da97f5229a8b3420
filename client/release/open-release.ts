/** Opens a published release by its address. */

import { type SendingOptions, sending } from "../sending.ts";
import { ReleaseFault } from "./fault.ts";
import { Files } from "./files.ts";
import { PublishedRelease } from "./published-release.ts";
import type { ReleaseKey } from "./signature.ts";

export interface ReleaseOptions extends SendingOptions {
  /** Public keys of who publishes: the release has to be signed by one of them. Without, it is what its manifest says. */
  readonly keys?: readonly ReleaseKey[];
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
  if (options.keys !== undefined) await release.requireSignature(options.keys);
  return release;
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
