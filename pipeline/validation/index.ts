/**
 * Computes the validation of a release: figures that show how reliable its scores are as a measurement. They are
 * computed from the finished tables.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { AGGREGATE_TABLES, RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import {
  type Agreement,
  MIN_RECORDS,
  NO_CAUSE,
  type Outcome,
  VALIDATION_FILE,
  VALIDATION_PAGE,
  type Validation,
  validation,
} from "../../schemas/public/validation.ts";
import { validationPage } from "../../web/report/validation.ts";
import type { Rules } from "../diff/rules.ts";
import { type Database, type DuckDBOptions, openDuckDB } from "../engine/open.ts";
import type { TablePaths } from "../pages/columns.ts";
import { columnName, type ScoredContract, scoringSql } from "../rubrics/contracts.ts";
import { supportedMask } from "../sources/pledges.ts";
import { buildPopulations, isScaled, readCounts, scaledContract } from "./populations.ts";
import {
  addPairSums,
  agreement,
  type ContingencyCell,
  kappa,
  NO_PAIRS,
  type PairSums,
  pairSums,
  rounded,
  tauInterval,
} from "./statistics.ts";

/** The receipt, the tables and the rules of a release. */
export interface ReleaseToValidate {
  readonly receipt: Pick<Receipt, "releaseDigest" | "asOf" | "rubrics">;
  readonly tables: TablePaths;
  readonly rules: Rules;
}

/**
 * Largest number of records that are scored again with scaled thresholds. For larger releases, a sample of about this
 * size is used, so that the time stays the same.
 */
const MAX_SCALED = 20_000;

const READ = [
  RECORD_TABLES.record,
  RECORD_TABLES.alias,
  RECORD_TABLES.duplicate_evidence,
  SCORE_TABLES.score,
  AGGREGATE_TABLES.authorship,
];

/**
 * Computes the validation of a release. Data that do not fit into memory are written to disk. The result does not
 * depend on the number of threads.
 */
export async function validate(release: ReleaseToValidate, options: DuckDBOptions): Promise<Validation> {
  const db = await openDuckDB(options);
  try {
    const { receipt, rules } = release;
    const scored = scoredBy(release);
    await openRelease(db, release.tables);
    await db.fill(
      { name: "signal_bit", columns: { bit: "int" } },
      SIGNAL_IDS.map((_, bit) => ({ bit })),
    );
    await loadPledges(db, rules, scored);
    const counts = await recordCounts(db);
    const sampled = await chooseSample(db, counts.harvested);
    await run(db, "10-patterns");
    await scoreDuplicates(db, scored);
    await run(db, "20-agreement");
    await run(db, "30-outcomes");
    await scoreScaled(db, scored, sampled?.below ?? null);
    await run(db, "40-thresholds");
    await run(db, "50-clusters", { clusters_below: sampled?.below.slice(1) ?? AFTER_DIGESTS });
    const read = await readCounts(db);
    return validation.parse({
      format: 2,
      releaseDigest: receipt.releaseDigest,
      asOf: receipt.asOf,
      least: MIN_RECORDS,
      ...counts,
      sampled,
      rubrics: receipt.rubrics.map(({ version, contract }) => ({
        version,
        contract,
        populations: buildPopulations(read, version, (halves, bit) =>
          isScaled(scored.find(({ rubric }) => rubric === version)?.contract.signals[bit]?.rule ?? "", halves),
        ),
      })),
      sources: await agreements(db),
      outcomes: await compareOutcomes(db),
      caution: NO_CAUSE,
    });
  } finally {
    db.close();
  }
}

/** A text that sorts after all hexadecimal digits. */
const AFTER_DIGESTS = "g";

function run(db: Database, name: string, variables: Readonly<Record<string, string>> = {}): Promise<void> {
  return db.runFile(new URL(`./${name}.sql`, import.meta.url), variables);
}

function scoredBy({ receipt, rules }: ReleaseToValidate): ScoredContract[] {
  return receipt.rubrics.map(({ version, contract }) => {
    const figures = rules.contracts.get(contract);
    if (figures === undefined)
      throw new Error(
        `the release lacks the contract ${contract} that its receipt names: restore the release from a copy`,
      );
    return { rubric: version, contract: figures };
  });
}

async function openRelease(db: Database, tables: TablePaths): Promise<void> {
  for (const table of READ) await db.inputOlder(table, tables[table.name] ?? "");
  await db.inputOlder({ ...RECORD_TABLES.evidence, name: "read_evidence" }, tables.evidence ?? "");
}

async function recordCounts(db: Database): Promise<{ harvested: number; generated: number }> {
  const [row] = await db.rows(
    "select count(*) filter (where not generated) as harvested, count(*) filter (where generated) as generated from record",
  );
  return { harvested: Number(row?.harvested), generated: Number(row?.generated) };
}

/**
 * Chooses a sample: the records whose ids are smaller than `below`. Returns null if all records are used. Ids are
 * digests, so a range of them is an unbiased sample, and the same one on every machine.
 */
async function chooseSample(db: Database, harvested: number): Promise<{ below: string; records: number } | null> {
  if (harvested <= MAX_SCALED) return null;
  const part = Math.max(1, Math.floor((4096 * MAX_SCALED) / harvested));
  const below = `r${part.toString(16).padStart(3, "0")}`;
  const [row] = await db.rows(`select count(*) as records from record where not generated and id < $below`, { below });
  return { below, records: Number(row?.records) };
}

/** Writes the figures of the validation, and the page that shows them, below the tree of a release. */
export async function writeValidation(
  tree: string,
  release: ReleaseToValidate & { readonly receipt: Pick<Receipt, "scoreReleaseVersion"> },
  options: DuckDBOptions,
): Promise<Validation> {
  const figures = await validate(release, options);
  await mkdir(dirname(join(tree, VALIDATION_FILE)), { recursive: true });
  await writeFile(join(tree, VALIDATION_FILE), `${JSON.stringify(figures)}\n`);
  const names = new Map(
    scoredBy(release).map(({ rubric, contract }) => [
      rubric,
      new Map(contract.signals.map(({ id, name }) => [id, name])),
    ]),
  );
  const sources = new Map([...release.rules.pledges].map(([source, { name }]) => [source, name]));
  const page = validationPage(figures, release.receipt.scoreReleaseVersion, names, sources);
  await writeFile(join(tree, VALIDATION_PAGE), page);
  return figures;
}

/**
 * Returns how far two sources agree on the same datasets. Leaves out pairs of sources with too few common datasets.
 * `taken` is the source whose record is published.
 */
async function agreements(db: Database): Promise<Agreement[]> {
  const rows = await db.rows("select * from agreement_count");
  const byPair = Map.groupBy(rows, ({ taken, other, rubric }) => `${rubric} ${taken} ${other}`);
  return [...byPair.values()].flatMap((own) => {
    const [first] = own;
    const records = Number(first?.records ?? 0);
    if (first === undefined || records < MIN_RECORDS) return [];
    const signals = own.map((row) => {
      const n = Number(row.n);
      const answers = {
        n,
        one: Number(row.passed_taken),
        other: Number(row.passed_other),
        both: Number(row.passed_both),
      };
      const known = n >= MIN_RECORDS;
      return {
        signal: SIGNAL_IDS[Number(row.bit)],
        n,
        agreement: known ? rounded(agreement(answers)) : null,
        kappa: known ? rounded(kappa(answers)) : null,
      };
    });
    const { taken, other, rubric } = first;
    return [validation.shape.sources.element.parse({ taken, other, rubric, records, signals })];
  });
}

/** Factors by which thresholds are scaled, in units of one half: 1 means half the threshold, and 4 means double. */
const SCALES = [1, 4];

async function loadPledges(db: Database, { pledges }: Rules, scored: readonly ScoredContract[]): Promise<void> {
  const supported = scored.map(({ contract: { contract } }) => ({
    contract,
    column: `supported_${columnName(contract)}`,
  }));
  const ints = Object.fromEntries(supported.map(({ column }) => [column, "int"] as const));
  await db.fill(
    { name: "pledge", columns: { source: "text", never_carries: "bigint", ...ints } },
    [...pledges].map(([source, pledge]) => ({
      source,
      never_carries: pledge.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n),
      ...Object.fromEntries(supported.map(({ column, contract }) => [column, supportedMask(pledge, contract)])),
    })),
  );
}

/** Creates `duplicate_score`: scores of records that are not published, because another source has the same dataset. */
async function scoreDuplicates(db: Database, scored: readonly ScoredContract[]): Promise<void> {
  await db.run("create or replace view evidence as select * from duplicate_evidence");
  await db.run(`create table duplicate_score as ${scoringSql(scored, 0)}`);
}

/**
 * Creates `scaled_score`: scores with scaled thresholds. Scores only harvested records whose id is smaller than
 * `below`, or all of them if `below` is null.
 */
async function scoreScaled(db: Database, scored: readonly ScoredContract[], below: string | null): Promise<void> {
  const sample = below === null ? "" : `and record.id < '${below}'`;
  await db.run(`create or replace view evidence as
    select read_evidence.* from read_evidence join record on record.id = read_evidence.id where not record.generated ${sample}`);
  const parts = SCALES.map((halves) => {
    const scaled = scored.map(({ rubric, contract }) => ({ rubric, contract: scaledContract(contract, halves) }));
    return `select ${halves} as scale, * from (${scoringSql(scaled, 0)})`;
  });
  await db.run(`create table scaled_score as ${parts.join(" union all ")}`);
}

interface PooledSums {
  readonly strata: number;
  readonly sums: PairSums;
}

/**
 * Computes how scores correlate with the later use of datasets, such as citations. Compares only datasets of the same
 * source and year. Leaves out outcomes for which no such group is large enough.
 */
async function compareOutcomes(db: Database): Promise<Outcome[]> {
  const pooled = new Map<string, PooledSums>();
  for await (const { outcome, source, cells } of strata(db)) {
    const sums = pairSums(cells);
    // A group without variation carries no information.
    if (sums.n < MIN_RECORDS || sums.differX === 0 || sums.differY === 0) continue;
    for (const name of [`${outcome} `, `${outcome} ${source}`]) {
      const { strata: before, sums: own } = pooled.get(name) ?? { strata: 0, sums: NO_PAIRS };
      pooled.set(name, { strata: before + 1, sums: addPairSums(own, sums) });
    }
  }
  return [...pooled.keys()].sort().map((name) => {
    const [outcome, source = ""] = name.split(" ");
    const { strata: groups, sums } = pooled.get(name) ?? { strata: 0, sums: NO_PAIRS };
    return validation.shape.outcomes.element.parse({
      outcome,
      source: source === "" ? null : source,
      strata: groups,
      n: sums.n,
      ...tauInterval(sums),
    });
  });
}

/** One group of datasets that are compared: those of one source and one year, counted by total and by later use. */
interface Stratum {
  readonly outcome: string;
  readonly source: string;
  readonly cells: readonly ContingencyCell[];
}

/** Yields the groups one after another, so that only one group is in memory. */
async function* strata(db: Database): AsyncGenerator<Stratum> {
  let [outcome, source, year] = ["", "", ""];
  let cells: ContingencyCell[] = [];
  const rows = db.stream("select outcome, source, year, class, passed, records from outcome_count");
  for await (const batch of rows) {
    for (const [of, from, then, value, passed, records] of batch) {
      if (of !== outcome || from !== source || then !== year) {
        if (cells.length > 0) yield { outcome, source, cells };
        cells = [];
        [outcome, source, year] = [String(of), String(from), String(then)];
      }
      cells.push({ x: Number(passed), y: Number(value), n: Number(records) });
    }
  }
  if (cells.length > 0) yield { outcome, source, cells };
}
