/** What builds were measured to cost, both versions published; bench/README.md has the runs. */

/** Seconds of a stage on one core. */
export interface StageCost {
  readonly stage: "normalise" | "score" | "aggregate" | "render" | "release";
  /** However many records there are. */
  readonly fixed: number;
  readonly perMillion: number;
}

/** DuckDB on one machine: 200,000 and a million generated DataCite records on two cores, 2026-11-22. */
export const ON_DUCKDB: readonly StageCost[] = [
  { stage: "normalise", fixed: 1, perMillion: 272 },
  { stage: "score", fixed: 1, perMillion: 6 },
  { stage: "aggregate", fixed: 1, perMillion: 152 },
  { stage: "render", fixed: 2, perMillion: 482 },
  { stage: "release", fixed: 2, perMillion: 344 },
];

/**
 * Apache Spark in one process: 50,000 and 200,000 of the same on two cores, 2026-11-22. What is fixed is planning and compiling. The
 * last stage is of the machine that builds, whatever engine made the tables, and costs as above.
 */
export const ON_SPARK: readonly StageCost[] = [
  { stage: "normalise", fixed: 32, perMillion: 463 },
  { stage: "score", fixed: 9, perMillion: 52 },
  { stage: "aggregate", fixed: 32, perMillion: 675 },
  { stage: "render", fixed: 8, perMillion: 461 },
];

/** Bytes on disk of a record. */
export const BYTES = {
  /** Compressed as harvested. What repositories say at length takes more: look at `raw/`. */
  raw: 500,
  /** Of the work folder while tables are made: evidence, and what the engine spills. */
  tables: 3_300,
  /** Of the release: pages, tables and what describes them. */
  release: 3_400,
} as const;

const MIB = 2 ** 20;

/** Bytes of memory of all processes of a build together, at their peak. */
export const MEMORY = { fixed: 350 * MIB, perThread: 700 * MIB } as const;
