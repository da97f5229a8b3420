/**
 * Scores a release by a contract that a user wrote. Reads only the tables of the release, and compiles the contract to SQL
 * like a build.
 */

import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { z } from "zod";
import { fillPledges } from "../../pipeline/3-score/index.ts";
import { readReleaseRules } from "../../pipeline/diff/rules.ts";
import { type Database, type DuckDBOptions, openDuckDB, quote, writeCsv } from "../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { scoringSql } from "../../pipeline/rubrics/contracts.ts";
import { getErrorMessage } from "../../pipeline/stage/effects.ts";
import { requireReadable } from "../../pipeline/store/releases.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { SIGNAL_IDS, STATES } from "../../schemas/public/signal.ts";
import { RECORD_TABLES, SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { stateSql } from "../share-database.ts";
import { type OwnContract, supportedByOwn } from "./own-contract.ts";

/** The public version with which the scores are compared. */
const PUBLISHED = "2.0";

/** Width in points of the ranges of totals in the summary: 0 to 19, 20 to 39 and so on. The last range includes 100. */
const RANGE = 20;

const totals = z.object({ scored: z.int(), mean: z.number().nullable(), median: z.number().nullable() });

const summary = z.object({
  records: z.int(),
  own: totals,
  published: totals,
  /** Comparison of records that have a total under both contracts. */
  compared: z.object({
    records: z.int(),
    higher: z.int(),
    lower: z.int(),
    same: z.int(),
    meanDifference: z.number().nullable(),
  }),
  ranges: z.array(z.object({ from: z.int(), own: z.int(), published: z.int() })),
  signals: z.array(
    z.object({ id: z.string(), name: z.string(), rule: z.string(), states: z.record(z.enum(STATES), z.int()) }),
  ),
});

export interface OwnScores extends z.infer<typeof summary> {
  readonly releaseDigest: string;
  readonly title: string;
  /** Number of signals that must be evaluable for a record to get a total. */
  readonly leastEvaluable: number;
}

/** Error for a contract that cannot be applied to this release. */
export class NotScored extends Error {
  readonly code = "ERR_NOT_SCORED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NotScored";
  }
}

/**
 * Scores the release in `folder` and returns a summary. Writes a row for each record to `out` (.csv or .parquet).
 *
 * @throws NotScored, RulesDamaged, RulesUnreadable
 */
export async function scoreRelease(
  folder: string,
  receipt: Receipt,
  contract: OwnContract,
  out: string | null,
  options: DuckDBOptions,
): Promise<OwnScores> {
  requireReadable(receipt);
  if (!receipt.rubrics.some(({ version }) => version === PUBLISHED)) {
    throw new NotScored(`the release has no scores under SHARE ${PUBLISHED} to compare with; choose another release`);
  }
  const rules = await readReleaseRules(folder, receipt);
  if (rules === null) throw new NotScored("the release has no pledges: build it again with this version");
  const leastEvaluable = Math.ceil(
    ((receipt.policy?.leastEvaluable ?? 0) * contract.signals.length) / SIGNAL_IDS.length,
  );
  const db = await openDuckDB(options);
  try {
    const paths = releaseTablePaths(folder);
    for (const table of [RECORD_TABLES.record, RECORD_TABLES.evidence, SCORE_TABLES.score]) {
      await db.inputOlder(table, paths[table.name] ?? "");
    }
    const scored = [{ rubric: "own", contract }];
    await fillPledges(db, scored, rules.pledges, (pledge) => supportedByOwn(pledge, contract, rules.contracts));
    await createScores(db, contract, scoringSql(scored, leastEvaluable));
    if (out !== null) await write(db, contract, out);
    const found = summary.parse({ ...(await readTotals(db)), signals: await countStates(db, contract) });
    return { releaseDigest: receipt.releaseDigest, title: contract.title, leastEvaluable, ...found };
  } finally {
    db.close();
  }
}

function firstLine(cause: unknown): string {
  return getErrorMessage(cause).split("\n")[0] ?? "";
}

/**
 * Makes the table `own_score` with a row for each record. A record that could not be read has no total; its supported
 * signals have the state `failed`.
 */
async function createScores(db: Database, { signals }: OwnContract, sql: string): Promise<void> {
  const create = `
    create table own_score as
    with own as (${sql}),
    joined as (
      select record.id, record.doi, record.source, record.source_id, record.repository,
        case when own.total is not null then mean_of(100 * cast(bit_count(own.passed_mask) as bigint), ${signals.length}) end as total,
        published.total as total_2_0,
        pledge.supported_own as supported, own.evaluable_mask as evaluable, own.passed_mask as passed,
        own.source_missing_mask as missing, coalesce(own.failed_mask, pledge.supported_own) as failed
      from record
      left join pledge on pledge.source = record.source
      left join own on own.id = record.id
      left join score as published on published.id = record.id and published.rubric = ${quote(PUBLISHED)}
    )
    select id, doi, source, source_id, repository, total, total_2_0, cast(total - total_2_0 as decimal(18, 2)) as difference,
      ${signals.map(({ id, bit }) => `${stateSql(1 << bit)} as ${id}`).join(", ")}
    from joined`;
  await db.run(create).catch((cause: unknown) => {
    throw new NotScored(`the contract could not be applied: ${firstLine(cause)}`, { cause });
  });
}

async function write(db: Database, { signals }: OwnContract, out: string): Promise<void> {
  const table: Table = {
    name: "own_score",
    grain: "record",
    key: ["id"],
    columns: {
      ...{ id: "text", doi: "text", source: "text", source_id: "text", repository: "text" },
      ...{ total: "hundredths", total_2_0: "int", difference: "hundredths" },
      ...Object.fromEntries(signals.map(({ id }) => [id, "text"] as const)),
    },
  };
  const attempt = `${out}.${randomUUID()}.tmp`;
  try {
    if (out.endsWith(".csv")) await writeCsv(db, table, attempt, "key");
    else await db.outputFile(table, attempt);
    await rename(attempt, out);
  } finally {
    await rm(attempt, { force: true });
  }
}

async function readTotals(db: Database): Promise<Omit<z.input<typeof summary>, "signals">> {
  const totalsSql = (column: string) => `{
    'scored': count(${column})::integer, 'mean': round(sum(${column}) / count(${column}), 2),
    'median': median(${column})::double
  }`;
  const range = (column: string) =>
    `(floor(${column} / ${RANGE}) - cast(${column} = 100 as integer)) * ${RANGE} = from_total`;
  const [row] = await db.rows(`
    select json_object(
      'records', count(*), 'own', ${totalsSql("total")}, 'published', ${totalsSql("total_2_0")},
      'compared', {
        'records': count(difference), 'higher': count(*) filter (difference > 0),
        'lower': count(*) filter (difference < 0), 'same': count(*) filter (difference = 0),
        'meanDifference': round(sum(difference) / count(difference), 2)
      },
      'ranges', (
        select list({ 'from': from_total, 'own': own, 'published': published } order by from_total) from (
          select from_total, count(*) filter (${range("total")}) as own,
            count(*) filter (${range("total_2_0")}) as published
          from own_score, range(0, 100, ${RANGE}) as ranges(from_total) group by from_total
        )
      )
    ) as found
    from own_score`);
  return JSON.parse(String(row?.found));
}

async function countStates(db: Database, { signals }: OwnContract): Promise<z.input<typeof summary>["signals"]> {
  const counts = signals.flatMap(({ id }) =>
    STATES.map((state) => `count(*) filter (${id} = ${quote(state)})::integer as ${id}_${state}`),
  );
  const [row = {}] = await db.rows(`select ${counts.join(", ")} from own_score`);
  return signals.map(({ id, name, rule }) => ({
    ...{ id, name, rule },
    states: Object.fromEntries(STATES.map((state) => [state, Number(row[`${id}_${state}`])])) as Record<
      (typeof STATES)[number],
      number
    >,
  }));
}
