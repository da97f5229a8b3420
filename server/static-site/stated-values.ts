/**
 * Reads what sources state about organisations and awards, for the lists of a static site. The pages of datasets do not
 * contain these facts.
 */

import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import type { StatedValues } from "../../web/static/lists.ts";
import { countryNames, organisationNames } from "../read/facets.ts";

/** SQL for the stated values: each value once for a dataset, and each funder in its most frequent spelling. */
const VALUES = `
  with spelling as (
    select lower(funder) as folded, funder, count(*) as times from funding where funder is not null group by all
  ),
  named as (select folded, first(funder order by times desc, funder) as name from spelling group by folded)
  select id, 'ror' as kind, ror as value from reported_affiliation where ror is not null
  union
  select id, 'countryCode', country_code from attribution where country_code is not null
  union
  select funding.id, 'funder', named.name from funding join named on named.folded = lower(funding.funder)
  union
  select id, 'funderId', funder_id from funding where funder_id is not null
  union
  select id, 'award', award_number from funding where award_number is not null
  order by id, kind, value`;

export interface StatedInRelease {
  readonly byDataset: ReadonlyMap<string, StatedValues>;
  /** ROR ids and codes of countries, each with its name. */
  readonly names: readonly (readonly [string, string])[];
}

/** Reads the stated values of each dataset from the tables of a release. `release` is the folder of the release. */
export async function readStatedValues(release: string): Promise<StatedInRelease> {
  const db = await openTables(releaseTablePaths(release), { threads: 2, memory: "512MB", isOlder: true });
  try {
    const rows = (await db.rows(VALUES)).map(({ id, kind, value }) => ({
      id: String(id),
      kind: String(kind),
      value: String(value),
    }));
    const byDataset = new Map(
      [...Map.groupBy(rows, ({ id }) => id)].map(([id, own]): [string, StatedValues] => {
        const byKind = Map.groupBy(own, ({ kind }) => kind);
        return [id, Object.fromEntries([...byKind].map(([kind, some]) => [kind, some.map(({ value }) => value)]))];
      }),
    );
    const codes = rows.flatMap(({ kind, value }) => (kind === "countryCode" ? [value] : []));
    const organisations = (await db.rows(organisationNames("affiliation.ror is not null"))).map(
      ({ ror, name }) => [String(ror), String(name)] as const,
    );
    return { byDataset, names: [...organisations, ...countryNames(codes)] };
  } finally {
    db.close();
  }
}
