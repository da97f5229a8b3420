/**
 * Judges the gates, which a release must pass before it is activated. Most of them compare the release with the active
 * one.
 */

import { join } from "node:path";
import { coverageUnder } from "../../api-static/pages/metrics.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { Gate, GateLimits } from "../../schemas/public/gates.ts";
import { type HarvestScope, scopeText } from "../../schemas/public/harvest-scope.ts";
import type { Coverage, Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { publishedName, RECORD_TABLES } from "../../schemas/public/tables.ts";
import type { ReleaseSide } from "../diff/compare.ts";
import { type Cell, type Database, openDuckDB } from "../engine/open.ts";
import { plural } from "../reading/text.ts";
import { supportedMask } from "../sources/pledges.ts";
import type { HarvestLine } from "../store/harvest-log.ts";
import { currentDigest, readReceipt } from "../store/releases.ts";
import type { Store } from "../store/store.ts";

/**
 * Judges all gates. `db` is the database of a comparison. A source of the earlier release is compared with its own
 * numbers in that release. A new source, or a new part of one, is judged by its last harvest in `harvests`.
 */
export async function judgeGates(
  db: Database,
  { before, after }: { readonly before: ReleaseSide | null; readonly after: ReleaseSide },
  coverage: Coverage,
  limits: GateLimits,
  harvests: ReadonlyMap<string, LastHarvest>,
): Promise<Gate[]> {
  await loadPledges(db, after);
  await db.runFile(new URL("./gates.sql", import.meta.url));
  const compared = await db.rows("select * from source_figure where before > 0 order by source");
  const known = new Set(compared.map(({ source }) => source));
  const first = after.receipt.sources.filter(
    ({ source, coverage: counts }) => counts.harvested > 0 && !known.has(source),
  );
  return [
    coverageGate(after, coverage, await db.rows("select * from held order by rubric desc")),
    capsGate(await db.rows("select * from over_cap order by source, rubric")),
    ...compared.flatMap((row) => {
      const source = String(row.source);
      const change = scopeChange(source, before, after);
      const harvest = harvests.get(source) ?? null;
      return [
        ...sourceGates(source, readCounts(row), limits, change?.isLess === true ? change.text : null),
        ...(change === null ? [] : [harvestedGate(source, harvest, limits)]),
      ];
    }),
    ...first.flatMap(({ source, coverage: counts }) =>
      firstGates(source, counts, harvests.get(source) ?? null, limits),
    ),
    ...(await db.rows("select * from mean_figure order by source, rubric desc")).map((row) =>
      driftGate(row, after, limits, scopeChange(String(row.source), before, after)?.text ?? null),
    ),
  ];
}

/** Describes that other parts (`--only`) of a source were harvested than for the previous release. */
export interface ScopeChange {
  /** True if a part that the previous release contains was not harvested. */
  readonly isLess: boolean;
  readonly text: string;
}

export function scopeChange(
  source: string,
  before: Pick<ReleaseSide, "receipt"> | null,
  after: Pick<ReleaseSide, "receipt">,
): ScopeChange | null {
  const [then, now] = [before, after].map((side) => findScopes(side?.receipt, source));
  if (then === undefined || now === undefined) return null;
  const isLess = then.some((scope) => !now.some((each) => holds(each, scope)));
  if (!isLess && now.every((scope) => then.some((each) => holds(each, scope)))) return null;
  const named = (scopes: readonly ScopePart[]) => scopes.map((scope) => scopeText(source, scope)).join(" and ");
  return { isLess, text: `the harvested parts changed: ${named(then)} before, ${named(now)} now` };
}

type ScopePart = Pick<HarvestScope, "only" | "service">;

/** Returns the harvested parts of a source. If the receipt lists none, the whole source was harvested. */
function findScopes(receipt: ReleaseSide["receipt"] | undefined, source: string): readonly ScopePart[] | undefined {
  const entry = receipt?.sources.find((each) => each.source === source);
  return entry === undefined ? undefined : (entry.scopes ?? [{ only: null }]);
}

function holds(whole: ScopePart, part: ScopePart): boolean {
  return whole.service === part.service && (whole.only === null || whole.only === part.only);
}

async function loadPledges(db: Database, { receipt, rules }: ReleaseSide): Promise<void> {
  await db.run("create table pledged (source varchar, rubric varchar, supported_mask integer)");
  for (const { version, contract } of receipt.rubrics) {
    for (const [source, pledge] of rules?.pledges ?? []) {
      const mask = supportedMask(pledge, contract);
      await db.run("insert into pledged values ($source, $version, $mask)", { source, version, mask });
    }
  }
}

function coverageGate(
  { receipt }: ReleaseSide,
  coverage: Coverage,
  sourceRows: readonly Readonly<Record<string, Cell>>[],
): Gate {
  const faults: string[] = [];
  for (const [name, count] of Object.entries(coverage)) {
    const sum = receipt.sources.reduce((total, source) => total + (countIn(source.coverage, name) ?? 0), 0);
    if (sum !== count) faults.push(`the sources have ${sum} ${name} payloads in total, but the release has ${count}`);
  }
  for (const { source, coverage: counts } of receipt.sources) {
    const { harvested, ...rest } = counts;
    const sum = Object.values(rest).reduce((total, count) => total + count, 0);
    if (sum !== harvested)
      faults.push(`${source} has ${harvested} harvested payloads, but its other counts add up to ${sum}`);
  }
  for (const row of sourceRows) {
    const rubric = receipt.rubrics.find(({ version }) => version === row.rubric);
    const counted = rubric === undefined ? coverage : coverageUnder(coverage, rubric);
    for (const name of ["scored", "insufficient", "failed"] as const) {
      if (row[name] === counted[name]) continue;
      faults.push(
        `the tables have ${row[name]} ${name} records under SHARE ${row.rubric}, but the receipt has ${counted[name]}`,
      );
    }
  }
  const { harvested } = coverage;
  return makeGate(
    "coverage",
    faults.length === 0,
    faults.length === 0 ? `${plural(harvested, "payload")}, each counted once` : faults.join("; "),
  );
}

function countIn(coverage: Coverage, name: string): number | undefined {
  return Object.entries(coverage).find(([key]) => key === name)?.[1];
}

function capsGate(over: readonly Readonly<Record<string, Cell>>[]): Gate {
  const found = over.map(({ records, source, rubric }) => `${records} of ${source} under ${rubric}`);
  return makeGate("caps", found.length === 0, found.length === 0 ? "every score is within its cap" : found.join("; "));
}

export interface GateCounts {
  readonly before: number;
  readonly after: number;
  readonly failedBefore: number;
  readonly failedAfter: number;
  /** Records of the earlier release that are now withdrawn or not datasets. */
  readonly withdrawn: number;
  /** Records of the earlier release that are now an alias of another record. */
  readonly merged: number;
  /** Records of the earlier release that are missing, without a known reason. */
  readonly lost: number;
}

function readCounts(row: Readonly<Record<string, Cell>>): GateCounts {
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

/**
 * Returns the gates of a source that the earlier release contains. `counts.before` is at least one. `change` is null,
 * except if some parts of the source are no longer harvested. It is then a text that says so, and the gates `completeness`
 * and `lost` pass without a comparison.
 */
export function sourceGates(
  source: string,
  counts: GateCounts,
  limits: GateLimits,
  change: string | null = null,
): Gate[] {
  const { before, after, withdrawn, merged, lost } = counts;
  // A record whose absence has a known reason is not expected, so it does not count as missing.
  const expected = before - withdrawn - merged;
  const complete = after >= limits.completeness * expected;
  const grown = computeShare(counts.failedAfter, after) - computeShare(counts.failedBefore, before);
  return [
    makeGate(
      "completeness",
      complete || change !== null,
      change ?? `${plural(after, "record")}, ${expected} expected; at least ${percent(limits.completeness)}`,
      source,
    ),
    makeGate(
      "lost",
      lost <= limits.lost * before || change !== null,
      change ?? `${lost} of ${plural(before, "record")} lost; at most ${percent(limits.lost)}`,
      source,
    ),
    makeGate(
      "failed",
      grown <= limits.failed,
      `${counts.failedAfter} of ${plural(after, "record")} failed, ${counts.failedBefore} of ${before} before; at most ${percent(limits.failed)} more`,
      source,
    ),
  ];
}

function computeShare(part: number, wholeCount: number): number {
  return wholeCount === 0 ? 0 : part / wholeCount;
}

function driftGate(
  row: Readonly<Record<string, Cell>>,
  { receipt }: ReleaseSide,
  limits: GateLimits,
  change: string | null,
): Gate {
  const rubric = receipt.rubrics.find(({ version }) => version === row.rubric)?.version ?? null;
  if (change !== null) return makeGate("drift", true, change, String(row.source), rubric);
  return meanGate(String(row.source), rubric, Number(row.mean_before), Number(row.mean_after), limits);
}

export function meanGate(
  source: string,
  rubric: PublicVersion | null,
  before: number,
  after: number,
  limits: GateLimits,
): Gate {
  // Whole hundredths avoid rounding errors in the difference.
  const moved = Math.round(100 * after) - Math.round(100 * before);
  const detail = `mean ${before.toFixed(2)} → ${after.toFixed(2)}; at most ${limits.drift} points`;
  return makeGate("drift", Math.abs(moved) <= 100 * limits.drift, detail, source, rubric);
}

export function failedGates(gates: readonly Gate[] | undefined): Gate[] {
  return (gates ?? []).filter(({ passed }) => !passed);
}

export function gateText({ gate, source, rubric, detail }: Gate): string {
  const where = [source, rubric === null ? null : `SHARE ${rubric}`].filter((part) => part !== null).join(", ");
  return `${gate}${where === "" ? "" : ` (${where})`}: ${detail}`;
}

/** Makes a gate. `source` and `rubric` are null for a gate of the whole release. */
export function makeGate(
  gate: Gate["gate"],
  passed: boolean,
  detail: string,
  source: string | null = null,
  rubric: PublicVersion | null = null,
): Gate {
  return { gate, source, rubric, passed, detail };
}

export function percent(share: number): string {
  return `${Math.round(10_000 * share) / 100} %`;
}

/** The log entry of the last finished harvest; null if none has finished. */
export type LastHarvest = Pick<HarvestLine, "expected" | "got" | "limit" | "complete" | "missing"> | null;

/**
 * Returns the gates of a new source: a complete harvest, a small share of failed records, and a number of readable
 * records.
 */
export function firstGates(source: string, coverage: Coverage, harvest: LastHarvest, limits: GateLimits): Gate[] {
  const { scored, insufficient, failed, duplicates } = coverage;
  const read = scored + insufficient;
  const records = read + failed;
  return [
    harvestedGate(source, harvest, limits),
    makeGate(
      "failed",
      failed <= limits.firstFailed * records,
      `${failed} of ${plural(records, "record")} failed; at most ${percent(limits.firstFailed)} for a new source`,
      source,
    ),
    makeGate(
      "records",
      read + duplicates >= limits.firstRecords,
      `${read + duplicates} of ${coverage.harvested} payloads are readable records; at least ${limits.firstRecords}`,
      source,
    ),
  ];
}

/** Returns the gate `harvested`. A harvest with `--limit` is complete when it has as many records as the limit. */
function harvestedGate(source: string, harvest: LastHarvest, { firstHarvested }: GateLimits): Gate {
  const of = (passed: boolean, detail: string) => makeGate("harvested", passed, detail, source);
  if (harvest === null) return of(true, "no harvest has finished, so that the number of records is unknown");
  const { got, limit, complete, missing } = harvest;
  const expected = limit === null ? harvest.expected : Math.min(limit, harvest.expected ?? limit);
  if (expected !== null && !(complete && limit !== null)) {
    const cut = limit === null ? "" : " within the requested limit";
    return of(
      got >= firstHarvested * expected,
      `${got} of ${plural(expected, "record")} arrived${cut}; at least ${percent(firstHarvested)}`,
    );
  }
  // An import of files has no expected number, so only how it ended can be judged.
  if (complete) return of(true, "the last harvest was complete");
  const why = missing === null ? "" : ` (${missing})`;
  return of(
    firstHarvested === 0,
    `${plural(got, "record")} arrived of an unknown number: the harvest was not complete${why}`,
  );
}

/** Largest number of failed records to list for each source. */
const LISTED = 10;

/** Explains failed gates, one on each line. The first line is understandable without the others. */
export async function rejectionText(store: Store, receipt: Receipt, gates: readonly Gate[]): Promise<string> {
  const { releaseDigest } = receipt;
  const folder = store.release(releaseDigest);
  const failing = failingSources(gates);
  const records = await failedRecords(folder, failing);
  const count = gates.length === 1 ? "a gate" : `${gates.length} gates`;
  const served = (await currentDigest(store)) === null ? "no release is served yet" : "the active release stays";
  return [
    `${releaseDigest} is built and stored but not activated, because it does not pass ${count}, so ${served}: correct the cause and build again, or use one of the commands below`,
    ...gates.map((gate) => `  ${gateText(gate)}`),
    ...(records.length === 0 ? [] : ["Records that failed:", ...records.map((line) => `  ${line}`)]),
    `Read ${join(folder, DESCRIPTORS.report)}.`,
    ...(await suggestWithout(store, receipt, failing)),
    `To activate it anyway: \`share-release release activate ${releaseDigest.slice(0, 19)} --force <reason>\`.`,
  ].join("\n");
}

function failingSources(gates: readonly Gate[]): string[] {
  return [...new Set(gates.flatMap(({ source }) => source ?? []))].sort();
}

async function failedRecords(folder: string, sources: readonly string[]): Promise<string[]> {
  const db = await openDuckDB({ threads: 1 });
  try {
    const { record } = RECORD_TABLES;
    await db.inputOlder(record, join(folder, "data", publishedName(record)));
    const lines: string[] = [];
    for (const source of sources) {
      const rows = await db.rows(
        `select source || '/' || source_id as identifier, reason, cast(count(*) over () as integer) as failed
         from record where status = 'failed' and source = $source order by id limit ${LISTED}`,
        { source },
      );
      lines.push(...rows.map(({ identifier, reason }) => `${identifier}: ${reason ?? "unknown reason"}`));
      const more = Number(rows[0]?.failed ?? 0) - rows.length;
      if (more > 0) lines.push(`${more} more of ${source}`);
    }
    return lines;
  } finally {
    db.close();
  }
}

/**
 * Suggests commands that build without the sources whose gates failed. Their records are taken from the active release
 * if it has any; otherwise the source is left out.
 */
async function suggestWithout(store: Store, { asOf, sources }: Receipt, failing: readonly string[]): Promise<string[]> {
  const digest = await currentDigest(store);
  const active = digest === null ? null : await readReceipt(store.release(digest));
  const before = new Set(active?.sources.filter(({ parts }) => parts > 0).map(({ source }) => source));
  const carried = failing.filter((source) => before.has(source));
  const left = failing.filter((source) => !before.has(source));
  const built = sources.filter(({ source, parts }) => parts > 0 && !left.includes(source)).map(({ source }) => source);
  if (failing.length === 0 || built.length === 0) return [];
  const named = left.length === 0 ? "" : ` --source ${built.join(" ")}`;
  const carryForwardOption = carried.length === 0 ? "" : ` --carry-forward ${carried.join(" ")}`;
  const what = [
    ...(left.length === 0 ? [] : [`leave out ${left.join(", ")}`]),
    ...(carried.length === 0 ? [] : [`take ${carried.join(", ")} as in the active release`]),
  ];
  return [`To ${what.join(" and ")}: \`share-release build --as-of ${asOf}${named}${carryForwardOption}\`.`];
}
