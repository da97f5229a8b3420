/** What a build would take of a machine, and where it should run. */

import { BYTES, MEMORY, ON_DUCKDB, ON_SPARK, type StageCost } from "./costs.ts";

/** What a machine has, in bytes. */
export interface Machine {
  readonly memory: number;
  /** Free where the store is. */
  readonly disk: number;
}

/** What there is to build, and what there is to build it with. */
export interface PlanInput extends Machine {
  readonly records: number;
  readonly threads: number;
  /** Seconds a build may take at most. */
  readonly within: number;
}

export interface StagePlan {
  readonly stage: StageCost["stage"];
  readonly seconds: number;
}

/** Something that a build on this machine would want for. */
export type Lack = "memory" | "disk" | "time";

export interface SparkPlan {
  /** Of executors, on one core. */
  readonly coreSeconds: number;
  /** Of the machine that builds, once executors are done. */
  readonly hereSeconds: number;
  /** Cores of executors that would be done in time; null where this machine's own part takes longer than there is. */
  readonly cores: number | null;
}

export interface Plan {
  readonly records: number;
  readonly threads: number;
  readonly stages: readonly StagePlan[];
  readonly seconds: number;
  /** Bytes of memory at the peak. */
  readonly memory: number;
  /** As many threads as the memory holds. */
  readonly threadsAdvised: number;
  /** Bytes on disk: while it builds, with what was harvested, and of the release alone. */
  readonly disk: { readonly building: number; readonly release: number };
  readonly lacks: readonly Lack[];
  readonly engine: "duckdb" | "spark";
  readonly spark: SparkPlan;
}

/** Stages share the cores; what was measured says so up to two, and beyond that it is what to expect at best. */
export function plan({ records, threads, memory, disk, within }: PlanInput): Plan {
  const threadsAdvised = Math.max(1, Math.min(threads, Math.floor((memory - MEMORY.fixed) / MEMORY.perThread)));
  const stages = ON_DUCKDB.map((cost) => ({
    stage: cost.stage,
    seconds: cost.fixed + coreSecondsOf(cost, records) / threadsAdvised,
  }));
  const seconds = sumOf(stages, (each) => each.seconds);
  const building = records * (BYTES.raw + BYTES.tables + BYTES.release);
  const lacks: Lack[] = [
    ...(memoryOf(1, records) > memory ? (["memory"] as const) : []),
    ...(building > disk ? (["disk"] as const) : []),
    ...(seconds > within ? (["time"] as const) : []),
  ];
  return {
    records,
    threads,
    stages,
    seconds,
    memory: memoryOf(threadsAdvised, records),
    threadsAdvised,
    disk: { building, release: records * BYTES.release },
    lacks,
    engine: lacks.length === 0 ? "duckdb" : "spark",
    spark: onSpark(records, stages.at(-1)?.seconds ?? 0, within),
  };
}

function onSpark(records: number, hereSeconds: number, within: number): SparkPlan {
  const fixed = sumOf(ON_SPARK, (cost) => cost.fixed);
  const coreSeconds = sumOf(ON_SPARK, (cost) => coreSecondsOf(cost, records));
  const left = within - fixed - hereSeconds;
  return { coreSeconds: fixed + coreSeconds, hereSeconds, cores: left <= 0 ? null : Math.ceil(coreSeconds / left) };
}

function memoryOf(threads: number, records: number): number {
  return Math.max(
    MEMORY.fixed + threads * MEMORY.perThread,
    MEMORY.joining + records * BYTES.raw * MEMORY.perPayloadByte,
  );
}

function coreSecondsOf({ perMillion }: StageCost, records: number): number {
  return (perMillion * records) / 1_000_000;
}

function sumOf<T>(all: readonly T[], of: (each: T) => number): number {
  return all.reduce((sum, each) => sum + of(each), 0);
}
