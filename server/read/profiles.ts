/** Reads, for charts, how many of the datasets that match filters have each total, and their points in each bucket. */

import { BUCKETS, POINTS_PER_SIGNAL, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import type { BucketSums } from "../../web/components/bucket-profile.ts";
import type { Totals } from "../../web/components/distribution.ts";
import type { QueryEngine } from "./query-engine.ts";
import { buildSelection, writeSelection } from "./rows.ts";

interface Profile {
  readonly totals: Totals;
  readonly buckets: BucketSums;
}

/**
 * Returns the number of selected datasets with each total, and the sums of their points and possible points in each
 * bucket. Scans the rows once.
 */
export async function readProfile(engine: QueryEngine, query: Parameters<typeof buildSelection>[2]): Promise<Profile> {
  const selection = await buildSelection(engine, "records", query, null);
  const sums = BUCKETS.map((bucket) => {
    const mask = SIGNAL_IDS.reduce((bits, id, bit) => (id.startsWith(bucket) ? bits | (1 << bit) : bits), 0);
    const points = (of: string) => `cast(${POINTS_PER_SIGNAL} * sum(bit_count(listed.${of} & ${mask})) as double)`;
    return `${points("passed_mask")}, ${points("supported_mask")}`;
  });
  const rows =
    selection === null
      ? []
      : await engine.rows(
          `select listed.total, cast(count(*) as integer), ${sums.join(", ")}
           ${writeSelection({ ...selection, where: [...selection.where, "listed.total is not null"] })}
           group by listed.total`,
          selection.parameters,
        );
  const count = rows.reduce((all, [, datasets]) => all + Number(datasets), 0);
  const sumColumn = (column: number) => rows.reduce((all, cells) => all + Number(cells[column]), 0);
  const makeSum = (i: number) => ({ sum: sumColumn(2 + 2 * i), possible: sumColumn(3 + 2 * i), count });
  return {
    totals: Object.fromEntries(rows.map(([total, datasets]) => [String(total), Number(datasets)])),
    buckets: { S: makeSum(0), H: makeSum(1), A: makeSum(2), R: makeSum(3), E: makeSum(4) },
  };
}
