/** Reads the event log of a Spark run: a folder of JSON Lines, which are neither compressed nor split. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Returns settings with which Spark logs its events into a folder. */
export function loggedIn(folder: string): Readonly<Record<string, string>> {
  return {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
    "spark.eventLog.dir": folder,
  };
}

const taskEnd = z.object({
  Event: z.literal("SparkListenerTaskEnd"),
  "Stage ID": z.number(),
  "Task Metrics": z.object({ "Shuffle Read Metrics": z.object({ "Total Records Read": z.number() }) }).nullish(),
});

const taskStart = z.object({
  Event: z.literal("SparkListenerTaskStart"),
  "Task Info": z.object({ Attempt: z.number(), Speculative: z.boolean() }),
});

/**
 * The end of a stage, with the number of partitions of each of its datasets. If every dataset has one partition, a single task
 * reads all rows.
 */
const stageDone = z.object({
  Event: z.literal("SparkListenerStageCompleted"),
  "Stage Info": z.object({
    "Stage ID": z.number(),
    "RDD Info": z.array(z.object({ "Number of Partitions": z.number() })),
  }),
});

/** Returns the number of executors that were lost. */
export async function executorsLostIn(folder: string): Promise<number> {
  return (await eventsIn(folder)).filter(({ Event }) => Event === "SparkListenerExecutorRemoved").length;
}

/** Returns the number of second attempts at tasks. Spark starts one if it lost the first attempt, or expects to be faster. */
export async function secondAttemptsIn(folder: string): Promise<number> {
  return (await eventsIn(folder))
    .flatMap((event) => taskStart.safeParse(event).data ?? [])
    .filter(({ "Task Info": info }) => info.Attempt > 0 || info.Speculative).length;
}

/** Returns how many rows each stage with a single task got from other stages, the highest number first. */
export async function rowsOfLoneTasksIn(folder: string): Promise<number[]> {
  const events = await eventsIn(folder);
  const lone = new Set(
    events
      .flatMap((event) => stageDone.safeParse(event).data ?? [])
      .filter(({ "Stage Info": stage }) => stage["RDD Info"].every((each) => each["Number of Partitions"] === 1))
      .map(({ "Stage Info": stage }) => stage["Stage ID"]),
  );
  return events
    .flatMap((event) => taskEnd.safeParse(event).data ?? [])
    .filter((task) => lone.has(task["Stage ID"]))
    .map((task) => task["Task Metrics"]?.["Shuffle Read Metrics"]["Total Records Read"] ?? 0)
    .sort((one, other) => other - one);
}

async function eventsIn(folder: string): Promise<{ Event: string }[]> {
  const events: { Event: string }[] = [];
  for (const name of await readdir(folder)) {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n").filter((line) => line !== "");
    for (const line of lines) events.push(JSON.parse(line));
  }
  return events;
}
