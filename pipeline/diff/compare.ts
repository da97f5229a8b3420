/**
 * Compares two releases. Writes the added, removed and changed records, with the causes of their changes, to tables of
 * one database.
 */

import {
  DIFF_TABLES,
  type RecordChange,
  type ReleaseDiff,
  type ResearcherChange,
  recordChange,
  researcherChange,
} from "../../schemas/public/api/diff.ts";
import { EVIDENCE, type EvidenceName, evidenceBit } from "../../schemas/public/evidence.ts";
import type { ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { ReleasedRubric } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { AGGREGATE_TABLES, RECORD_TABLES, SCORE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { type Cell, type Database, type DuckDBOptions, openDuckDB } from "../engine/open.ts";
import { releaseTablePaths, type TablePaths } from "../pages/columns.ts";
import { columnName, NO_POLICY, scoringSql } from "../rubrics/contracts.ts";
import { supportedMask } from "../sources/pledges.ts";
import { type Rules, readReleaseRules } from "./rules.ts";

/** The tables of a release that a diff reads. In the database, they are `before_<name>` and `after_<name>`. */
const READ = [
  RECORD_TABLES.record,
  RECORD_TABLES.evidence,
  RECORD_TABLES.alias,
  RECORD_TABLES.unlisted,
  SCORE_TABLES.score,
  AGGREGATE_TABLES.researcher,
  AGGREGATE_TABLES.metrics,
];

export interface ReleaseComparison {
  /**
   * Database with the tables of schemas/public/api/diff.ts, `pair`, and the tables of both releases. Close it after use.
   */
  readonly db: Database;
  /** True if the causes of changes could be told apart, for which the old rules must be available to score again. */
  readonly attributed: boolean;
}

/**
 * Compares two releases. If `before` is null, every record of `after` counts as added. Data that do not fit into memory
 * are written to disk.
 */
export async function compare(
  before: ReleaseSide | null,
  after: ReleaseSide,
  options: DuckDBOptions,
): Promise<ReleaseComparison> {
  const db = await openDuckDB(options);
  try {
    await loadSides(db, before, after);
    await db.runFile(new URL("./10-pairs.sql", import.meta.url));
    await db.runFile(new URL("./20-moved.sql", import.meta.url));
    const attributed = await rescore(db, before ?? after, after);
    await loadReadAlike(db, before, after);
    await db.runFile(new URL("./30-causes.sql", import.meta.url), { attributed: attributed ? "yes" : "no" });
    await db.runFile(new URL("./40-researchers.sql", import.meta.url));
    await db.check(new URL("./checks.sql", import.meta.url));
    return { db, attributed };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function loadSides(db: Database, before: ReleaseSide | null, after: ReleaseSide): Promise<void> {
  for (const table of READ) {
    await db.inputOlder({ ...table, name: `after_${table.name}` }, after.tables[table.name] ?? "");
    const earlier = { ...table, name: `before_${table.name}` };
    if (before === null) await db.create(earlier);
    else await db.inputOlder(earlier, before.tables[table.name] ?? "");
  }
  const rubrics = comparedRubrics(before, after).map((rubric) => ({ rubric }));
  await db.fill({ name: "compared_rubric", columns: { rubric: "text" } }, rubrics);
  const signals = SIGNAL_IDS.map((signal, bit) => ({ bit, signal }));
  await db.fill({ name: "signal_name", columns: { bit: "int", signal: "text" } }, signals);
}

/** Returns the public versions that both releases have. Without an earlier release, returns all versions of `after`. */
export function comparedRubrics(before: ReleaseSide | null, after: ReleaseSide) {
  const earlier = before?.receipt.rubrics.map(({ version }) => version);
  return after.receipt.rubrics.map(({ version }) => version).filter((version) => earlier?.includes(version) ?? true);
}

/**
 * Makes the table `rescored`: masks under the old contracts, for evidence that changes from the old to the new values
 * in steps. Returns false if the old contracts are not available.
 */
async function rescore(db: Database, before: ReleaseSide, after: ReleaseSide): Promise<boolean> {
  const rules = after.rules === null ? null : before.rules;
  const scored = rules === null ? [] : comparedContracts(rules, before, after);
  if (rules === null || after.rules === null || scored.length === 0) {
    await db.run(NOTHING_RESCORED);
    return false;
  }
  // The statements below take a tenth of a small build, even without rows.
  if ((await db.rows("select 1 from moved_pair limit 1")).length === 0) {
    await db.run(NOTHING_RESCORED);
    return true;
  }
  await loadPledges(db, scored, rules, after.rules);
  await db.run(evidenceStepsSql(before.receipt.asOf, after.receipt.asOf));
  await db.run(`create table rescored as ${scoringSql(scored, NO_POLICY.leastEvaluable)}`);
  await db.run("drop table evidence");
  return true;
}

const NOTHING_RESCORED = "create view rescored as select * from before_score where false";

function comparedContracts({ contracts }: Rules, before: ReleaseSide, after: ReleaseSide) {
  const compared = comparedRubrics(before, after);
  return before.receipt.rubrics.flatMap(({ version, contract }): { rubric: string; contract: ReleasedRubric }[] => {
    const found = contracts.get(contract);
    return found === undefined || !compared.includes(version) ? [] : [{ rubric: version, contract: found }];
  });
}

/**
 * Loads the pledges of both releases for scoring under the old contracts. If one release has no pledge for a source or
 * contract, the pledge of the other release takes its place.
 */
async function loadPledges(
  db: Database,
  scored: readonly { readonly contract: ReleasedRubric }[],
  before: Rules,
  after: Rules,
): Promise<void> {
  const contracts = scored.map(({ contract }) => contract.contract);
  const columns = contracts.map((contract) => `supported_${columnName(contract)} integer`);
  await db.run(`create table pledge (source varchar, never_carries bigint, ${columns.join(", ")})`);
  for (const name of new Set([...before.pledges.keys(), ...after.pledges.keys()])) {
    for (const [side, [own, other]] of Object.entries({ before: [before, after], after: [after, before] } as const)) {
      const pledges = [own, other].flatMap(({ pledges }) => pledges.get(name) ?? []);
      const values = pledgeValues(pledges, contracts);
      await db.run(`insert into pledge values ($source, ${values.join(", ")})`, { source: `${side}:${name}` });
    }
  }
}

/** Returns the masks of pledges. A signal that no pledge mentions counts as not supported. */
function pledgeValues(pledges: readonly ReleasedPledge[], contracts: readonly string[]): (bigint | number)[] {
  const never = (pledges[0]?.neverCarries ?? []).reduce((mask, name) => mask | evidenceBit(name), 0n);
  return [
    never,
    ...contracts.map((contract) => {
      const matching = pledges.find((pledge) => pledge.contracts[contract] !== undefined);
      return matching === undefined ? 0 : supportedMask(matching, contract);
    }),
  ];
}

/**
 * Makes the table `read_alike`: sources whose reader did not change, so that only the as-of date can change how their
 * payloads are read. The table is empty if both releases have the same as-of date, or if there is no earlier release.
 */
async function loadReadAlike(db: Database, before: ReleaseSide | null, after: ReleaseSide): Promise<void> {
  const changed = before === null ? [] : changedReaders(before.receipt, after.receipt).map(({ source }) => source);
  const otherDay = before !== null && before.receipt.asOf !== after.receipt.asOf;
  const alike = otherDay ? after.receipt.sources.filter(({ source }) => !changed.includes(source)) : [];
  await db.fill(
    { name: "read_alike", columns: { source: "text" } },
    alike.map(({ source }) => ({ source })),
  );
}

/** Yields the changed records, sorted by public version and id. */
export async function* streamChanges(db: Database): AsyncGenerator<RecordChange> {
  for await (const row of readDiffRows(db, DIFF_TABLES.change)) yield readChange(row);
}

/** Yields the changed researchers, sorted by public version and id. */
export async function* streamResearchers(db: Database): AsyncGenerator<ResearcherChange> {
  for await (const row of readDiffRows(db, DIFF_TABLES.researcher_change)) yield readResearcherChange(row);
}

/** Yields the rows of a table of schemas/public/api/diff.ts as objects, in the order of its key. */
export async function* readDiffRows(db: Database, table: Table): AsyncGenerator<Record<string, Cell>> {
  const names = Object.keys(table.columns);
  const sql = `select ${names.join(", ")} from ${table.name} order by ${table.key.join(", ")}`;
  for await (const batch of db.stream(sql)) {
    for (const values of batch) yield Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
  }
}

/** The fields of a receipt that a diff reads. The receipt of an unfinished release has them too. */
export type SideReceipt = Pick<
  Receipt,
  "scoreReleaseVersion" | "releaseDigest" | "asOf" | "rubrics" | "sources" | "tool" | "content"
>;

export interface ReleaseSide {
  readonly receipt: SideReceipt;
  readonly tables: TablePaths;
  /** Contracts, pledges and word lists of the release; null if they are not available. */
  readonly rules: Rules | null;
}

/** Reads the finished release in a folder. */
export async function readSide(folder: string, receipt: Receipt): Promise<ReleaseSide> {
  return { receipt, tables: releaseTablePaths(folder), rules: await readReleaseRules(folder, receipt) };
}

/**
 * Returns SQL that creates the table `evidence` for the records in `moved_pair`. Its rows lie between the evidence of
 * the two releases, so that the effect of each step on the score is known. Ids are `<step>:<id>`. Each step takes more
 * values from the new release:
 *
 * 1. Columns that only one release carries, but not the first use by others. If the record comes from another source,
 * all columns.
 * 2. In addition, all columns on use by others, such as citations.
 * 3. In addition, all other columns, except an embargo that only ended because time passed.
 * 4. Everything. Step 5 has the same values.
 *
 * The old rules judge steps 1 to 4 (`before:<source>`), and the new pledges step 5 (`after:<source>`). Steps 0 and 6
 * are the scores in the two releases.
 */
function evidenceStepsSql(before: string, after: string): string {
  const passed = { before, after };
  return [
    "create table evidence as",
    stepSql(1, "before", valueWhere(isNewlyCarried), errorsWhere(isNewlyCarried)),
    "union all",
    stepSql(2, "before", valueWhere(isCarriedOrUse), errorsWhere(isCarriedOrUse)),
    "union all",
    stepSql(3, "before", (name) => (name === "embargo_active" ? embargo(passed) : `a."${name}"`), "a.evidence_errors"),
    "union all",
    stepSql(4, "before", (name) => `a."${name}"`, "a.evidence_errors"),
    "union all",
    stepSql(5, "after", (name) => `a."${name}"`, "a.evidence_errors"),
  ].join("\n");
}

function stepSql(
  step: number,
  rules: "before" | "after",
  value: (name: EvidenceName) => string,
  errors: string,
): string {
  const columns = EVIDENCE.map(({ name }) => `  ${value(name)} as "${name}"`);
  return [
    `select '${step}:' || moved_pair.id as id, '${rules}:' || moved_pair.source as source,`,
    [...columns, `  ${errors} as evidence_errors`].join(",\n"),
    "from moved_pair",
    "join before_evidence as b on b.id = moved_pair.before_id",
    "join after_evidence as a on a.id = moved_pair.id",
  ].join("\n");
}

/** Columns on use by others, such as citations. A first citation does not mean that the source now carries a new column. */
const OBSERVED_USE: ReadonlySet<EvidenceName> = new Set([
  "view_count",
  "download_count",
  "citation_count",
  "derivative_count",
  "mention_count",
]);

const SOURCE_MOVED = "moved_pair.source <> moved_pair.before_source";

/** Returns a SQL condition for one step of the comparison. It is true if the step sets this column to its new value. */
type TakesNewValue = (name: EvidenceName) => string;

/**
 * Returns the condition of step 1. It is true if the record comes from another source, or if only one release has a
 * value. For a column on use by others, that release must be the old one, because a first citation is not a newly
 * carried column.
 */
const isNewlyCarried: TakesNewValue = (name) => {
  const [after, before] = [carriedSql("a", name), carriedSql("b", name)];
  return `(${SOURCE_MOVED} or ${OBSERVED_USE.has(name) ? `(${before} and not ${after})` : `${after} <> ${before}`})`;
};

/** Returns the condition of step 2: that of step 1, and also true for every column on use by others. */
const isCarriedOrUse: TakesNewValue = (name) => (OBSERVED_USE.has(name) ? "true" : isNewlyCarried(name));

function valueWhere(takesNewValue: TakesNewValue): (name: EvidenceName) => string {
  return (name) => `case when ${takesNewValue(name)} then a."${name}" else b."${name}" end`;
}

/** Returns a SQL condition that is true if the release has a value for the column, even one that cannot be read. */
function carriedSql(side: "a" | "b", name: EvidenceName): string {
  return `(${side}."${name}" is not null or ${side}.evidence_errors & ${evidenceBit(name)} <> 0)`;
}

function errorsWhere(takesNewValue: TakesNewValue): string {
  const bits = EVIDENCE.map(
    ({ name }) =>
      `case when ${takesNewValue(name)} then a.evidence_errors & ${evidenceBit(name)} else b.evidence_errors & ${evidenceBit(name)} end`,
  );
  return bits.join(" + ");
}

/**
 * Returns SQL that keeps the old access value until step 3 if only the passing of time explains the new value. This
 * means that the embargo ended between the two as-of dates, and that the source says the same about access as before.
 */
function embargo({ before, after }: { readonly before: string; readonly after: string }): string {
  if (before === after) return "a.embargo_active";
  const [running, ended] = before < after ? ["b", "a"] : ["a", "b"];
  const byTime = [
    "moved_pair.source = moved_pair.before_source",
    `${running}.embargo_active and not ${ended}.embargo_active`,
    "a.access_declared is not distinct from b.access_declared",
    "a.access_open is not distinct from b.access_open",
  ];
  return `case when ${byTime.join(" and ")} then b.embargo_active else a.embargo_active end`;
}

/**
 * Returns the sources in both releases whose reader changed. The receipts of old releases do not list readers, so word
 * lists and program versions are compared for them.
 */
export function changedReaders(before: SideReceipt, after: SideReceipt): ReleaseDiff["readers"] {
  const known = new Map(before.sources.map(({ source, reader = null }) => [source, reader]));
  return after.sources.flatMap(({ source, reader = null }) => {
    const earlier = known.get(source);
    if (earlier === undefined) return [];
    const same = earlier === null || reader === null ? isSameProgram(before, after) : earlier.digest === reader.digest;
    return same ? [] : [{ source, before: earlier, after: reader }];
  });
}

function isSameProgram(before: SideReceipt, after: SideReceipt): boolean {
  const reading = ({ tool, content }: SideReceipt) => `${tool.version} ${content.inputs.vocabularies}`;
  return reading(before) === reading(after);
}

export function readChange(row: Readonly<Record<string, Cell>>): RecordChange {
  return recordChange.parse({
    kind: row.kind,
    rubric: row.rubric,
    id: row.id,
    previousId: row.previous_id,
    identifier: row.identifier,
    source: row.source,
    previousSource: row.previous_source,
    repository: row.repository,
    title: row.title,
    statusBefore: row.status_before,
    statusAfter: row.status_after,
    totalBefore: row.total_before,
    totalAfter: row.total_after,
    points: row.points,
    causes: splitWords(row.causes),
    reason: row.reason,
    signals: splitWords(row.signals).map(readSignal),
  });
}

export function readResearcherChange(row: Readonly<Record<string, Cell>>): ResearcherChange {
  return researcherChange.parse({
    rubric: row.rubric,
    id: row.id,
    slug: row.slug,
    name: row.name,
    sIndexBefore: row.s_index_before,
    sIndexAfter: row.s_index_after,
    sImpactBefore: row.s_impact_before,
    sImpactAfter: row.s_impact_after,
    datasetCountBefore: row.dataset_count_before,
    datasetCountAfter: row.dataset_count_after,
  });
}

function splitWords(text: Cell | undefined): string[] {
  return String(text ?? "")
    .split(" ")
    .filter((word) => word !== "");
}

/** Reads a changed signal such as `A5:absent>passed:as_of:4`. */
function readSignal(text: string) {
  const [signal, moved = "", cause, points] = text.split(":");
  const [before, after] = moved.split(">");
  return { signal, cause, before, after, points: Number(points) };
}
