/** Two releases side by side: everything that came, went or moved, and what moved it, as tables of one database. */

import { columnName, scoringSql } from "../../pipeline/3-score/compile.ts";
import { type Database, type DuckDBOptions, openDuckDB } from "../../pipeline/engine/open.ts";
import { NO_POLICY } from "../../pipeline/rubrics/contracts.ts";
import { supportedMask } from "../../pipeline/sources/pledges.ts";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import type { ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { ReleasedRubric } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { AGGREGATE_TABLES, RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import { changedReaders } from "./changed-readers.ts";
import { evidenceStepsSql } from "./evidence-steps.ts";
import type { Rules } from "./rules.ts";
import type { Side } from "./side.ts";

/** The tables of a release that a diff reads; they are there as `before_<name>` and `after_<name>`. */
const READ = [
  RECORD_TABLES.record,
  RECORD_TABLES.evidence,
  RECORD_TABLES.alias,
  RECORD_TABLES.unlisted,
  SCORE_TABLES.score,
  AGGREGATE_TABLES.researcher,
  AGGREGATE_TABLES.metrics,
];

export interface Comparison {
  /** With the tables of schemas/public/api/diff.ts, `pair`, and those of both releases. Close it. */
  readonly db: Database;
  /** Whether what moved could be told apart by recomputing. */
  readonly attributed: boolean;
}

/** Compares; nothing before is an empty release. What does not fit in memory spills to disk. */
export async function compare(before: Side | null, after: Side, options: DuckDBOptions): Promise<Comparison> {
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

async function loadSides(db: Database, before: Side | null, after: Side): Promise<void> {
  for (const table of READ) {
    await db.inputAsMade({ ...table, name: `after_${table.name}` }, after.tables[table.name] ?? "");
    const earlier = { ...table, name: `before_${table.name}` };
    if (before === null) await db.create(earlier);
    else await db.inputAsMade(earlier, before.tables[table.name] ?? "");
  }
  await db.run("create table compared_rubric (rubric varchar)");
  for (const rubric of comparedRubrics(before, after)) {
    await db.run("insert into compared_rubric values ($rubric)", { rubric });
  }
  await db.run("create table signal_name (bit integer, signal varchar)");
  for (const [bit, signal] of SIGNAL_IDS.entries()) {
    await db.run("insert into signal_name values ($bit, $signal)", { bit, signal });
  }
}

/** The public versions that both have, or that the first of all has. */
export function comparedRubrics(before: Side | null, after: Side) {
  const earlier = before?.receipt.rubrics.map(({ version }) => version);
  return after.receipt.rubrics.map(({ version }) => version).filter((version) => earlier?.includes(version) ?? true);
}

/** Makes `rescored`: the evidence between the two, step by step, under the old contracts. False where they are not at hand. */
async function rescore(db: Database, before: Side, after: Side): Promise<boolean> {
  const rules = after.rules === null ? null : before.rules;
  const scored = rules === null ? [] : comparedContracts(rules, before, after);
  if (rules === null || after.rules === null || scored.length === 0) {
    await db.run("create view rescored as select * from before_score where false");
    return false;
  }
  await loadPledges(db, scored, rules, after.rules);
  await db.run(evidenceStepsSql(before.receipt.asOf, after.receipt.asOf));
  await db.run(`create table rescored as ${scoringSql(scored, NO_POLICY.leastEvaluable)}`);
  await db.run("drop table evidence");
  return true;
}

function comparedContracts({ contracts }: Rules, before: Side, after: Side) {
  const compared = comparedRubrics(before, after);
  return before.receipt.rubrics.flatMap(({ version, contract }): { rubric: string; contract: ReleasedRubric }[] => {
    const found = contracts.get(contract);
    return found === undefined || !compared.includes(version) ? [] : [{ rubric: version, contract: found }];
  });
}

/**
 * Both sets of pledges as scoring reads them, under the old contracts. The pledge of the other release is used if a release has
 * none of that source, or one that does not answer for that contract, because it was made before there was one.
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

/** What nobody pledges is not supported. */
function pledgeValues(pledges: readonly ReleasedPledge[], contracts: readonly string[]): (bigint | number)[] {
  const never = (pledges[0]?.neverCarries ?? []).reduce((mask, name) => mask | evidenceBit(name), 0n);
  return [
    never,
    ...contracts.map((contract) => {
      const answering = pledges.find((pledge) => pledge.contracts[contract] !== undefined);
      return answering === undefined ? 0 : supportedMask(answering, contract);
    }),
  ];
}

/** Makes `read_alike`: the sources of which the same payload says something else only because the day is another. */
async function loadReadAlike(db: Database, before: Side | null, after: Side): Promise<void> {
  const changed = before === null ? [] : changedReaders(before.receipt, after.receipt).map(({ source }) => source);
  const otherDay = before !== null && before.receipt.asOf !== after.receipt.asOf;
  const alike = otherDay ? after.receipt.sources.filter(({ source }) => !changed.includes(source)) : [];
  await db.fill(
    { name: "read_alike", columns: { source: "text" } },
    alike.map(({ source }) => ({ source })),
  );
}
