/**
 * Normalising by itself: a slice of the raw parts, on any machine that sees the store, kept for the build that follows. A
 * slice needs nothing of another one, so that as many machines can take one each as there are.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { NORMALISE_WORKER, partTasks, shareOf } from "../../pipeline/2-normalise/part-tasks.ts";
import type { NormaliseTask, PartDone } from "../../pipeline/2-normalise/worker.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { runPool } from "../../pipeline/stage/worker-pool.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { requireHarvested } from "../build/harvested.ts";
import { programDigest } from "../build/program-digest.ts";
import { keptPartsIn } from "../build/reuse.ts";

/** The parts in one of `count` shares. */
export interface Slice {
  readonly index: number;
  readonly count: number;
}

export interface NormaliseRequest {
  readonly sources: readonly string[];
  /** True where the sources were named: each of them has to have something then. */
  readonly named: boolean;
  /** The day that the build is to be of: where embargoes were judged by another one, a part is normalised again. */
  readonly asOf: string;
  readonly slice: Slice;
  readonly threads: number;
  /** A folder of this machine that nobody else uses; it is removed at the end. */
  readonly scratch: string;
}

export interface Normalised {
  readonly slice: Slice;
  /** Raw parts of this slice, and of all. */
  readonly parts: number;
  readonly all: number;
  /** Of this slice those that were kept already. */
  readonly kept: number;
  /** Bytes of its payloads, as they lie in the store. */
  readonly bytes: number;
}

/**
 * Normalises the parts of a slice that are not kept yet. It may run beside a build, a harvest and itself: what is kept of a
 * part is whole or not there.
 * @throws NothingHarvested
 */
export async function normaliseSlice(store: Store, request: NormaliseRequest, effects: Effects): Promise<Normalised> {
  const { sources, asOf, slice, scratch } = request;
  try {
    await requireHarvested(store, sources, request.named);
    const cache = keptPartsIn(store, await programDigest());
    const all = await partTasks(store, join(scratch, "captures"), { sources, asOf, cache });
    // By its number, which stays: a part that comes while slices are at work moves no other one.
    const tasks = all.filter((task) => shareOf(task, slice.count) === slice.index);
    const bytes = tasks.reduce((sum, task) => sum + task.bytes, 0);
    let read = 0;
    const done = await runPool<NormaliseTask, PartDone>(NORMALISE_WORKER, tasks, request.threads, (task) => {
      read += task.bytes;
      effects.progress({ stage: "normalise", step: "payloads", done: read, total: bytes, unit: "bytes" });
    });
    const kept = done.filter((part) => part.kept).length;
    return { slice, parts: tasks.length, all: all.length, kept, bytes };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
