/** Finds the changes of chosen datasets in the active release and in the releases before it, for feeds and emails. */

import { join } from "node:path";
import { type ExactMean, exactMean } from "../../api-static/pages/numbers.ts";
import { quote } from "../../pipeline/engine/open.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { cause, DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { recordFilterQuery } from "../../schemas/public/api/queries.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import type { Movement } from "../../schemas/public/site/queries.ts";
import { ProblemError } from "../http/response.ts";
import { TABLES } from "./list-tables.ts";
import { findManifestLine, releaseFile, type StoredRelease } from "./open-release.ts";
import type { Parameters, QueryEngine } from "./query-engine.ts";
import { CHANGE_COLUMNS, Comparisons, type PreviousComparison, readChange } from "./release-changes.ts";
import { buildSelection, writeSelection } from "./rows.ts";

/**
 * SQL conditions on the table of changes. `$value` is the label of a repository, the ID of a researcher, or IDs of
 * records separated by commas.
 */
const CONDITIONS = {
  repository: "repository = $value",
  researcher: `id in (select shown.id from ${TABLES.authors} as attributed
    join ${TABLES.texts("authors")} as person on person.position = attributed.researcher
    join ${TABLES.texts("records")} as shown on shown.position = attributed.position where person.id = $value)`,
  // The changes of a record that was merged are under the ID of the record that superseded it.
  records: `id in (select coalesce(alias.id, asked.id) from (select unnest(string_split($value, ',')) as id) as asked
    left join alias on alias.alias_id = asked.id)`,
} as const;

export interface ChosenRecords {
  /**
   * The kind of `value`. For a search, `value` has the filters of a saved search, and the datasets are those that the
   * list of the site shows now.
   */
  readonly kind: keyof typeof CONDITIONS | "search";
  readonly value: string;
}

/** An SQL condition on the table of changes, with its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** Number of changed datasets that are listed for a release, the largest changes first. */
const MAX_SHOWN = 20;

/** Largest number of releases that are compared: one year of monthly releases. */
const MAX_RELEASES = 12;

export class Movements {
  readonly #store: Store;
  readonly #comparisons = new Comparisons();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Returns the active release and the releases before it, newest first, at most twelve. Stops before the release
   * `after`.
   */
  async chain(active: Receipt, after: string | null = null): Promise<Receipt[]> {
    const chain: Receipt[] = [];
    let next: Receipt | null = active;
    while (next !== null && next.releaseDigest !== after && chain.length < MAX_RELEASES) {
      chain.push(next);
      const before: string | null = next.previousReleaseDigest;
      next = before === null ? null : await this.findReceipt(before);
    }
    return chain;
  }

  /** Returns the receipt of a release; null if the release was pruned or cannot be read. */
  findReceipt(digest: string): Promise<Receipt | null> {
    return readReceipt(this.#store.release(digest)).catch(() => null);
  }

  /**
   * Returns the changes of the chosen datasets in each release of `chain` that changed any of them. Scores are those
   * under `version`, or else under the first version that the release publishes. `engine` is that of the active
   * release.
   */
  async of(
    chosen: ChosenRecords,
    chain: readonly Receipt[],
    engine: QueryEngine,
    version?: PublicVersion,
  ): Promise<Movement[]> {
    const movements: Movement[] = [];
    const [active] = chain;
    if (active === undefined) return movements;
    const condition = await conditionFor(chosen, engine, version ?? firstVersion(active));
    for (const receipt of condition === null ? [] : chain) {
      const folder = this.#store.release(receipt.releaseDigest);
      const compared = await this.#comparisons.of({ folder, receipt }).catch(nullIfUnreadable);
      const movement =
        compared === null || condition === null
          ? null
          : await movementIn({ chosen, condition }, { folder, receipt }, compared, engine, version);
      if (movement !== null) movements.push(movement);
    }
    return movements;
  }

  /**
   * Returns the release before with the table of changes since then. Null if there is no such release, or if its scores
   * follow another contract.
   */
  async compare(active: Receipt, version: PublicVersion): Promise<ComparableRelease | null> {
    const folder = this.#store.release(active.releaseDigest);
    const compared = await this.#comparisons.of({ folder, receipt: active }).catch(nullIfUnreadable);
    if (compared === null || compared.previous === null || compared.table === null) return null;
    const before = await this.findReceipt(compared.previous.releaseDigest);
    const contractIn = ({ rubrics }: Receipt) => rubrics.find((each) => each.version === version)?.contract;
    if (before === null || contractIn(before) !== contractIn(active)) return null;
    return { scoreReleaseVersion: before.scoreReleaseVersion, table: compared.table };
  }

  /**
   * Returns, for each release, the average of the datasets that match a search now. The oldest release comes first.
   * Releases that do not publish the version or have none of the datasets are left out.
   */
  async readAverages(
    search: string,
    version: PublicVersion,
    active: Receipt,
    engine: QueryEngine,
  ): Promise<ReleaseAverage[]> {
    const condition = await conditionFor({ kind: "search", value: search }, engine, version);
    if (condition === null) return [];
    const averages: ReleaseAverage[] = [];
    for (const { releaseDigest, scoreReleaseVersion, asOf, rubrics } of (await this.chain(active)).toReversed()) {
      const contract = rubrics.find((each) => each.version === version)?.contract;
      if (contract === undefined) continue;
      const files = quote(join(this.#store.release(releaseDigest), "data/scores/*.parquet"));
      const [cells = []] = await engine.rows(
        `select cast(count(*) as integer), cast(count(total) as integer), cast(coalesce(sum(total), 0) as double),
           cast(coalesce(sum(${POINTS_PER_SIGNAL} * bit_count(supported_mask)) filter (where total is not null), 0) as double)
         from read_parquet(${files}) where rubric = $rubric and ${condition.sql}`,
        { ...condition.parameters, rubric: version },
      );
      const [datasets = 0, count = 0, sum = 0, possible = 0] = cells.map(Number);
      if (datasets === 0) continue;
      averages.push({
        scoreReleaseVersion,
        releaseDigest,
        asOf,
        contract,
        datasets,
        value: count === 0 ? null : exactMean(sum, count),
        exact: { sum, count },
        cap: count === 0 ? null : exactMean(possible, count),
      });
    }
    return averages;
  }
}

/** The previous release, whose scores follow the same rules. */
export interface ComparableRelease {
  readonly scoreReleaseVersion: string;
  /** The table of the changes since then. */
  readonly table: string;
}

/** The average of chosen datasets in one release. */
interface ReleaseAverage extends Pick<Receipt, "scoreReleaseVersion" | "releaseDigest" | "asOf"> {
  readonly contract: string;
  readonly datasets: number;
  /** The rounded average of the scored datasets; null if no dataset has a score. */
  readonly value: number | null;
  readonly exact: ExactMean;
  readonly cap: number | null;
}

function firstVersion({ rubrics }: Receipt): PublicVersion {
  const published = rubrics.map(({ version }) => version);
  return PUBLIC_VERSIONS.find((each) => published.includes(each)) ?? PUBLIC_VERSIONS[0];
}

/**
 * Returns the condition for the chosen datasets; null if no dataset matches the search, or if the release cannot search
 * for it.
 */
async function conditionFor(
  { kind, value }: ChosenRecords,
  engine: QueryEngine,
  rubric: PublicVersion,
): Promise<Condition | null> {
  if (kind !== "search") return { sql: CONDITIONS[kind], parameters: { value } };
  const query = recordFilterQuery.safeParse(Object.fromEntries(new URLSearchParams(value)));
  if (!query.success) return null;
  const selection = await buildSelection(engine, "records", { spellings: "all", ...query.data, rubric }, null).catch(
    (error: unknown) => {
      if (error instanceof ProblemError && error.type === "attribution-not-published") return null;
      throw error;
    },
  );
  if (selection === null) return null;
  const sql = `id in (select shown.id from ${TABLES.texts("records")} as shown
    where shown.position in (select listed.position ${writeSelection(selection)}))`;
  return { sql, parameters: selection.parameters };
}

async function movementIn(
  { chosen, condition }: { readonly chosen: ChosenRecords; readonly condition: Condition },
  { folder, receipt }: StoredRelease,
  { previous, table }: PreviousComparison,
  engine: QueryEngine,
  version?: PublicVersion,
): Promise<Movement | null> {
  if (table === null || previous === null) return null;
  const { releaseDigest, scoreReleaseVersion, publishedAt } = receipt;
  const rubric = version ?? firstVersion(receipt);
  const parameters = { ...condition.parameters, rubric };
  const from = `from read_parquet(${quote(table)}) where rubric = $rubric and ${condition.sql}`;
  const [counts = []] = await engine.rows(
    `select ${["kind = 'added'", "kind = 'removed'", "points > 0", "points < 0", "true"]
      .map((condition) => `cast(count(*) filter (where ${condition}) as integer)`)
      .join(", ")} ${from}`,
    parameters,
  );
  const [added = 0, removed = 0, up = 0, down = 0, all = 0] = counts.map(Number);
  const sIndex = chosen.kind === "researcher" ? await indexMovement(chosen.value, folder, rubric, engine) : null;
  if (all === 0 && sIndex === null) return null;
  const causes = await engine.rows(
    `select cause, cast(count(*) as integer)
     from (select unnest(string_split(causes, ' ')) as cause ${from} and causes <> '')
     group by cause order by count(*) desc, cause`,
    parameters,
  );
  const largest = await engine
    .rows(`select ${CHANGE_COLUMNS} ${from} order by abs(points) desc nulls last, id limit ${MAX_SHOWN}`, parameters)
    .then((rows) => rows.map(readChange))
    .catch(nullIfUnreadable);
  if (largest === null) return null;
  return {
    scoreReleaseVersion,
    releaseDigest,
    publishedAt,
    previousVersion: previous.scoreReleaseVersion,
    rubric,
    added,
    removed,
    up,
    down,
    all,
    byCause: causes.flatMap(([name, datasets]) => {
      const known = cause.safeParse(name);
      return known.success ? [{ cause: known.data, datasets: Number(datasets) }] : [];
    }),
    largest,
    sIndex,
  };
}

/** The S-Index of a researcher before and after a release; null if it did not change. */
async function indexMovement(
  id: string,
  folder: string,
  rubric: string,
  engine: QueryEngine,
): Promise<Movement["sIndex"]> {
  const path = `data/${DIFF_TABLES.researcher_change.published}.parquet`;
  if ((await findManifestLine(join(folder, "manifest.ndjson"), path)) === null) return null;
  const [row] = await engine.rows(
    `select s_index_before, s_index_after from read_parquet(${quote(await releaseFile(folder, path))})
      where rubric = $rubric and id = $id and s_index_before <> s_index_after`,
    { rubric, id },
  );
  return row === undefined ? null : { before: Number(row[0]), after: Number(row[1]) };
}

/**
 * Returns null if the error says that a release has no comparison, or one that this version of the program cannot read.
 * Throws any other error.
 */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof ProblemError && error.type === "not-found") return null;
  throw error;
}
