/**
 * Responds with the signals that are absent in a set of datasets, and with the signals that are lost when registries
 * and aggregators copy a repository's metadata.
 */

import { exactMean } from "../../api-static/pages/numbers.ts";
import type { Explanation } from "../../api-static/pages/record.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE, repositoryKey } from "../../api-static/routes/route.ts";
import { type Cell, quote } from "../../pipeline/engine/open.ts";
import { readExplanations } from "../../pipeline/pages/keyed-pages.ts";
import { columnName, scoringSql } from "../../pipeline/rubrics/contracts.ts";
import { supportedMask } from "../../pipeline/sources/pledges.ts";
import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import type { Crosswalk, SignalImprovement, SignalImprovements } from "../../schemas/public/api/improvements.ts";
import { MAX_NAMED } from "../../schemas/public/api/lists.ts";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import { findForm } from "../../schemas/public/form.ts";
import type { ScoreRelease } from "../../schemas/public/release.ts";
import type { PublicVersion, Signal } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import type { Standings } from "../accounts/standings.ts";
import type { ApiRequest } from "../http/read-request.ts";
import { type ContentResponse, jsonResponse, ProblemError } from "../http/response.ts";
import { type Handlers, type TypedRequest, unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import { withoutHiddenAuthor } from "./list-response.ts";
import { TABLES } from "./list-tables.ts";
import { type OpenRelease, releaseFile } from "./open-release.ts";
import { requirePublished } from "./pages.ts";
import { Comparisons } from "./release-changes.ts";
import { buildSelection, type RowSelection, writeSelection } from "./rows.ts";

export function improvementHandlers(
  active: ActiveRelease,
  standings: Standings,
): Handlers<"improvements" | "repository-improvements" | "repository-crosswalk"> {
  const comparisons = new Comparisons();
  return {
    improvements: ({ query, request }, reply) =>
      active.useFor(reply, (open) => {
        const filters = withoutHiddenAuthor(query, standings.current);
        const make = (release: OpenRelease) => improvementsResponse(filters, release, comparisons);
        return costlyResponse("improvements", filters, request, open, make);
      }),
    "repository-improvements": ({ key, query, request }, reply) =>
      active.useFor(reply, async (open) => {
        const filters = { ...withoutHiddenAuthor(query, standings.current), repository: key };
        return costlyResponse("repository-improvements", filters, request, open, async (release) => {
          await requireRepository(key, query.rubric, release);
          return improvementsResponse(filters, release, comparisons);
        });
      }),
    "repository-crosswalk": ({ key, query, request }, reply) =>
      active.useFor(reply, async (open) =>
        costlyResponse("repository-crosswalk", { ...query, key }, request, open, async (release) => {
          await requireRepository(key, query.rubric, release);
          return crosswalkResponse(key, query.rubric, release);
        }),
      ),
  };
}

/** Returns the cached response, or makes it and counts the request as several, according to the price of its route. */
async function costlyResponse(
  name: "improvements" | "repository-improvements" | "repository-crosswalk",
  query: object,
  request: ApiRequest,
  open: OpenRelease,
  make: (release: OpenRelease) => Promise<ContentResponse>,
): Promise<ContentResponse> {
  const key = JSON.stringify([name, query]);
  if (!open.queried.has(key)) await request.countAs(routeNamed(name).price);
  return open.queried.of(key, () => make(open.for(request)));
}

async function requireRepository(label: string, version: PublicVersion, release: OpenRelease): Promise<void> {
  requirePublished(release.receipt, routeNamed("repository-improvements"), version);
  if ((await release.lookups.repositoryFigures(label, version)) === null) throw unknownKey(repositoryKey);
}

/** The filters of a request. They include `rubric`, the version. */
type Filters = TypedRequest<"improvements">["query"];

async function improvementsResponse(
  filters: Filters,
  release: OpenRelease,
  comparisons: Comparisons,
): Promise<ContentResponse> {
  requirePublished(release.receipt, routeNamed("improvements"), filters.rubric);
  const [explanation] = await readExplanations([filters.rubric]);
  if (explanation === undefined) throw new Error(`no contract is published as SHARE ${filters.rubric}; report this`);
  const selection = await buildSelection(release.engine, "records", filters, null);
  const sources = selection === null ? [] : await countSources(selection, release);
  const compared = await comparedWith(release, comparisons);
  const repaired =
    selection === null || compared === null
      ? []
      : await countRepaired(compared.table, filters.rubric, selection, release);
  const of = { filters, sources, repaired: compared === null ? null : repaired, explanation };
  const scoredCount = sum(sources, ({ scored }) => scored);
  const computeMean = (of: (counts: SourceCounts) => number) =>
    scoredCount === 0 ? null : exactMean(sum(sources, of), scoredCount);
  const data: SignalImprovements["data"] = {
    datasets: sum(sources, ({ datasets }) => datasets),
    scoredCount,
    points: sum(sources, ({ points }) => points),
    meanScore: computeMean(({ points }) => points),
    meanCap: computeMean(({ possible }) => possible),
    years: selection === null ? [] : await countYears(selection, release),
    improvements: sources.flatMap((source) => listImprovements(source, scoredCount, of)).toSorted(byGain),
  };
  const { scoreReleaseVersion, releaseDigest } = release.receipt;
  const _meta = { scoreRelease: { scoreReleaseVersion, releaseDigest }, previousRelease: compared?.previous ?? null };
  return jsonResponse(
    { data, _meta } satisfies SignalImprovements,
    filters.author === undefined ? CACHE.page : CACHE.person,
  );
}

const sum = <T>(list: readonly T[], of: (entry: T) => number) => list.reduce((all, entry) => all + of(entry), 0);

function byGain(one: SignalImprovement, other: SignalImprovement): number {
  return other.points - one.points || other.datasets - one.datasets || (one.signal < other.signal ? -1 : 1);
}

/**
 * Counts over the selected datasets of one source. Each list has one number for each signal, at the index of its bit.
 */
interface SourceCounts {
  readonly source: string;
  readonly datasets: number;
  readonly scored: number;
  /** Sum of the totals of the scored datasets, in points. */
  readonly points: number;
  /** Sum of the possible points of the scored datasets. */
  readonly possible: number;
  readonly absent: readonly number[];
  readonly scoredAbsent: readonly number[];
  readonly passed: readonly number[];
}

/**
 * Counts datasets by source and signal. Datasets with equal masks are grouped first, so that bits are counted only once
 * for each different mask. A row of the result is a source and a bit, because a statement with an aggregate for each
 * bit would take longer to plan than to run.
 */
async function countSources(selection: RowSelection, { engine }: OpenRelease): Promise<SourceCounts[]> {
  const rows = await engine.rows(
    `with pattern as (
       select source, evaluable_mask & ~passed_mask as absent_mask, passed_mask, total, supported, count(*) as datasets
       ${writeSelection(selection)}
       group by all
     )
     select label.value, signal.bit, ${countSql("true")}, ${countSql("total is not null")},
       cast(coalesce(sum(datasets * total), 0) as double),
       cast(coalesce(sum(${POINTS_PER_SIGNAL} * datasets * supported) filter (where total is not null), 0) as double),
       ${countSql(hasBit("absent_mask"))}, ${countSql(`${hasBit("absent_mask")} and total is not null`)}, ${countSql(hasBit("passed_mask"))}
     from pattern
     cross join (select unnest(range(${SIGNAL_IDS.length})) as bit) as signal
     join ${TABLES.labels} as label on label.kind = 'source' and label.code = pattern.source
     group by label.value, signal.bit order by label.value, signal.bit`,
    selection.parameters,
  );
  return [...Map.groupBy(rows, ([source]) => String(source))].map(([source, bits]) => {
    const [, , ...first] = bits[0] ?? [];
    const [datasets, scored, points, possible] = first.map(Number);
    return {
      source,
      datasets: datasets ?? 0,
      scored: scored ?? 0,
      points: points ?? 0,
      possible: possible ?? 0,
      absent: bits.map((cells) => Number(cells[6])),
      scoredAbsent: bits.map((cells) => Number(cells[7])),
      passed: bits.map((cells) => Number(cells[8])),
    };
  });
}

function countSql(condition: string): string {
  return `cast(coalesce(sum(datasets) filter (where ${condition}), 0) as integer)`;
}

const hasBit = (mask: string) => `(${mask} >> signal.bit) & 1 = 1`;

/** Returns the n-th group of 25 cells as numbers, one for each signal. The first group has the number 0. */
function part(cells: readonly Cell[], n: number): number[] {
  const { length } = SIGNAL_IDS;
  return cells.slice(n * length, (n + 1) * length).map(Number);
}

async function countYears(
  selection: RowSelection,
  { engine }: OpenRelease,
): Promise<SignalImprovements["data"]["years"]> {
  const rows = await engine.rows(
    `with selected as (select listed.pub_date, listed.total ${writeSelection(selection)})
     select cast(left(date.value, 4) as integer) as year, cast(count(*) as integer), cast(count(total) as integer),
       cast(sum(total) as double)
     from selected left join ${TABLES.dates} as date on date.key = selected.pub_date
     group by year order by year desc nulls last`,
    selection.parameters,
  );
  return rows.map(([year, datasets, scored, points]) => ({
    year: typeof year === "number" ? year : null,
    datasets: Number(datasets),
    scoredCount: Number(scored),
    meanScore: Number(scored) === 0 ? null : exactMean(Number(points), Number(scored)),
  }));
}

/**
 * Numbers of datasets of one source in which new metadata changed a signal. `fixed` counts changes from absent to
 * passed, and `lost` the opposite.
 */
interface Repaired {
  readonly source: string;
  readonly bit: number;
  readonly fixed: number;
  readonly lost: number;
}

async function countRepaired(
  table: string,
  version: PublicVersion,
  selection: RowSelection,
  { engine }: OpenRelease,
): Promise<Repaired[]> {
  const rows = await engine.rows(
    `with selected as (select listed.position, listed.source ${writeSelection(selection)})
     select label.value, change.bit,
       cast(count(*) filter (where state_before = 'absent' and state_after = 'passed') as integer),
       cast(count(*) filter (where state_before = 'passed' and state_after = 'absent') as integer)
     from read_parquet(${quote(table)}) as change
     join ${TABLES.texts("records")} as texts on texts.id = change.id
     join selected on selected.position = texts.position
     join ${TABLES.labels} as label on label.kind = 'source' and label.code = selected.source
     where change.rubric = $rubric and change.cause = 'metadata'
     group by label.value, change.bit`,
    { ...selection.parameters, rubric: version },
  );
  return rows.map(([source, bit, fixed, lost]) => ({
    source: String(source),
    bit: Number(bit),
    fixed: Number(fixed),
    lost: Number(lost),
  }));
}

interface ComparedWith {
  readonly previous: ScoreRelease;
  /** Path of the table of signals whose state changed. */
  readonly table: string;
}

/**
 * Returns the release before and the table of changed signals. Null for the first release, and for a release that was
 * made without a comparison.
 */
async function comparedWith(release: OpenRelease, comparisons: Comparisons): Promise<ComparedWith | null> {
  try {
    const { previous } = await comparisons.of(release);
    if (previous === null) return null;
    const table = await releaseFile(release.folder, `data/${DIFF_TABLES.signal_change.published}.parquet`);
    return { previous, table };
  } catch (error) {
    if (error instanceof ProblemError && error.type === "not-found") return null;
    throw error;
  }
}

interface ImprovementContext {
  readonly filters: Filters;
  /**
   * Signals that changed because of new metadata since the release before; null for the first release, or without a
   * comparison.
   */
  readonly repaired: readonly Repaired[] | null;
  readonly explanation: Explanation;
}

function listImprovements(counts: SourceCounts, scoredCount: number, context: ImprovementContext): SignalImprovement[] {
  const { contract, pledges } = context.explanation;
  const pledge = pledges.get(counts.source);
  if (pledge === undefined) throw new Error(`the program has no pledge.json for the source ${counts.source}`);
  return contract.signals.flatMap((signal) => {
    const pledged = pledge.contracts[contract.contract][signal.id];
    const change = context.repaired?.find(({ source, bit }) => source === counts.source && bit === signal.bit);
    const { fixed, lost } = change ?? { fixed: 0, lost: 0 };
    const datasets = counts.absent[signal.bit] ?? 0;
    if (pledged?.supported !== true || (datasets === 0 && fixed === 0)) return [];
    const form = findForm(pledge.forms, signal);
    const scored = counts.scoredAbsent[signal.bit] ?? 0;
    return {
      signal: signal.id,
      name: signal.name,
      bucket: signal.bucket,
      source: counts.source,
      field: pledged.field,
      label: form?.label ?? null,
      page: form?.page ?? null,
      advice: pledged.advice,
      adviceFor: form?.who ?? null,
      effort: form?.effort ?? null,
      datasets,
      scored,
      passed: counts.passed[signal.bit] ?? 0,
      points: scoredCount === 0 ? 0 : exactMean(POINTS_PER_SIGNAL * scored, scoredCount),
      fixed: context.repaired === null ? null : fixed,
      lost: context.repaired === null ? null : lost,
      records:
        datasets === 0 || isLongList(context.filters) ? null : recordsPath(signal, counts.source, context.filters),
    };
  });
}

/** True if the filter `ids` has more ids than `/records` accepts. */
function isLongList({ ids }: Filters): boolean {
  return ids !== undefined && ids.split(",").length > MAX_NAMED;
}

/** Returns the path of the list of datasets for which the signal is absent. */
function recordsPath({ id }: Signal, source: string, { rubric, ...filters }: Filters): string {
  const state = `${id}:absent`;
  const given = filters.signals?.split(",").filter((each) => each !== state) ?? [];
  const query = { rubric, ...filters, source, signals: [...given, state].join(",") };
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `/records?${new URLSearchParams(parameters)}`;
}

async function crosswalkResponse(
  label: string,
  version: PublicVersion,
  release: OpenRelease,
): Promise<ContentResponse> {
  const [explanation] = await readExplanations([version]);
  if (explanation === undefined) throw new Error(`no contract is published as SHARE ${version}; report this`);
  const rows = await release.engine.rows(copiesSql(explanation), { label, version });
  const { scoreReleaseVersion, releaseDigest } = release.receipt;
  const page: Crosswalk = {
    data: rows.map((row) => buildCrosswalkRow(row, explanation)),
    _meta: { scoreRelease: { scoreReleaseVersion, releaseDigest } },
  };
  return jsonResponse(page, CACHE.page);
}

/**
 * SQL for the masks of signals that a comparison counts. `own` is a dataset in its repository, and `copied` is its copy
 * at a registry or aggregator.
 */
const COPY_STATES = {
  passed: "own.passed_mask",
  kept: "own.passed_mask & copied.passed_mask",
  absent: `own.passed_mask & copied.evaluable_mask & ~copied.passed_mask`,
  unknown: "own.passed_mask & copied.supported_mask & ~copied.evaluable_mask",
  unsupported: "own.passed_mask & ~copied.supported_mask",
  gained: "copied.passed_mask & ~own.passed_mask",
} as const;

/**
 * Returns SQL that scores the copies of a repository's datasets at registries and aggregators. Lists do not show these
 * copies, because the metadata of the repository itself take precedence. Each row is for one pair of sources: the
 * source of the repository and the source of the copies.
 */
function copiesSql({ version, contract, pledges }: Explanation): string {
  const pledged = [...pledges.values()].map((pledge) => {
    const never = pledge.neverCarries.reduce((mask, name) => mask | evidenceBit(name), 0n);
    return `(${quote(pledge.source)}, ${quote(pledge.kind)}, ${never}, ${supportedMask(pledge, contract.contract)})`;
  });
  const supported = `supported_${columnName(contract.contract)}`;
  const counts = Object.values(COPY_STATES).flatMap((mask) =>
    SIGNAL_IDS.map((_, bit) => `cast(count(*) filter (where (${mask}) & ${1 << bit} <> 0) as integer)`),
  );
  return `
    with pledge as (
      select * from (values ${pledged.join(", ")}) as pledge (source, kind, never_carries, ${supported})
    ),
    original as (
      select record.id, record.source, alias.alias_id
      from record
      join alias on alias.id = record.id
      join pledge on pledge.source = record.source and pledge.kind = 'native'
      where record.repository = $label
    ),
    evidence as (
      select duplicate.*
      from duplicate_evidence as duplicate
      join original on original.alias_id = duplicate.id
      join pledge on pledge.source = duplicate.source and pledge.kind <> 'native'
    ),
    copied as (
      select * from (${scoringSql([{ rubric: version, contract }], 0)})
    )
    select original.source, evidence.source, cast(count(*) as integer), ${counts.join(", ")}
    from copied
    join evidence on evidence.id = copied.id
    join original on original.alias_id = copied.id
    join score as own on own.id = original.id and own.rubric = $version
    group by original.source, evidence.source
    order by original.source, evidence.source`;
}

function buildCrosswalkRow(
  [source, copy, datasets, ...cells]: readonly Cell[],
  explanation: Explanation,
): Crosswalk["data"][number] {
  const { contract, pledges } = explanation;
  const findField = (name: Cell, { id }: Signal) => {
    const pledged = pledges.get(String(name))?.contracts[contract.contract][id];
    return pledged?.supported === true ? pledged.field : null;
  };
  const states = Object.fromEntries(Object.keys(COPY_STATES).map((name, n) => [name, part(cells, n)])) as Record<
    keyof typeof COPY_STATES,
    number[]
  >;
  const signals = contract.signals.map((signal) => ({
    signal: signal.id,
    name: signal.name,
    field: findField(source ?? "", signal),
    copyField: findField(copy ?? "", signal),
    passed: states.passed[signal.bit] ?? 0,
    kept: states.kept[signal.bit] ?? 0,
    absent: states.absent[signal.bit] ?? 0,
    unknown: states.unknown[signal.bit] ?? 0,
    unsupported: states.unsupported[signal.bit] ?? 0,
    gained: states.gained[signal.bit] ?? 0,
  }));
  return {
    source: String(source),
    copy: String(copy),
    datasets: Number(datasets),
    signals: signals
      .filter(({ passed, gained }) => passed + gained > 0)
      .toSorted((one, other) => other.passed - other.kept - (one.passed - one.kept)),
  };
}
