/** Compares normalising with its floor: as many workers that only read the same parts and parse their JSON. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { normalise } from "../pipeline/2-normalise/index.ts";
import { runPool } from "../pipeline/stage/worker-pool.ts";
import { listParts } from "../pipeline/store/raw-parts.ts";
import { BENCH_FOLDER, prepareCorpus } from "./corpus.ts";
import type { Figure } from "./measure.ts";
import { median, silent, timed } from "./measure.ts";

const RECORDS = 200_000;
const THREADS = 2;
const RUNS = 3;

export async function benchNormalise(): Promise<Figure[]> {
  const store = await prepareCorpus(RECORDS);
  const tasks = await listParts(store.raw("datacite"));
  const floor: number[] = [];
  const ours: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    floor.push(
      await timed(() => runPool(new URL("./floor-parse.ts", import.meta.url), tasks, THREADS, () => undefined)),
    );
    const folder = join(BENCH_FOLDER, "normalise");
    await rm(folder, { recursive: true, force: true });
    const options = { sources: ["datacite"], asOf: "2026-11-01", threads: THREADS, memory: "512MB", citations: null };
    ours.push(await timed(() => normalise(store, folder, options, silent)));
    await rm(folder, { recursive: true, force: true });
  }
  const ratio = median(floor) / median(ours);
  return [
    {
      name: "normalise, speed against read + JSON.parse",
      ratio,
      goal: "≥ 0.35",
      met: ratio >= 0.35,
      detail: `${RECORDS} records, ${THREADS} workers: floor ${median(floor).toFixed(2)} s, normalise ${median(ours).toFixed(2)} s, ${Math.round(RECORDS / median(ours))} records/s`,
    },
  ];
}
