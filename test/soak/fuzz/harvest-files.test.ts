/** Fuzz test of recorded responses and dumps: a harvest reads any file to its end, and stage 2 reads the stored payloads. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { harvestFiles } from "../../../pipeline/1-harvest/index.ts";
import { CaptureRows, captureLists } from "../../../pipeline/2-normalise/rows.ts";
import { sourceNamed } from "../../../pipeline/sources/index.ts";
import { readEnvelopes, readRejections, testEffects } from "../../harvest/bench-store.ts";
import { AS_OF, vocabularies } from "../../sources/fragment.ts";
import { makeTar, makeZip } from "../../support/archives.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { samples } from "./corpus.ts";
import type { Dice } from "./dice.ts";
import { mutated } from "./mutated.ts";
import { FUZZ_TIME, playRounds } from "./rounds.ts";

const SAMPLES = samples();
const ALL = SAMPLES.map(({ bytes }) => bytes);

/** Returns the bytes as they are or packed as in dumps. Half of the results are damaged after packing. */
function packed(bytes: Buffer, name: string, dice: Dice): { name: string; bytes: Buffer } {
  const ways = [
    () => ({ name, bytes }),
    () => ({ name: `${name}.gz`, bytes: gzipSync(bytes) }),
    () => ({ name: `${name}.zst`, bytes: zstdCompressSync(bytes) }),
    () => ({
      name: "dump.tar",
      bytes: makeTar([
        { name, bytes },
        { name: "other.json", bytes: dice.of(ALL) },
      ]),
    }),
    () => ({ name: "dump.tar.gz", bytes: gzipSync(makeTar([{ name, bytes: gzipSync(bytes) }])) }),
    () => ({
      name: "dump.zip",
      bytes: makeZip(
        [
          { name, bytes },
          { name: "other.json", bytes: dice.of(ALL) },
        ],
        { large: dice.oneIn(2), stored: dice.oneIn(2) },
      ),
    }),
  ];
  const made = dice.of(ways)();
  return dice.oneIn(2) ? { ...made, bytes: mutated(made.bytes, dice, ALL) } : made;
}

test("a harvest reads any file to its end, and stage 2 makes rows of its payloads", {
  timeout: FUZZ_TIME,
}, async () => {
  await using bench = await temporaryStore();
  const asked: unknown[] = [];
  const sleep = (milliseconds: number) => wait(milliseconds);
  const offSite = { ...testEffects(), sleep, fetch: async (input: unknown) => Promise.reject(asked.push(input)) };
  let kept = 0;
  let rejected = 0;
  await playRounds(async (dice, _round, unblocked) => {
    const sample = dice.of(SAMPLES);
    const source = sourceNamed(sample.source);
    if (source === null) throw new Error(`there is no source ${sample.source}`);
    const { name, bytes } = packed(mutated(sample.bytes, dice, ALL), sample.name, dice);
    const folder = join(bench.folder, "input");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), bytes);
    const options = { paths: [folder], retrievedAt: null, limit: null };
    const summary = await unblocked(() => harvestFiles(bench.store, source, options, offSite));
    const envelopes = await readEnvelopes(bench.store, source.name);
    expect(envelopes.length).toBe(summary.records);
    const lists = captureLists();
    const rows = new CaptureRows(lists, source, 0, { asOf: AS_OF, vocabularies });
    for (const envelope of envelopes) rows.add(JSON.stringify(envelope));
    expect(lists.capture.rows.length).toBe(envelopes.length);
    kept += envelopes.length;
    rejected += (await readRejections(bench.store, source.name)).length;
    await rm(bench.folder, { recursive: true });
  });
  expect(asked).toEqual([]);
  // The test took both paths.
  expect(kept).toBeGreaterThan(0);
  expect(rejected).toBeGreaterThan(0);
});
