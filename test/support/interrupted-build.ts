/** What must hold after a build was killed, and after the same build was run again. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import type { Store } from "../../pipeline/store/store.ts";
import { verify } from "../../releases/verify/index.ts";
import { AS_OF } from "./bundled-corpus.ts";
import { recordedEffects } from "./effects.ts";
import { type ReleaseContent, releaseContent } from "./release-content.ts";
import { currentOf, watchedBuild } from "./watched-build.ts";

/** Of the build that is killed and of the one that goes on. */
export const BUILD = ["--as-of", AS_OF, "--threads", "2"] as const;

/** The state an interrupted build started from, and what it comes to when nobody interrupts it. */
export interface Expected {
  /** What `current` led to before: a digest, or `absent`. */
  readonly before: string;
  /** The release of that digest, which verifies; null where there is none. */
  readonly older: ReleaseContent | null;
  /** The new release, which verifies. */
  readonly content: ReleaseContent;
}

/** `current` is as it was or already the new release, and where it leads, the release is the one that verifies. */
export async function expectWhole(store: Store, expected: Expected): Promise<void> {
  const current = await currentOf(store);
  const { before, older, content } = expected;
  expect([before, content.receipt.releaseDigest]).toContain(current);
  if (current !== "absent")
    expect(await releaseContent(store.release(current))).toEqual(current === before ? older : content);
}

/** The same build again: the same digest and files, nothing left over, and never a moment without a whole release. */
export async function expectGoesOn(store: Store, expected: Expected): Promise<void> {
  const before = await currentOf(store);
  const again = await watchedBuild(store, BUILD);
  const digest = expected.content.receipt.releaseDigest;
  expect({ exitCode: again.exitCode, currents: again.currents }).toEqual({
    exitCode: 0,
    currents: before === digest ? [digest] : [before, digest],
  });
  expect(await releaseContent(store.release(digest))).toEqual(expected.content);
  await expectNothingLeft(store, expected);
}

/** What the release says; it has all that its manifest lists, and not one finding against it. */
export async function verifiedContent(store: Store, digest: string): Promise<ReleaseContent> {
  const settings = { threads: 2, memory: "512MB", rescore: false };
  expect((await verify(store, digest, settings, recordedEffects())).findings).toEqual([]);
  const content = await releaseContent(store.release(digest));
  expect(content.listed).toBe(true);
  return content;
}

/** No work/, no half-made link, no release but those that were asked for. */
async function expectNothingLeft(store: Store, { before, content }: Expected): Promise<void> {
  expect(existsSync(store.work(""))).toBe(false);
  expect((await readdir(store.root)).sort()).toEqual(["current", "journal.ndjson", "raw", "releases"]);
  const digests = [content.receipt.releaseDigest, ...(before === "absent" ? [] : [before])];
  expect((await readdir(store.releases)).sort()).toEqual(digests.map((digest) => digest.replace(":", "-")).sort());
}
