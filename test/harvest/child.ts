/** Runs the harvest in a process of its own, to be killed or waited for. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { HarvestSummary } from "../../pipeline/1-harvest/index.ts";

const SCRIPT = join(import.meta.dirname, "harvest-child.ts");

export interface Child {
  readonly process: ChildProcess;
  /** The summary; rejects where the process failed or was killed. */
  readonly summary: Promise<HarvestSummary>;
}

export function startHarvest(...parameters: readonly string[]): Child {
  const child = spawn(process.execPath, [SCRIPT, ...parameters], { stdio: ["ignore", "pipe", "pipe"] });
  return { process: child, summary: summaryOf(child) };
}

async function summaryOf(child: ChildProcess): Promise<HarvestSummary> {
  if (child.stdout === null || child.stderr === null) throw new Error("the child has no output");
  const closed = once(child, "close");
  const [out, problem] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status, signal] = await closed;
  if (status !== 0) throw new Error(`harvest ended with ${signal ?? status}: ${problem}`);
  return JSON.parse(out);
}

/** Kills as `kill -9` does and waits until the process is gone; answers whether it was still working. */
export async function killNow(child: Child): Promise<boolean> {
  child.process.kill("SIGKILL");
  return child.summary.then(
    () => false,
    () => true,
  );
}
