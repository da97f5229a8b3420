/** Prepared tables of records: what they are filtered and ordered by, and what their rows show. */

import { type Database, quote } from "../../../pipeline/engine/open.ts";
import { LISTED_SCORE } from "../../../pipeline/pages/listings.ts";
import { readPledges, supportedMask } from "../../../pipeline/sources/pledges.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { popcount } from "../../../schemas/public/signal.ts";
import { TABLES } from "./lists.ts";
import { runAll } from "./run-all.ts";

/** Tables of all records, and what the tables of a version are made from. */
const RECORDS = new URL("./records.sql", import.meta.url);

/** Needs those of RECORDS, and removes what no query needs. */
const POSITIONS = new URL("./positions.sql", import.meta.url);

/** Scores of one version as rows show them; null where a record has no total. */
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
      keyed.title, keyed.pub_date, keyed.repository, keyed.record_kind, keyed.access_status
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

/** Makes the tables of records of the versions that the release publishes. */
export async function prepareRecords(db: Database, receipt: Receipt, signal: AbortSignal): Promise<void> {
  const versions = receipt.rubrics.flatMap(({ version }) => [listed(version), figures(version)]);
  await runAll(db, [RECORDS, await pledged(receipt), ...versions, POSITIONS], signal);
  const { scored, insufficient, failed } = receipt.coverage;
  const held = scored + insufficient + failed;
  const [row] = await db.rows(`select cast(count(*) as integer) as records from ${TABLES.texts("records")}`);
  if (row?.records !== held) {
    throw new Error(`${receipt.releaseDigest} has ${row?.records} records where its receipt says ${held}`);
  }
}
