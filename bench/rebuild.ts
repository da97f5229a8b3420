/**
 * Compares the build after a change of 1 % of the records, which reuses the last build, with a full build of the same
 * payloads.
 */

import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { listParts, nextPartNumber, PartWriter, readLines } from "../pipeline/store/raw-parts.ts";
import type { Store } from "../pipeline/store/store.ts";
import { removeWork } from "../pipeline/store/store.ts";
import { buildAndActivate, type ReleaseResult } from "../releases/activate.ts";
import { envelope } from "../schemas/internal/rows.ts";
import { BUILD, prepareCorpus, storeBeside } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { silent } from "./measure.ts";

const RECORDS = 200_000;
/** One record in this number of records changes. */
const NTH = 100;
const GOAL = 0.25;

/**
 * Measures a build after one percent of the records changed. It uses stores of its own, and removes them afterwards.
 */
export async function benchRebuild(records = RECORDS): Promise<Figure[]> {
  const corpus = await prepareCorpus(records);
  const [cheap, full] = [await storeBeside(corpus, "rebuild-cheap"), await storeBeside(corpus, "rebuild-full")];
  try {
    await timedBuild(cheap, "always");
    for (const store of [cheap, full]) await harvestChanged(store);
    const rebuilt = await timedBuild(cheap, "always");
    const built = await timedBuild(full, "never");
    const ratio = rebuilt.seconds / built.seconds;
    const same = rebuilt.receipt.releaseDigest === built.receipt.releaseDigest;
    const { pages, renderedPages } = rebuilt.reused;
    return [
      {
        name: `rebuild after a change of 1 % of ${records.toLocaleString("en")} records, against a full build`,
        ratio,
        goal: `≤ ${GOAL}, same digest`,
        met: same && ratio <= GOAL,
        detail: `${rebuilt.seconds.toFixed(1)} s against ${built.seconds.toFixed(1)} s, ${same ? "the same" : "another"} digest; ${pages} pages linked, ${renderedPages} rendered`,
      },
    ];
  } finally {
    for (const store of [cheap, full]) await rm(store.root, { recursive: true, force: true });
  }
}

/**
 * Writes another raw part with every hundredth record, retrieved a day later with another title and two more keywords.
 */
async function harvestChanged(store: Store): Promise<void> {
  const folder = store.raw("datacite");
  const parts = await listParts(folder);
  const changed = new PartWriter(folder, await nextPartNumber(folder));
  let place = 0;
  for (const { path } of parts) {
    for await (const line of readLines(path)) {
      if (place % NTH === 0) await changed.write(JSON.stringify(changedCapture(line)));
      place += 1;
    }
  }
  await changed.seal();
  await changed.publish();
}

function changedCapture(line: string) {
  const before = envelope.parse(JSON.parse(line));
  const payload = before.payload
    .replace('"titles":[{"title":"', "$&Revised: ")
    .replace('"subjects":[', '$&{"subject":"revision"},{"subject":"erratum"},')
    .replace(",]", "]");
  return { ...before, payload, payloadDigest: hash("sha256", payload), retrievedAt: "2026-11-01T00:00:00.000Z" };
}

async function timedBuild(store: Store, reuse: "always" | "never"): Promise<ReleaseResult & { seconds: number }> {
  const start = performance.now();
  // Gates check that the corpus was harvested completely, which is not measured here.
  const result = await buildAndActivate(store, { ...BUILD, reuse, force: "a benchmark" }, silent);
  const seconds = (performance.now() - start) / 1000;
  await removeWork(store);
  return { ...result, seconds };
}
