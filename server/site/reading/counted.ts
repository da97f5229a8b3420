/** Counts over the tables of a release that no page object has: how common each signal is, how scores are spread. */

import { SCORE_RANGES } from "../../../schemas/public/api/common.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../../schemas/public/signal.ts";
import type { Prevalence } from "../../../web/components/bars.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import type { OpenRelease } from "../../read/release/open-release.ts";

const COUNTS = new URL("./counts.sql", import.meta.url);

export interface Counted {
  readonly prevalence: readonly Prevalence[];
  /** Datasets by the eleven ranges of the score, by repository. */
  readonly distributions: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** Once a release and version: whole tables are read for it. */
const COUNTED = new WeakMap<OpenRelease, Map<PublicVersion, Promise<Counted>>>();

export function countedIn(active: ActiveRelease, version: PublicVersion): Promise<Counted> {
  return active.use((release) => {
    const known = COUNTED.get(release) ?? new Map<PublicVersion, Promise<Counted>>();
    COUNTED.set(release, known);
    const counted = known.get(version) ?? count(release, version);
    known.set(version, counted);
    counted.catch(() => known.delete(version));
    return counted;
  });
}

export async function count({ prepared }: Pick<OpenRelease, "prepared">, version: PublicVersion): Promise<Counted> {
  const [common, spread] = await prepared.use(async (db) => {
    await db.runFile(COUNTS);
    return [
      await db.rows(
        "select repository, bit, judged, passed from signal_of_repository where rubric = $version order by repository, bit",
        { version },
      ),
      await db.rows(
        "select repository, total, records from total_of_repository where rubric = $version order by repository, total",
        { version },
      ),
    ] as const;
  });
  const distributions = new Map<string, Record<string, number>>();
  for (const { repository, total, records } of spread) {
    const own = distributions.get(String(repository)) ?? Object.fromEntries(SCORE_RANGES.map((range) => [range, 0]));
    const range = SCORE_RANGES[Math.min(10, Math.floor(Number(total) / 10))] ?? "";
    own[range] = (own[range] ?? 0) + Number(records);
    distributions.set(String(repository), own);
  }
  return {
    prevalence: common.map(({ repository, bit, judged, passed }) => ({
      signal: SIGNAL_IDS[Number(bit)] ?? "",
      repository: String(repository),
      judged: Number(judged),
      passed: Number(passed),
    })),
    distributions,
  };
}

/** All repositories together, by signal. */
export function overall(prevalence: readonly Prevalence[]): ReadonlyMap<string, Prevalence> {
  const sum = (all: readonly Prevalence[], member: "judged" | "passed") =>
    all.reduce((total, each) => total + each[member], 0);
  return new Map(
    [...Map.groupBy(prevalence, ({ signal }) => signal)].map(([signal, all]) => [
      signal,
      { signal, repository: "", judged: sum(all, "judged"), passed: sum(all, "passed") },
    ]),
  );
}
