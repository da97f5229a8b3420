/** The end of the last run in run/last.json, from which the server makes metrics. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../pipeline/files/durable.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { instant } from "../../schemas/public/scalars.ts";
import type { RunSummary } from "./unfinished-run.ts";

const lastRun = z.object({
  finished: instant,
  outcome: z.enum(["activated", "was-active", "nothing", "failed"]),
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

/** Writes the end of a run. A full disk must not hide the error of the run, and the age of the file then shows it. */
export async function writeLastRun(store: Store, { outcome, failed, took }: RunSummary, now: Date): Promise<void> {
  const written: LastRun = {
    finished: now.toISOString(),
    outcome,
    failed: failed?.step ?? null,
    steps: [...took.steps],
  };
  await replaceFile(pathIn(store), `${JSON.stringify(written)}\n`).catch(() => undefined);
}

function pathIn({ run }: Pick<Store, "run">): string {
  return join(run, "last.json");
}
