/** Counts of datasets by signal and repository, which no API response has. */

import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { type Prevalence, sumCounts } from "../../web/components/bars.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import type { OpenRelease } from "../read/open-release.ts";
import { SharedResults } from "../read/shared-results.ts";

const COUNTS = new URL("./counts.sql", import.meta.url);

/** Counts by release and version, which are cached because counting reads complete tables. */
const COUNTED = new SharedResults<readonly Prevalence[]>({ max: 4 });

export function countSignals(active: ActiveRelease, version: PublicVersion): Promise<readonly Prevalence[]> {
  return active.use((release) => COUNTED.of(`${release.digest} ${version}`, () => count(release, version)));
}

export async function count({ engine }: Pick<OpenRelease, "engine">, version: PublicVersion): Promise<Prevalence[]> {
  const common = await engine.use(async (db) => {
    await db.runFile(COUNTS);
    return db.rows(
      "select repository, bit, scored, supported, judged, passed from signal_of_repository where rubric = $version order by repository, bit",
      { version },
    );
  });
  return common.map(({ repository, bit, scored, supported, judged, passed }) => ({
    signal: SIGNAL_IDS[Number(bit)] ?? "",
    repository: String(repository),
    scored: Number(scored),
    supported: Number(supported),
    judged: Number(judged),
    passed: Number(passed),
  }));
}

export function overall(prevalence: readonly Prevalence[]): ReadonlyMap<string, Prevalence> {
  return new Map(
    [...Map.groupBy(prevalence, ({ signal }) => signal)].map(([signal, all]) => [
      signal,
      {
        signal,
        repository: "",
        scored: sumCounts(all, "scored"),
        supported: sumCounts(all, "supported"),
        judged: sumCounts(all, "judged"),
        passed: sumCounts(all, "passed"),
      },
    ]),
  );
}
