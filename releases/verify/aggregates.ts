/**
 * Computes everything that follows from evidence, authorships and attributions again, with the statements of the batch:
 * scores, researchers, metrics, repositories, institutions, countries and search terms.
 */

import { join } from "node:path";
import { institutionIn } from "../../pipeline/2-normalise/rows.ts";
import { type Database, type DuckDBOptions, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { CheckError } from "../../pipeline/engine/sql-text.ts";
import { releaseTablePaths, type TablePaths } from "../../pipeline/pages/columns.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import {
  AGGREGATE_TABLES,
  OPTIONAL_TABLES,
  RECORD_TABLES,
  SCORE_TABLES,
  type Table,
  tablesOf,
} from "../../schemas/public/tables.ts";
import { type Found, report } from "./finding.ts";
import { compareTables } from "./rows.ts";

/** The computed tables in order of their dependencies. */
const COMPUTED: readonly Table[] = [...Object.values(SCORE_TABLES), ...Object.values(AGGREGATE_TABLES)];

const STEPS = ["20-indices", "30-metrics", "40-attribution", "50-search", "checks"] as const;

const stepFile = (step: string) => new URL(`../../pipeline/4-aggregate/${step}.sql`, import.meta.url);

/** Creates `score` from `evidence` in a database, and the release's other scores. */
export type ScoreIn = (db: Database, versions: readonly string[]) => Promise<void>;

/**
 * Compares the release's tables with those computed from stage 2. Returns the paths of correct tables: the release's
 * own if all match, else tables in `scratch`.
 */
export async function recompute(
  folder: string,
  receipt: Receipt,
  scratch: string,
  options: DuckDBOptions,
  scoreIn: ScoreIn,
  found: Found,
): Promise<TablePaths> {
  const db = await openDuckDB({ ...options, spill: join(scratch, "spill") });
  try {
    await openPublished(db, releaseTablePaths(folder, tablesOf(receipt)));
    await scoreIn(
      db,
      receipt.rubrics.map(({ version }) => version),
    );
    await materialise(db, SCORE_TABLES.score);
    await prepare(db, receipt);
    const attribution = receipt.attribution === null ? "without" : "with";
    for (const step of STEPS) {
      if (step === "checks") await checked(db, found);
      else await db.runFile(stepFile(step), step === "40-attribution" ? { attribution } : {});
    }
    await verifyCoverage(db, receipt, found);
    await verifyInstitutions(db, found);
    const compared = [...COMPUTED, ...tablesOf(receipt).filter((table) => OPTIONAL_TABLES.includes(table))];
    if (await compareTables(db, folder, compared, found)) return releaseTablePaths(folder);
    const folders = COMPUTED.map((table) => ({ table, folder: join(scratch, table.name) }));
    for (const { table, folder } of folders) await db.output(table, folder);
    const paths = Object.fromEntries(folders.map(({ table, folder }) => [table.name, folder]));
    return { ...releaseTablePaths(folder), ...paths };
  } finally {
    db.close();
  }
}

/** Opens tables of stage 2 under their names, and all others as `published_<name>`. */
async function openPublished(db: Database, paths: TablePaths): Promise<void> {
  for (const table of Object.values(RECORD_TABLES)) {
    const path = paths[table.name];
    if (path !== undefined) await db.inputOlder(table, path);
  }
  for (const table of COMPUTED) {
    await db.inputOlder({ ...table, name: `published_${table.name}` }, paths[table.name] ?? "");
  }
}

/** Replaces a view by a table, so that it is computed once. */
async function materialise(db: Database, table: Table): Promise<void> {
  await db.run(`create table kept as select * from ${table.name}`);
  await db.run(`drop view ${table.name}`);
  await db.run(`alter table kept rename to ${table.name}`);
}

/**
 * Creates the inputs of stage 4's statements. Authorships do not contain the folded names that decided identity, so the
 * researcher ids come from them.
 */
async function prepare(db: Database, receipt: Receipt): Promise<void> {
  const versions = receipt.rubrics.map(({ version }) => `(${quote(version)})`).join(", ");
  await db.run(`
    create table published_rubric as select * from (values ${versions}) as of_receipt (rubric);
    create table withheld (id varchar);
    create table ror (ror varchar, country_code varchar);
    create view authorship as select * from published_authorship;
    create table authored as
    select authorship.id, authorship.position, authorship.name, authorship.affiliation, authorship.orcid,
      authorship.researcher_id, authorship.slug, record.version_family
    from published_authorship as authorship
    join record on record.id = authorship.id
    where authorship.researcher_id is not null;
    create view identified as select id, position, researcher_id from authored;
    create table basis as
    select id, min(identity_basis) as identity_basis from published_researcher group by id;
    create table shown_name as
    select researcher_id, name from (
      select researcher_id, name, row_number() over (partition by researcher_id order by count(*) desc, name) as place
      from authored group by researcher_id, name
    ) where place = 1;
    create table shown_affiliation as
    select researcher_id, affiliation from (
      select researcher_id, affiliation,
        row_number() over (partition by researcher_id order by count(*) desc, affiliation) as place
      from authored where affiliation is not null group by researcher_id, affiliation
    ) where place = 1;
    create table researcher_identity as
    with named as (
      select researcher_id as id, max(orcid) as orcid, min(slug) as slug, count(distinct version_family) as families
      from authored group by researcher_id
    )
    select named.id, named.orcid, named.slug, shown_name.name, shown_affiliation.affiliation,
      case
        when named.orcid is not null then 'orcid'
        when basis.identity_basis = 'name' and named.families = 1 then 'name'
        else 'name_affiliation'
      end as identity_basis
    from named
    join shown_name on shown_name.researcher_id = named.id
    left join shown_affiliation on shown_affiliation.researcher_id = named.id
    left join basis on basis.id = named.id;
    create table affiliation as
    select attribution.id, attribution.position, attribution.place, attribution.institution_id,
      institution.reported_json, institution.label, cast(null as varchar) as ror, attribution.country_code as country,
      attribution.country_basis
    from published_attribution as attribution
    left join (select id, min(reported_json) as reported_json, min(label) as label from published_institution group by id) as institution
      on institution.id = attribution.institution_id;`);
}

/** Compares the id and label of each institution with its exact text. Earlier releases have no exact text. */
async function verifyInstitutions(db: Database, found: Found): Promise<void> {
  const texts =
    "select distinct id, reported_json, label from published_institution where reported_json is not null order by id";
  for await (const rows of db.stream(texts)) {
    for (const [id, reported, label] of rows) {
      const made = institutionIn(String(reported));
      if (made?.id === id && made?.label === label && made?.reported === reported) continue;
      found("invariant", `institutions: id or label of ${id} does not follow from its reported_json`);
    }
  }
}

async function checked(db: Database, found: Found): Promise<void> {
  await db.check(stepFile("checks")).catch((error: unknown) => {
    if (!(error instanceof CheckError)) throw error;
    found("invariant", error.message);
  });
  const wrong = await db.rows(
    `select distinct researcher_id from authored
     where orcid is not null and researcher_id <> researcher_id(orcid, false, '', '', '') order by researcher_id limit 21`,
  );
  report(
    found,
    "researcher",
    wrong.map(({ researcher_id: id }) => `${id} is not the id that its ORCID gives`),
  );
}

async function verifyCoverage(db: Database, { attribution }: Receipt, found: Found): Promise<void> {
  if (attribution === null) return;
  const [counted] = await db.rows("select * from attribution_coverage");
  const { byBasis, withoutAffiliation, withoutCountry } = attribution;
  const stated = {
    records: attribution.records,
    attributed: attribution.attributed,
    unattributed: attribution.unattributed,
    by_ror: byBasis?.ror,
    by_field: byBasis?.field,
    by_text: byBasis?.text,
    by_region: byBasis?.region,
    without_affiliation: withoutAffiliation,
    without_country: withoutCountry,
  };
  for (const [name, value] of Object.entries(stated)) {
    // Earlier receipts do not state the bases.
    if (value !== undefined && counted?.[name] !== value) {
      found("attribution", `${name} are ${counted?.[name]}, the receipt states ${value}`);
    }
  }
}
