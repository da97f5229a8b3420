/**
 * Prepared tables of researchers, institutions and countries: what each is filtered and ordered by under a version, and
 * what its row shows, the texts once for all versions.
 */

import { type Database, quote } from "../../../pipeline/engine/open.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES, type Table } from "../../../schemas/public/tables.ts";
import { type AggregateName, SHARED_COLUMNS, TABLES } from "./lists.ts";
import { runAll } from "./run-all.ts";

interface Aggregate {
  readonly list: AggregateName;
  readonly table: Table;
  /** Column that tells its rows apart under one version. */
  readonly id: string;
  /** Column that is searched and ordered by as text. */
  readonly text: string;
  /** Columns to filter and order by. */
  readonly narrow: readonly string[];
}

const AGGREGATES: readonly Aggregate[] = [
  {
    list: "authors",
    table: AGGREGATE_TABLES.researcher,
    id: "id",
    text: "name",
    // A researcher's row shows 0 where no mean is known.
    narrow: [
      ...["s_index", "s_impact", "dataset_count", "max_score", "coalesce(mean_score, 0) as mean_score"],
      ...["mean_s", "mean_h", "mean_a", "mean_r", "mean_e", "mean_cap", "passed_of_evaluable"],
    ],
  },
  {
    list: "institutions",
    table: AGGREGATE_TABLES.institution,
    id: "id",
    text: "label",
    narrow: ["record_count", "author_count", "mean_score", "country_code"],
  },
  {
    list: "geography",
    table: AGGREGATE_TABLES.country,
    id: "country_code",
    text: "country_code",
    narrow: ["record_count", "mean_score"],
  },
];

type Versions = readonly PublicVersion[];

/** The texts of everything listed under any version, by id; of several versions the first. */
function shared({ list, table, id }: Aggregate, versions: Versions): string {
  const columns = SHARED_COLUMNS[list].join(", ");
  const parts = versions.map((version, i) => {
    const earlier = versions.slice(0, i).map((other) => quote(other));
    const isNew = `and ${id} not in (select ${id} from ${table.name} where rubric in (${earlier.join(", ")}))`;
    return `select ${columns} from ${table.name} where rubric = ${quote(version)} ${i === 0 ? "" : isNew}`;
  });
  return `create table ${TABLES.texts(list)} as
    select cast(row_number() over (order by ${id}) - 1 as integer) as position, ${columns}
    from (${parts.join(" union all ")}) as listed order by position`;
}

/** `<list>_text`: every distinct text, and its place in their order. `<list>_place`: position and text of every id. */
function places({ list, id, text }: Aggregate): string[] {
  return [
    `create table ${list}_text as
     select text, cast(row_number() over (order by text) as integer) as key
     from (select distinct ${text} as text from ${TABLES.texts(list)}) as texts`,
    `create table ${list}_place as
     select shown.${id} as id, shown.position, texts.key
     from ${TABLES.texts(list)} as shown join ${list}_text as texts on texts.text = shown.${text}`,
  ];
}

function versioned({ list, table, id, narrow }: Aggregate, version: PublicVersion): string[] {
  const placed = `from ${table.name} join ${list}_place as place on place.id = ${table.name}.${id}
    where ${table.name}.rubric = ${quote(version)} order by place.position`;
  const figures = Object.keys(table.columns).filter(
    (name) => name !== "rubric" && !SHARED_COLUMNS[list].includes(name),
  );
  return [
    `create table ${TABLES.listed(list, version)} as select place.position, place.key as text, ${narrow.join(", ")} ${placed}`,
    `create table ${TABLES.figures(list, version)} as select place.position, ${figures.join(", ")} ${placed}`,
  ];
}

/** Makes the tables of all three; leaves `<list>_text` and `<list>_place` for the search index. */
export async function prepareAggregates(db: Database, { rubrics }: Receipt, signal: AbortSignal): Promise<void> {
  const versions = rubrics.map(({ version }) => version);
  for (const aggregate of AGGREGATES) {
    const tables = versions.flatMap((version) => versioned(aggregate, version));
    await runAll(db, [shared(aggregate, versions), ...places(aggregate), ...tables], signal);
  }
}
