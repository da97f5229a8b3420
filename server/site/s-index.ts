/** Computes the S-Index that a researcher would have if missing signals passed. */

import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount } from "../../schemas/public/signal.ts";
import { type DatasetKind, makeMasks, type SIndexIf } from "../../web/components/improvements.ts";
import { STATE_MASKS } from "../read/filters.ts";
import { TABLES } from "../read/list-tables.ts";
import type { QueryEngine } from "../read/query-engine.ts";

/** A dataset that counts: of several versions, the one with the best score. */
interface CountedDataset {
  readonly source: string;
  readonly total: number;
  /** The mask of the missing signals. */
  readonly absent: number;
}

/**
 * Returns SQL that selects the datasets of the researcher $id with their total and another column. If a dataset has several
 * versions, the one that counts has place 1.
 */
export function ownDatasets(column: string, version: PublicVersion): string {
  return `select ${column}, listed.total,
      row_number() over (partition by texts.version_family order by listed.total desc nulls last, listed.position) as place
    from ${TABLES.texts("authors")} as person
    join ${TABLES.authors} as authored on authored.researcher = person.position
    join ${TABLES.texts("records")} as texts on texts.position = authored.position
    join ${TABLES.listed("records", version)} as listed on listed.position = authored.position
    where person.id = $id`;
}

/** Returns the S-Index of the researcher with this `id`, now and if missing signals passed. */
export async function readSIndexIf(
  engine: Pick<QueryEngine, "rows">,
  id: string,
  version: PublicVersion,
): Promise<SIndexIf> {
  const rows = await engine.rows(
    `with own as (${ownDatasets(`texts.source as source, ${STATE_MASKS.absent} as absent`, version)})
     select source, total, absent from own where place = 1 and total is not null order by total, absent, source`,
    { id },
  );
  return sIndexIf(
    rows.map(([source, total, absent]) => ({ source: String(source), total: Number(total), absent: Number(absent) })),
  );
}

export function sIndexIf(datasets: readonly CountedDataset[]): SIndexIf {
  const withChanges = (maskIn: (source: string) => number) =>
    computeSIndex(
      datasets.map(({ source, total, absent }) => total + POINTS_PER_SIGNAL * popcount(absent & maskIn(source))),
    );
  return {
    now: withChanges(() => 0),
    after: (parts) => {
      const masks = makeMasks(parts);
      return withChanges((source) => masks.get(source) ?? 0);
    },
    all: withChanges(() => -1),
    kinds: countKinds(datasets),
  };
}

/** Maximum number of kinds of datasets that a page sends to its script. A kind is a source, a total and a mask, about 20 bytes. */
const MAX_KINDS = 1000;

function countKinds(datasets: readonly CountedDataset[]): DatasetKind[] | null {
  const kinds = [
    ...Map.groupBy(datasets, ({ source, total, absent }) => `${source} ${total} ${absent}`).values(),
  ].flatMap((same) => same.slice(0, 1).map((first) => ({ ...first, datasets: same.length })));
  return kinds.length > MAX_KINDS ? null : kinds;
}

/** Returns the largest k such that k of the totals are at least k. */
function computeSIndex(totals: readonly number[]): number {
  return totals.toSorted((one, other) => other - one).filter((total, i) => total >= i + 1).length;
}
