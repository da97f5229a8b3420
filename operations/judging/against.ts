/** Another judge's scores against the totals of a release: how far the two orders agree, and where they do least. */

import type { Database, DuckDBOptions } from "../../pipeline/engine/open.ts";
import type { TablePaths } from "../../pipeline/pages/tables.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { LEAST_RECORDS } from "../../schemas/public/validation.ts";
import { added, type Cell, NO_PAIRS, type PairSums, pairSums } from "../validation/statistics/kendall.ts";
import { rounded } from "../validation/statistics/rounded.ts";
import { tauInterval } from "../validation/statistics/tau-interval.ts";
import { runSql, withRelease } from "./judged-release.ts";
import { readScores } from "./reading/read-judgements.ts";

/** Kendall's tau-b with its interval; null of fewer datasets than any figure is given of. */
export interface RankAgreement {
  readonly n: number;
  readonly tau: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** A dataset that the two judge differently. Places are percents of the datasets that stand lower. */
export interface Disagreement {
  readonly id: string;
  readonly identifier: string;
  readonly doi: string | null;
  readonly title: string | null;
  readonly source: string;
  readonly total: number;
  readonly cap: number;
  readonly judge: number | null;
  readonly place: number | null;
  readonly judgePlace: number | null;
}

export interface Against {
  readonly rubric: PublicVersion;
  /** Lines of the file; those of no dataset of the release, of generated records, and of datasets without a total; datasets compared. */
  readonly judgements: number;
  readonly unknown: number;
  readonly generated: number;
  readonly withoutTotal: number;
  readonly datasets: number;
  readonly least: number;
  /** All pairs of datasets, and those within a source alone: what sources cannot carry lowers their totals. */
  readonly all: RankAgreement;
  readonly withinSources: RankAgreement;
  readonly sources: readonly (RankAgreement & { readonly source: string })[];
  readonly disagreements: readonly Disagreement[];
}

export interface AgainstOptions extends DuckDBOptions {
  readonly rubric: PublicVersion;
  /** How many of the largest disagreements are listed. */
  readonly listed: number;
}

/** @throws JudgementsUnreadable where the file is at fault */
export function validateAgainst(tables: TablePaths, path: string, options: AgainstOptions): Promise<Against> {
  const { rubric, listed } = options;
  return withRelease(tables, options, async (db) => {
    await readScores(db, path);
    await runSql(db, "10-found");
    await runSql(db, "20-against", { rubric, listed });
    const [count] = await db.rows("select * from against_count");
    const bySource = await cellsBySource(db);
    const sums = [...bySource].map(([source, cells]) => ({ source, sums: pairSums(cells) }));
    return {
      rubric,
      judgements: Number(count?.judgements),
      unknown: Number(count?.unknown),
      generated: Number(count?.generated),
      withoutTotal: Number(count?.without_total),
      datasets: Number(count?.datasets),
      least: LEAST_RECORDS,
      all: agreementOf(pairSums(together([...bySource.values()].flat()))),
      withinSources: agreementOf(sums.reduce((sum, own) => added(sum, own.sums), NO_PAIRS)),
      sources: sums.map(({ source, sums: own }) => ({ source, ...agreementOf(own) })),
      disagreements: (await db.rows("select * from disagreement")).map(disagreementOf),
    };
  });
}

async function cellsBySource(db: Database): Promise<Map<string, Cell[]>> {
  const bySource = new Map<string, Cell[]>();
  for await (const batch of db.stream("select source, total, judge, datasets from judged_cell")) {
    for (const [source, total, judge, datasets] of batch) {
      const cells = bySource.get(String(source)) ?? [];
      bySource.set(String(source), cells);
      cells.push({ x: Number(total), y: Number(judge), n: Number(datasets) });
    }
  }
  return bySource;
}

/** Cells of several sources, each (x, y) once. */
function together(cells: readonly Cell[]): Cell[] {
  const byPlace = Map.groupBy(cells, ({ x, y }) => `${x} ${y}`);
  return [...byPlace.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ ...first, n: own.reduce((sum, { n }) => sum + n, 0) }];
  });
}

function agreementOf(sums: PairSums): RankAgreement {
  if (sums.n < LEAST_RECORDS) return { n: sums.n, tau: null, low: null, high: null };
  return { n: sums.n, ...tauInterval(sums) };
}

function disagreementOf(row: Awaited<ReturnType<Database["rows"]>>[number]): Disagreement {
  const textOrNull = (value: (typeof row)[string] | undefined) => (value === null ? null : String(value));
  return {
    id: String(row.id),
    identifier: String(row.identifier),
    doi: textOrNull(row.doi),
    title: textOrNull(row.title),
    source: String(row.source),
    total: Number(row.total),
    cap: Number(row.cap),
    judge: rounded(Number(row.judge)),
    place: rounded(Number(row.place)),
    judgePlace: rounded(Number(row.judge_place)),
  };
}
