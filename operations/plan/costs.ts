/** What builds were measured to cost, both versions published; bench/README.md has the runs. */

/** Seconds of a stage on one core. */
export interface StageCost {
  readonly stage: "normalise" | "score" | "aggregate" | "render" | "release";
  /** However many records there are. */
  readonly fixed: number;
  readonly perMillion: number;
}

/** DuckDB on one machine: three million generated DataCite records on two cores, 2026-11-23. */
export const ON_DUCKDB: readonly StageCost[] = [
  { stage: "normalise", fixed: 1, perMillion: 215 },
  { stage: "score", fixed: 1, perMillion: 5 },
  { stage: "aggregate", fixed: 1, perMillion: 184 },
  { stage: "render", fixed: 2, perMillion: 371 },
  { stage: "release", fixed: 2, perMillion: 154 },
];

/**
 * Apache Spark in one process: 200,000 and a million of the same on two cores, 2026-11-23. What is fixed is planning and compiling.
 * The last stage is of the machine that builds, whatever engine made the tables, and costs as above.
 */
export const ON_SPARK: readonly StageCost[] = [
  { stage: "normalise", fixed: 39, perMillion: 593 },
  { stage: "score", fixed: 17, perMillion: 51 },
  { stage: "aggregate", fixed: 65, perMillion: 668 },
  { stage: "render", fixed: 0, perMillion: 546 },
];

/** Bytes on disk of a record. */
export const BYTES = {
  /** Compressed as harvested. What repositories say at length takes more: look at `raw/`. */
  raw: 500,
  /** Of the work folder while tables are made: evidence, and what the engine spills. */
  tables: 3_300,
  /** Of the release: pages, tables and what describes them. */
  release: 4_200,
} as const;

const MIB = 2 ** 20;

/**
 * Bytes of memory of all processes of a build together, at their peak: of what renders, one process a thread, or of what joins
 * whole tables, whose engine may have as much as the payloads take, and takes more: a line above what was measured of the last stage
 * of a million records (1,197 MiB) and of all of three and four million (2,602 and 3,710 MiB).
 */
export const MEMORY = { fixed: 350 * MIB, perThread: 700 * MIB, joining: 450 * MIB, perPayloadByte: 1.75 } as const;
