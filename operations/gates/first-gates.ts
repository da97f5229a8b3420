/** The gates of a source that comes for the first time: there is no earlier release to hold it against. */

import type { HarvestLine } from "../../pipeline/store/raw/harvest-log.ts";
import type { Gate, GateLimits } from "../../schemas/public/gates.ts";
import type { Coverage } from "../../schemas/public/release.ts";
import { gateOf, percent } from "./gate-of.ts";

/** The last harvest that ended, as it says of itself; null where none has. */
export type LastHarvest = Pick<HarvestLine, "expected" | "got" | "limit" | "complete" | "missing"> | null;

/**
 * Gates of a source that is there for the first time: what came against what the service said it has, what of it could
 * not be read, and whether anything is left.
 */
export function firstGates(source: string, coverage: Coverage, harvest: LastHarvest, limits: GateLimits): Gate[] {
  const { scored, insufficient, failed, duplicates } = coverage;
  const read = scored + insufficient;
  const records = read + failed;
  return [
    harvestedGate(source, harvest, limits),
    gateOf(
      "failed",
      failed <= limits.firstFailed * records,
      `${failed} of ${records} records failed; at most ${percent(limits.firstFailed)} where a source comes for the first time`,
      source,
    ),
    gateOf(
      "records",
      read + duplicates >= limits.firstRecords,
      `${read + duplicates} of ${coverage.harvested} payloads are records that could be read; at least ${limits.firstRecords}`,
      source,
    ),
  ];
}

/** Who asks for a part of a source by `--limit` expects no more than that. */
function harvestedGate(source: string, harvest: LastHarvest, { firstHarvested }: GateLimits): Gate {
  const of = (passed: boolean, detail: string) => gateOf("harvested", passed, detail, source);
  if (harvest === null) return of(true, "no harvest of it has ended, so that none says how many there are");
  const { got, limit, complete, missing } = harvest;
  const expected = limit === null ? harvest.expected : Math.min(limit, harvest.expected ?? limit);
  if (expected !== null && !(complete && limit !== null)) {
    const cut = limit === null ? "" : " within the limit asked for";
    return of(
      got >= firstHarvested * expected,
      `${got} of ${expected} records came${cut}; at least ${percent(firstHarvested)}`,
    );
  }
  // How many the last of several imports of files brought is no matter of the source's.
  if (complete) return of(true, "the last harvest of it came to its end: nothing was left");
  const why = missing === null ? "" : ` (${missing})`;
  return of(
    firstHarvested === 0,
    `${got} records came of nobody knows how many: the harvest ended before the end${why}`,
  );
}
