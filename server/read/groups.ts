/**
 * Reads figures of groups of datasets, such as the datasets of each funder, for lists: the numbers of datasets and
 * averages by year, and the same figures in the release before.
 */

import { quote } from "../../pipeline/engine/open.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import type { EarlierFigures, GroupFigures, OverTime } from "../../web/components/list-columns.ts";
import { TABLES } from "./list-tables.ts";
import type { ComparableRelease, Movements } from "./movements.ts";
import type { OpenRelease } from "./open-release.ts";
import type { Parameters, QueryEngine } from "./query-engine.ts";

/**
 * A query for the datasets of groups: SQL with the columns `key` and `position`, each pair once, and its parameters.
 */
interface Groups {
  readonly sql: string;
  readonly parameters: Parameters;
}

/**
 * Separates the keys of groups in a parameter, because a parameter cannot be a list. No name contains this character.
 */
const SEPARATOR = "\u001f";
const KEYS = `(select unnest(string_split($keys, '${SEPARATOR}')))`;

/**
 * Returns the query for the datasets of these researchers, institutions (as reported) or funders. Keys are ids, but
 * names for funders.
 */
export function selectGroups(kind: "authors" | "institutions" | "funders", keys: readonly string[]): Groups {
  const sql = {
    authors: `select person.id as key, own.position from ${TABLES.texts("authors")} as person
      join ${TABLES.authors} as own on own.researcher = person.position where person.id in ${KEYS}`,
    institutions: `select distinct institution.id as key, own.position from ${TABLES.texts("institutions")} as institution
      join ${TABLES.affiliations} as own on own.institution = institution.position where institution.id in ${KEYS}`,
    funders: `select named.name as key, own.position from ${KEYS} as named (name)
      join ${TABLES.funders} as own on own.value = 'name:' || lower(named.name)`,
  };
  return { sql: sql[kind], parameters: { keys: keys.join(SEPARATOR) } };
}

/** Returns the query for the datasets of every repository. Datasets without a repository have an empty key. */
export function allRepositories(version: PublicVersion): Groups {
  const sql = `select coalesce(label.value, '') as key, listed.position
    from ${TABLES.listed("records", version)} as listed
    left join ${TABLES.labels} as label on label.kind = 'repository' and label.code = listed.repository`;
  return { sql, parameters: {} };
}

/** Reads the figures of groups in a release and in the release before. */
export async function readOverTime(
  { engine, receipt }: Pick<OpenRelease, "engine" | "receipt">,
  groups: Groups,
  version: PublicVersion,
  movements: Movements,
): Promise<OverTime> {
  const found = await readGroups(engine, groups, version);
  const changes = await movements.compare(receipt, version);
  const before = changes === null ? null : await readEarlier(engine, groups, found, version, changes);
  return { groups: found, before, until: lastYear(receipt) };
}

/** Returns the last year for which lists draw a bar: the year of the release's as-of date. */
export function lastYear({ asOf }: Pick<Receipt, "asOf">): number {
  return Number(asOf.slice(0, 4));
}

/** Reads the figures of each group, by its key. */
export async function readGroups(
  engine: Pick<QueryEngine, "rows">,
  { sql, parameters }: Groups,
  version: PublicVersion,
): Promise<ReadonlyMap<string, GroupFigures>> {
  const rows = await engine.rows(
    `select own.key, left(date.value, 4) as year, cast(count(*) as integer), cast(count(listed.total) as integer),
       cast(coalesce(sum(listed.total), 0) as double),
       cast(coalesce(sum(${POINTS_PER_SIGNAL} * listed.supported) filter (where listed.total is not null), 0) as double)
     from (${sql}) as own
     join ${TABLES.listed("records", version)} as listed using (position)
     left join ${TABLES.dates} as date on date.key = listed.pub_date
     group by own.key, year order by own.key, year`,
    parameters,
  );
  return new Map(
    [...Map.groupBy(rows, ([key]) => String(key))].map(([key, own]) => {
      const sum = (column: number) => own.reduce((all, cells) => all + Number(cells[column]), 0);
      const scored = sum(3);
      const years = own.map(([, year, datasets, count, points]) => ({
        year: year === null ? null : Number(year),
        datasets: Number(datasets),
        mean: { sum: Number(points), count: Number(count) },
      }));
      const mean = { sum: sum(4), count: scored };
      return [key, { datasets: sum(2), mean, possible: { sum: sum(5), count: scored }, years }];
    }),
  );
}

/**
 * Returns the figures that the datasets of each group had in the release before. They are computed from the present
 * figures, `groups`, and from the table of changes since that release, which `changes` names.
 */
async function readEarlier(
  engine: Pick<QueryEngine, "rows">,
  { sql, parameters }: Groups,
  groups: ReadonlyMap<string, GroupFigures>,
  version: PublicVersion,
  changes: ComparableRelease,
): Promise<EarlierFigures> {
  const rows = await engine.rows(
    `select own.key, cast(count(*) filter (where change.kind = 'added') as integer),
       cast(coalesce(sum(change.total_after), 0) - coalesce(sum(change.total_before), 0) as double),
       cast(count(change.total_after) - count(change.total_before) as integer)
     from (${sql}) as own
     join ${TABLES.texts("records")} as shown using (position)
     join read_parquet(${quote(changes.table)}) as change on change.id = shown.id and change.rubric = $rubric
     group by own.key`,
    { ...parameters, rubric: version },
  );
  const changed = new Map(rows.map(([key, ...cells]) => [String(key), cells.map(Number)]));
  return {
    scoreReleaseVersion: changes.scoreReleaseVersion,
    groups: new Map(
      [...groups].map(([key, { datasets, mean }]) => {
        const [added = 0, points = 0, scored = 0] = changed.get(key) ?? [];
        return [
          key,
          { datasets: datasets - added, mean: { sum: mean.sum - points, count: mean.count - scored } },
        ] as const;
      }),
    ),
  };
}
