/**
 * Compares verifying a release with its floor, the least possible work: a loop that reads, inflates and hashes the same
 * files.
 */

import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { readPackPath } from "../pipeline/packs/format.ts";
import { PackReader, packCache } from "../pipeline/packs/pack-reader.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { verifyFolder } from "../releases/verify/index.ts";
import { type ManifestLine, manifestLine } from "../schemas/public/release.ts";
import { buildSeconds } from "./build.ts";
import { prepareCorpus, storeBeside } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { measureProcessorSeconds, median, silent, timed } from "./measure.ts";

const RECORDS = 200_000;
const SETTINGS = { threads: 2, memory: "256MB" };

/**
 * Number of records if processor time is measured. Other work on the machine hardly affects it, so a small release is
 * enough.
 */
const FEW_RECORDS = 20_000;

/**
 * Measures the verification of a release, with and without a rebuild. Builds the release itself, so that one run
 * measures everything.
 */
export async function benchVerify(): Promise<Figure[]> {
  await buildSeconds(RECORDS);
  const store = await prepareCorpus(RECORDS);
  const digest = await currentDigest(store);
  if (digest === null) throw new Error(`the build left no release in ${store.root}; its output has the reason`);
  const folder = store.release(digest);
  const rounds = { floor: [0], ours: [0] };
  for (let round = 0; round < 3; round += 1) {
    rounds.floor[round] = await timed(() => bareLoop(folder));
    rounds.ours[round] = await timed(() => verified(folder, digest));
  }
  const [floor, ours] = [median(rounds.floor), median(rounds.ours)];
  return [
    {
      name: "verify, time against reading, inflating and hashing the same bytes",
      ratio: ours / floor,
      goal: "≤ 2",
      met: ours <= 2 * floor,
      detail: `${RECORDS} records: bare loop ${floor.toFixed(1)} s, verify ${ours.toFixed(1)} s`,
    },
    await benchRebuild(),
  ];
}

/**
 * Runs a build and `release verify --rebuild` as commands, and compares the processor seconds of all their processes.
 */
async function benchRebuild(): Promise<Figure> {
  const store = await storeBeside(await prepareCorpus(FEW_RECORDS), "rebuilt");
  try {
    const built = await measureProcessorSeconds(["build", "--as-of", "2026-11-01", "--store", store.root]);
    const rebuilt = await measureProcessorSeconds(["release", "verify", "--rebuild", "--store", store.root]);
    return {
      name: "verify --rebuild, processor time against the build that made the release",
      ratio: rebuilt / built,
      goal: "≤ 1.3",
      met: rebuilt <= 1.3 * built,
      detail: `${FEW_RECORDS} records: build ${built.toFixed(1)} s, verify --rebuild ${rebuilt.toFixed(1)} s`,
    };
  } finally {
    await rm(store.root, { recursive: true, force: true });
  }
}

async function verified(folder: string, digest: string): Promise<void> {
  const result = await verifyFolder(folder, digest, SETTINGS, silent);
  if (result?.findings.length !== 0)
    throw new Error(`${folder} fails the verification; \`share-release release verify\` lists the findings`);
}

async function bareLoop(folder: string): Promise<void> {
  const lines = (await readFile(join(folder, "manifest.ndjson"), "utf8")).trimEnd().split("\n");
  for (const line of lines.map((text) => manifestLine.parse(JSON.parse(text)))) {
    const digest = createHash("sha256");
    for await (const chunk of createReadStream(join(folder, line.path), { highWaterMark: 1 << 20 }))
      digest.update(chunk);
    digest.digest();
    if (readPackPath(line.path) !== null) inflateAll(folder, line);
  }
}

function inflateAll(folder: string, { path, index }: ManifestLine): void {
  const reader = PackReader.open(join(folder, path), packCache(1), index ?? null);
  let end = -1;
  for (const { frame } of reader.frames()) {
    if (frame.offset <= end) continue;
    end = frame.offset;
    hash("sha256", zstdDecompressSync(reader.packed(frame)));
  }
  reader.close();
}
