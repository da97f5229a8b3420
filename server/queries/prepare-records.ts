/** Prepared tables of records: what they are filtered and ordered by, and what their rows show. */

import { type Database, quote } from "../../pipeline/duckdb/open.ts";
import { LISTED_SCORE } from "../../pipeline/pages/list-rows.ts";
import { readPledges, supportedMask } from "../../pipeline/pledges.ts";
import type { Receipt } from "../../schemas/release.ts";
import type { PublicVersion } from "../../schemas/rubric.ts";
import { popcount } from "../../schemas/signal.ts";
import { TABLES } from "./lists.ts";

/** Fields of few distinct values that filters match exactly: kept as numbers, which compare ten times faster. */
const LABELLED = ["repository", "record_kind", "access_status"] as const;

/** A text as a number of the same order; null stays null. */
const ranked = (column: string) =>
  `case when ${column} is not null then cast(dense_rank() over (order by ${column} nulls last) as integer) end`;

const ROWS = `
  create table wide.records as
  select cast(row_number() over (order by id) - 1 as integer) as position, id, doi, repository, title, pub_date, status
  from record order by id`;

const LABEL = `
  create table narrow.label as
  with label as (
    ${LABELLED.map((kind) => `select distinct '${kind}' as kind, ${kind} as value from record where ${kind} is not null`).join(" union all ")}
  )
  select kind, value, cast(row_number() over (order by kind, value) as integer) as code from label order by kind, value`;

const KEYED = `
  create table keyed_record as
  select shown.position, shown.id, record.source, ${ranked("shown.title")} as title, ${ranked("shown.pub_date")} as pub_date,
    ${LABELLED.map((kind) => `${kind}_label.code as ${kind}`).join(", ")}
  from wide.records as shown
  join record on record.id = shown.id
  ${LABELLED.map((kind) => `left join narrow.label as ${kind}_label on ${kind}_label.kind = '${kind}' and ${kind}_label.value = record.${kind}`).join("\n")}`;

/** Scores of one version as rows show them; null where a record failed. */
function figures(version: PublicVersion): string {
  return `create table ${TABLES.figures("records", version)} as
    select position, ${LISTED_SCORE.join(", ")} from ${TABLES.listed("records", version)} order by position`;
}

/** A failed record is supported in what its source's pledge supports, like every other. */
function listed(version: PublicVersion): string {
  return `
    create table ${TABLES.listed("records", version)} as
    select keyed.position, ${LISTED_SCORE.map((name) => `score.${name}`).join(", ")},
      cast(coalesce(bit_count(score.supported_mask), pledged.supported) as integer) as supported,
      keyed.title, keyed.pub_date, ${LABELLED.map((kind) => `keyed.${kind}`).join(", ")}
    from keyed_record as keyed
    left join score on score.id = keyed.id and score.rubric = ${quote(version)}
    left join pledged on pledged.source = keyed.source and pledged.rubric = ${quote(version)}
    order by keyed.position`;
}

async function pledged({ rubrics }: Receipt): Promise<string> {
  const rows = [...(await readPledges())].flatMap(([source, pledge]) =>
    rubrics.map(
      ({ version, contract }) => `(${quote(source)}, ${quote(version)}, ${popcount(supportedMask(pledge, contract))})`,
    ),
  );
  return `create table pledged as select * from (values ${rows.join(", ")}) as pledge (source, rubric, supported)`;
}

const POSITIONED = [
  "create table narrow.doi as select doi, position from wide.records where doi is not null order by doi",
  `create table narrow.facet as
   select distinct facet.kind, facet.value, shown.position from facet join wide.records as shown on shown.id = facet.id
   order by facet.kind, facet.value, shown.position`,
  `create table narrow.alias as
   select alias.alias_id, shown.position from alias join wide.records as shown on shown.id = alias.id
   order by alias.alias_id`,
];

/** Runs the statements one after the other, as long as they are wanted. */
export async function runAll(db: Database, statements: readonly string[], signal: AbortSignal): Promise<void> {
  for (const statement of statements) {
    signal.throwIfAborted();
    await db.run(statement);
  }
}

/** Makes the tables of records of the versions that the release publishes. */
export async function prepareRecords(db: Database, receipt: Receipt, signal: AbortSignal): Promise<void> {
  const versions = receipt.rubrics.flatMap(({ version }) => [listed(version), figures(version)]);
  await runAll(
    db,
    [
      ROWS,
      LABEL,
      KEYED,
      await pledged(receipt),
      ...versions,
      "drop table keyed_record",
      "drop table pledged",
      ...POSITIONED,
    ],
    signal,
  );
  const { scored, failed } = receipt.coverage;
  const [row] = await db.rows("select cast(count(*) as integer) as records from wide.records");
  if (row?.records !== scored + failed) {
    throw new Error(`${receipt.releaseDigest} has ${row?.records} records where its receipt says ${scored + failed}`);
  }
}
