/** Reads and writes how the last run ended, in run/last.json. The server derives metrics from this file. */

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../pipeline/files/durable.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { instant } from "../../schemas/public/scalars.ts";
import type { RunSummary } from "./unfinished-run.ts";

const lastRun = z.object({
  finished: instant,
  outcome: z.enum(["activated", "was-active", "nothing", "failed"]),
  /** The step that failed, or `start` if the run failed before its first step; null if it succeeded. */
  failed: z.string().nullable(),
  steps: z.array(z.object({ step: z.string(), seconds: z.number() })),
});
export type LastRun = z.infer<typeof lastRun>;

/** Reads how the last run ended. Returns null if no run has ended yet, or if the file cannot be read. */
export async function readLastRun(store: Pick<Store, "run">): Promise<LastRun | null> {
  try {
    return lastRun.parse(JSON.parse(await readFile(pathIn(store), "utf8")));
  } catch {
    return null;
  }
}

/** Writes how a run ended. */
export async function writeLastRun(store: Store, { outcome, failed, took }: RunSummary, now: Date): Promise<void> {
  await replaceLastRun(store, {
    finished: now.toISOString(),
    outcome,
    failed: failed?.step ?? null,
    steps: [...took.steps],
  });
}

/** Writes that a run failed before its first step. Does nothing if the store does not exist. */
export async function writeFailedStart(store: Store, now: Date): Promise<void> {
  await mkdir(store.run).catch(() => undefined);
  await replaceLastRun(store, { finished: now.toISOString(), outcome: "failed", failed: "start", steps: [] });
}

/**
 * Replaces run/last.json. Ignores errors, because a full disk must not hide the error of the run itself. Then only the age
 * of the file shows that something is wrong.
 */
async function replaceLastRun(store: Store, lastRun: LastRun): Promise<void> {
  await replaceFile(pathIn(store), `${JSON.stringify(lastRun)}\n`).catch(() => undefined);
}

function pathIn({ run }: Pick<Store, "run">): string {
  return join(run, "last.json");
}
