/** Checks a store after a build was killed, and after the same build has run again. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import type { Store } from "../../pipeline/store/store.ts";
import { verify } from "../../releases/verify/index.ts";
import { AS_OF } from "./bundled-corpus.ts";
import { recordedEffects } from "./effects.ts";
import { type ReleaseContent, releaseContent } from "./release-content.ts";
import { describeCurrent, watchedBuild } from "./watched-build.ts";

/** Options of the build that is killed, and of the build that resumes it. */
export const BUILD = ["--as-of", AS_OF, "--threads", "2"] as const;

/** The state before a build is interrupted, and the result of a build without interruption. */
export interface Expected {
  /** The target of `current` before the build: a digest, or `absent`. */
  readonly before: string;
  /** The content of the release that `before` names, which must verify; null if there is no such release. */
  readonly older: ReleaseContent | null;
  /** The content of the new release, which must verify. */
  readonly content: ReleaseContent;
}

/** Expects that `current` still names the old release or already the new one, and that this release verifies. */
export async function expectWhole(store: Store, expected: Expected): Promise<void> {
  const current = await describeCurrent(store);
  const { before, older, content } = expected;
  expect([before, content.receipt.releaseDigest]).toContain(current);
  if (current !== "absent")
    expect(await releaseContent(store.release(current))).toEqual(current === before ? older : content);
}

/**
 * Runs the same build again. Expects the same digest and files, no leftovers, and a complete release in `current` at every
 * moment.
 */
export async function expectGoesOn(store: Store, expected: Expected): Promise<void> {
  const before = await describeCurrent(store);
  const again = await watchedBuild(store, BUILD);
  const digest = expected.content.receipt.releaseDigest;
  expect({ exitCode: again.exitCode, currents: again.currents }).toEqual({
    exitCode: 0,
    currents: before === digest ? [digest] : [before, digest],
  });
  expect(await releaseContent(store.release(digest))).toEqual(expected.content);
  await expectNothingLeft(store, expected);
}

/** Returns the content of a release. Expects that it has all files of its manifest, and that verification has no findings. */
export async function verifiedContent(store: Store, digest: string): Promise<ReleaseContent> {
  const settings = { threads: 2, memory: "512MB" };
  expect((await verify(store, digest, settings, recordedEffects())).findings).toEqual([]);
  const content = await releaseContent(store.release(digest));
  expect(content.listed).toBe(true);
  return content;
}

/** Expects that only the given releases are left, without a folder work/ and without an incomplete link. */
async function expectNothingLeft(store: Store, { before, content }: Expected): Promise<void> {
  expect(existsSync(store.work(""))).toBe(false);
  expect((await readdir(store.root)).sort()).toEqual(["current", "journal.ndjson", "raw", "releases"]);
  const digests = [content.receipt.releaseDigest, ...(before === "absent" ? [] : [before])];
  expect((await readdir(store.releases)).sort()).toEqual(digests.map((digest) => digest.replace(":", "-")).sort());
}
