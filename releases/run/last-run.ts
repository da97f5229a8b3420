/** The end of the last run in run/last.json, from which the server makes metrics. */

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
  /** The step that failed, or `start` before the first step. */
  failed: z.string().nullable(),
  steps: z.array(z.object({ step: z.string(), seconds: z.number() })),
});
export type LastRun = z.infer<typeof lastRun>;

/** Reads the end of the last run. Null before the first run ended, or if the file cannot be read. */
export async function readLastRun(store: Pick<Store, "run">): Promise<LastRun | null> {
  try {
    return lastRun.parse(JSON.parse(await readFile(pathIn(store), "utf8")));
  } catch {
    return null;
  }
}

/** Writes the end of a run. */
export async function writeLastRun(store: Store, { outcome, failed, took }: RunSummary, now: Date): Promise<void> {
  await replaceLastRun(store, {
    finished: now.toISOString(),
    outcome,
    failed: failed?.step ?? null,
    steps: [...took.steps],
  });
}

/** Writes that a run failed before its first step. Writes nothing if the store does not exist. */
export async function writeFailedStart(store: Store, now: Date): Promise<void> {
  await mkdir(store.run).catch(() => undefined);
  await replaceLastRun(store, { finished: now.toISOString(), outcome: "failed", failed: "start", steps: [] });
}

/** A full disk must not hide the error of the run, and the age of the file then shows it. */
async function replaceLastRun(store: Store, lastRun: LastRun): Promise<void> {
  await replaceFile(pathIn(store), `${JSON.stringify(lastRun)}\n`).catch(() => undefined);
}

function pathIn({ run }: Pick<Store, "run">): string {
  return join(run, "last.json");
}
