/** What Spark's own event log tells of a run: tasks and the rows they read, by stage, and what was lost on the way. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface StageRun {
  readonly tasks: number;
  /** Rows that its tasks read, from files and from other stages. */
  readonly rows: number;
}

export interface EventLog {
  readonly stages: readonly StageRun[];
  readonly executorsLost: number;
  /** Tasks that were started although another attempt had been: speculation, and what a lost executor had. */
  readonly attemptedAgain: number;
}

interface Event {
  readonly Event: string;
  readonly "Stage ID"?: number;
  readonly "Task Info"?: { readonly Attempt: number; readonly Speculative: boolean };
  readonly "Task Metrics"?: {
    readonly "Input Metrics": { readonly "Records Read": number };
    readonly "Shuffle Read Metrics": { readonly "Total Records Read": number };
  };
}

/** Reads every log of a folder; they are lines of JSON, neither packed nor rolled. */
export async function eventLogIn(folder: string): Promise<EventLog> {
  const stages = new Map<string, { tasks: number; rows: number }>();
  const log = { executorsLost: 0, attemptedAgain: 0 };
  for (const name of await readdir(folder)) {
    for (const line of (await readFile(join(folder, name), "utf8")).split("\n")) {
      if (line === "") continue;
      const event: Event = JSON.parse(line);
      if (event.Event === "SparkListenerExecutorRemoved") log.executorsLost += 1;
      if (event.Event !== "SparkListenerTaskEnd") continue;
      const { Attempt: attempt = 0, Speculative: speculative = false } = event["Task Info"] ?? {};
      if (attempt > 0 || speculative) log.attemptedAgain += 1;
      const stage = stages.get(`${name} ${event["Stage ID"]}`) ?? { tasks: 0, rows: 0 };
      stages.set(`${name} ${event["Stage ID"]}`, stage);
      stage.tasks += 1;
      const metrics = event["Task Metrics"];
      stage.rows += metrics?.["Input Metrics"]["Records Read"] ?? 0;
      stage.rows += metrics?.["Shuffle Read Metrics"]["Total Records Read"] ?? 0;
    }
  }
  return { stages: [...stages.values()], ...log };
}
