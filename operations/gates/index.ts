/** The gates a release has to stand before activation, compared with the release that was active where one was. */

import { coverageUnder } from "../../api-static/pages/coverage-under.ts";
import type { Cell, Database } from "../../pipeline/engine/open.ts";
import { supportedMask } from "../../pipeline/sources/pledges.ts";
import type { Gate, GateLimits } from "../../schemas/public/gates.ts";
import type { Coverage } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Side } from "../diff/side.ts";
import { firstGates, type LastHarvest } from "./first-gates.ts";
import { gateOf, percent } from "./gate-of.ts";

/**
 * `db` is that of a comparison. Gates that compare are there for every source that both or the earlier release has; a
 * source that comes for the first time has gates of its own, and `harvests` say how its last harvest ended.
 */
export async function judge(
  db: Database,
  after: Side,
  coverage: Coverage,
  limits: GateLimits,
  harvests: ReadonlyMap<string, LastHarvest>,
): Promise<Gate[]> {
  await loadPledged(db, after);
  await db.runFile(new URL("./figures.sql", import.meta.url));
  const compared = await db.rows("select * from source_figure where before > 0 order by source");
  const known = new Set(compared.map(({ source }) => source));
  const first = after.receipt.sources.filter(
    ({ source, coverage: counts }) => counts.harvested > 0 && !known.has(source),
  );
  return [
    coverageGate(after, coverage, await db.rows("select * from held order by rubric desc")),
    capsGate(await db.rows("select * from over_cap order by source, rubric")),
    ...compared.flatMap((row) => sourceGates(String(row.source), countsOf(row), limits)),
    ...first.flatMap(({ source, coverage: counts }) =>
      firstGates(source, counts, harvests.get(source) ?? null, limits),
    ),
    ...(await db.rows("select * from mean_figure order by source, rubric desc")).map((row) =>
      driftGate(row, after, limits),
    ),
  ];
}

async function loadPledged(db: Database, { receipt, rules }: Side): Promise<void> {
  await db.run("create table pledged (source varchar, rubric varchar, supported_mask integer)");
  for (const { version, contract } of receipt.rubrics) {
    for (const [source, pledge] of rules?.pledges ?? []) {
      const mask = supportedMask(pledge, contract);
      await db.run("insert into pledged values ($source, $version, $mask)", { source, version, mask });
    }
  }
}

function coverageGate({ receipt }: Side, coverage: Coverage, held: readonly Readonly<Record<string, Cell>>[]): Gate {
  const faults: string[] = [];
  for (const [name, count] of Object.entries(coverage)) {
    const sum = receipt.sources.reduce((total, source) => total + (countIn(source.coverage, name) ?? 0), 0);
    if (sum !== count) faults.push(`the sources have ${sum} ${name}, the release ${count}`);
  }
  for (const { source, coverage: counts } of receipt.sources) {
    const { harvested, ...rest } = counts;
    const sum = Object.values(rest).reduce((total, count) => total + count, 0);
    if (sum !== harvested) faults.push(`${source} has ${harvested} harvested, and ${sum} are accounted for`);
  }
  for (const row of held) {
    const rubric = receipt.rubrics.find(({ version }) => version === row.rubric);
    const counted = rubric === undefined ? coverage : coverageUnder(coverage, rubric);
    for (const name of ["scored", "insufficient", "failed"] as const) {
      if (row[name] === counted[name]) continue;
      faults.push(`the tables hold ${row[name]} ${name} records under ${row.rubric}, ${counted[name]} are counted`);
    }
  }
  const { harvested } = coverage;
  return gateOf(
    "coverage",
    faults.length === 0,
    faults.length === 0 ? `${harvested} payloads, each once` : faults.join("; "),
  );
}

function countIn(coverage: Coverage, name: string): number | undefined {
  return Object.entries(coverage).find(([key]) => key === name)?.[1];
}

function capsGate(over: readonly Readonly<Record<string, Cell>>[]): Gate {
  const found = over.map(({ records, source, rubric }) => `${records} of ${source} under ${rubric}`);
  return gateOf("caps", found.length === 0, found.length === 0 ? "every score is within its cap" : found.join("; "));
}

/** Counts of a source in both releases. */
export interface SourceCounts {
  readonly before: number;
  readonly after: number;
  readonly failedBefore: number;
  readonly failedAfter: number;
  /** Of those before, now known to be withdrawn or no dataset. */
  readonly withdrawn: number;
  /** … now merged into a record of another id. */
  readonly merged: number;
  /** … of which nothing is known now. */
  readonly lost: number;
}

function countsOf(row: Readonly<Record<string, Cell>>): SourceCounts {
  const count = (name: string) => Number(row[name]);
  return {
    before: count("before"),
    after: count("after"),
    failedBefore: count("failed_before"),
    failedAfter: count("failed_after"),
    withdrawn: count("withdrawn"),
    merged: count("merged"),
    lost: count("lost"),
  };
}

/** The gates of one source that was there before; `counts.before` is at least one. */
export function sourceGates(source: string, counts: SourceCounts, limits: GateLimits): Gate[] {
  const { before, after, withdrawn, merged, lost } = counts;
  // Records that left for a reason are no gap in what was harvested.
  const expected = before - withdrawn - merged;
  const complete = after >= limits.completeness * expected;
  const grown = shareOf(counts.failedAfter, after) - shareOf(counts.failedBefore, before);
  return [
    gateOf(
      "completeness",
      complete,
      `${after} records, ${expected} expected; at least ${percent(limits.completeness)}`,
      source,
    ),
    gateOf(
      "lost",
      lost <= limits.lost * before,
      `${lost} of ${before} records lost; at most ${percent(limits.lost)}`,
      source,
    ),
    gateOf(
      "failed",
      grown <= limits.failed,
      `${counts.failedAfter} of ${after} records failed, ${counts.failedBefore} of ${before} before; at most ${percent(limits.failed)} more`,
      source,
    ),
  ];
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function driftGate(row: Readonly<Record<string, Cell>>, { receipt }: Side, limits: GateLimits): Gate {
  const rubric = receipt.rubrics.find(({ version }) => version === row.rubric)?.version ?? null;
  return meanGate(String(row.source), rubric, Number(row.mean_before), Number(row.mean_after), limits);
}

/** The gate of a source's mean under one version. */
export function meanGate(
  source: string,
  rubric: PublicVersion | null,
  before: number,
  after: number,
  limits: GateLimits,
): Gate {
  // Hundredths: a difference of decimals may be a hair off.
  const moved = Math.round(100 * after) - Math.round(100 * before);
  const detail = `mean ${before.toFixed(2)} → ${after.toFixed(2)}; at most ${limits.drift} points`;
  return gateOf("drift", Math.abs(moved) <= 100 * limits.drift, detail, source, rubric);
}

/** Those a release did not pass. */
export function failedGates(gates: readonly Gate[] | undefined): Gate[] {
  return (gates ?? []).filter(({ passed }) => !passed);
}

/** A gate in one line. */
export function gateText({ gate, source, rubric, detail }: Gate): string {
  const where = [source, rubric === null ? null : `SHARE ${rubric}`].filter((part) => part !== null).join(", ");
  return `${gate}${where === "" ? "" : ` (${where})`}: ${detail}`;
}
