/**
 * Compares builds of 20,000 and 200,000 records: the time for a record and the peak memory must not grow with the
 * corpus.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Store } from "../pipeline/store/store.ts";
import { prepareCorpus } from "./corpus.ts";
import type { Figure } from "./measure.ts";

const SMALL = 20_000;
const LARGE = 200_000;
const GIBIBYTE = 2 ** 30;

interface Built {
  readonly seconds: number;
  readonly bytes: number;
  readonly stages: Readonly<Record<string, number>>;
}

/** Measures builds of two sizes. Leaves the large release in place, because the benchmark of rendering needs it. */
export async function benchBuild(): Promise<Figure[]> {
  const small = await built(SMALL);
  const large = await built(LARGE);
  const cost = large.seconds / LARGE / (small.seconds / SMALL);
  const growth = large.bytes / small.bytes;
  const mebibytes = (value: Built) => `${Math.round(value.bytes / 2 ** 20)} MiB`;
  const stages = Object.entries(large.stages).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`);
  return [
    {
      name: "build, time for each of 200,000 records against each of 20,000",
      ratio: cost,
      goal: "≤ 1.2",
      met: cost <= 1.2,
      detail: `${LARGE} records in ${large.seconds.toFixed(1)} s (${stages.join(", ")}); ${SMALL} in ${small.seconds.toFixed(1)} s`,
    },
    {
      name: "build of 200,000 records, peak memory against 2 GiB",
      ratio: large.bytes / (2 * GIBIBYTE),
      goal: "≤ 1",
      met: large.bytes <= 2 * GIBIBYTE,
      detail: mebibytes(large),
    },
    {
      name: "build of 200,000 records, peak memory against that of 20,000",
      ratio: growth,
      goal: "≤ 1.3",
      met: growth <= 1.3,
      detail: `${mebibytes(large)} against ${mebibytes(small)}`,
    },
  ];
}

/** Returns the seconds of a full build, whose release stays in the store. */
export async function buildSeconds(records: number): Promise<number> {
  return (await built(records)).seconds;
}

async function built(records: number): Promise<Built> {
  const store = await prepareCorpus(records);
  for (const left of ["releases", "current", "work"])
    await rm(join(store.root, left), { recursive: true, force: true });
  return buildIn(store);
}

async function buildIn(store: Store): Promise<Built> {
  const child = fileURLToPath(new URL("./build-child.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, store.root]);
  return JSON.parse(stdout) as Built;
}

/** Returns the store of a corpus that has a release. The release is built if the store has none. */
export async function prepareReleasedCorpus(records: number): Promise<Store> {
  const store = await prepareCorpus(records);
  if (!existsSync(store.current)) await buildIn(store);
  return store;
}
