/** /compare: two to four datasets or repositories side by side, with the largest differences first. */

import { datasetTier, exactMean } from "../../api-static/pages/numbers.ts";
import type { RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import type { RecordDetail, RecordRow } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS, type BucketId, POINTS_PER_SIGNAL, type SignalState } from "../../schemas/public/signal.ts";
import { bucketBar, meter, type Prevalence, pointsOfCap, prevalenceBar, prevalenceText } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { averageText, countText, integer, percent, tenths, timeElement, UNKNOWN } from "../components/figures.ts";
import { datalist, type FieldErrors, field, filledIn } from "../components/forms.ts";
import { rubricInput, underVersion, versionNote } from "../components/navigation.ts";
import { datasetName, selectedRecords } from "../components/record-rows.ts";
import { findTier, tierMark } from "../components/score.ts";
import { type Compared, comparePath, PLURALS } from "../components/selecting.ts";
import { bucketPoints } from "../components/signals.ts";
import { BUCKET_NAMES, STATE_WORDS } from "../components/state-words.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { repositoryTable } from "./repositories.ts";

/** The input boxes for one kind of item, with the items that they name. */
interface Boxes<Found> {
  readonly typed: readonly string[];
  /** Error messages by the index of the box, from zero. */
  readonly errors: ReadonlyMap<number, string>;
  readonly found: readonly Found[];
}

const EMPTY: Boxes<never> = { typed: [], errors: new Map(), found: [] };

const LEAD = "Enter two to four DOIs, accession numbers or URLs.";

/**
 * Returns the view before anything is compared. `labels` are the repositories to choose from. `isMixed` is true if the URL has
 * datasets as well as repositories.
 */
export function compareView(labels: readonly string[], version: PublicVersion, isMixed: boolean): View {
  return {
    ...HEAD,
    title: "Compare",
    unlisted: isMixed || version !== PUBLIC_VERSIONS[0],
    body: html`<h1>Compare datasets or repositories</h1>${versionNote(version, "/compare")}
${isMixed ? html`<p class="warn" role="alert">Datasets cannot be compared with repositories. Enter only one kind.</p>` : null}
<div class="halves"><section class="panel"><h2>Datasets</h2>
<p>${LEAD} You can also select them in <a href="${underVersion("/datasets", version)}">the list of datasets</a>.</p>
${boxesForm("dataset", EMPTY, version)}</section>
<section class="panel"><h2>Repositories</h2>
<p>Enter two to four names. You can also select them in <a href="${underVersion("/repositories", version)}">the list of repositories</a>.</p>
${boxesForm("repository", EMPTY, version, labels)}</section></div>`,
  };
}

const HEAD = {
  description: "Scores and signals of two to four datasets or repositories side by side.",
  canonical: "/compare",
} as const;

/** Returns the view of a comparison of one kind. `path` is its path under the current version. */
function makeView(kind: Compared, path: string, version: PublicVersion, content: Html): View {
  const title = `Compare ${PLURALS[kind]}`;
  return { ...HEAD, title, unlisted: true, body: html`<h1>${title}</h1>${versionNote(version, path)}\n${content}` };
}

/** Returns the view for more datasets or repositories than a comparison can have. `list` has a check box for each. */
function tooMany(kind: Compared, count: number, list: Html, version: PublicVersion): View {
  const content = html`<p class="warn" role="alert">You selected ${integer(count)} ${PLURALS[kind]}. Clear check boxes until two to four are left.</p>
${list}`;
  return makeView(kind, "/compare", version, content);
}

export function tooManyDatasetsView(rows: readonly RecordRow[], version: PublicVersion): View {
  return tooMany("dataset", rows.length, selectedRecords(rows, version), version);
}

export function tooManyRepositoriesView(all: readonly RepositoryFigures[], version: PublicVersion): View {
  return tooMany("repository", all.length, repositoryTable(all, version, null), version);
}

export function compareDatasetsView(boxes: Boxes<RecordDetail>, version: PublicVersion): View {
  const { typed, found } = boxes;
  const form = boxesForm("dataset", boxes, version);
  const content = around("dataset", LEAD, boxes, form, () => datasetTables(found, version));
  return makeView("dataset", comparePath("dataset", typed, PUBLIC_VERSIONS[0]), version, content);
}

/**
 * Returns the result of a comparison with the form below it. If there is nothing to compare yet, or an error in a box,
 * the form comes first.
 */
function around(
  kind: Compared,
  lead: string,
  { found, errors }: Boxes<RecordDetail> | Boxes<RepositoryFigures>,
  form: Html,
  result: () => Html,
): Html {
  const [first] = found;
  if (first === undefined || found.length < 2 || errors.size > 0) {
    const name = first === undefined ? null : "title" in first ? datasetName(first) : first.repository;
    return html`<p class="lead">${lead}</p>
${form}
${found.length === 1 && name !== null ? secondNote(kind, name) : null}
${found.length < 2 ? null : result()}`;
  }
  return html`${result()}
<section class="panel"><h2>Compare others</h2>
<p>${lead}</p>
${form}</section>`;
}

/** Repositories to compare, with the counts of their signals. */
export interface ComparedRepositories extends Boxes<RepositoryFigures> {
  readonly labels: readonly string[];
  readonly prevalence: readonly Prevalence[];
  /** The signals, in the order of the contract. */
  readonly signals: readonly { readonly id: string; readonly name: string; readonly bucket: BucketId }[];
}

export function compareRepositoriesView(page: ComparedRepositories, version: PublicVersion): View {
  const form = boxesForm("repository", page, version, page.labels);
  const content = around("repository", "Enter two to four names.", page, form, () => repositoryTables(page, version));
  return makeView("repository", comparePath("repository", page.typed, PUBLIC_VERSIONS[0]), version, content);
}

function secondNote(kind: Compared, name: string): Html {
  return html`<p class="note" role="status">Enter a second ${kind} to compare <bdi>${name}</bdi> with.</p>`;
}

const ORDINALS = ["First", "Second", "Third", "Fourth"] as const;

/** Returns a form of four boxes, or of more if the URL has more items. All have the same name, and suggest `labels`. */
function boxesForm(kind: Compared, boxes: Boxes<unknown>, version: string, labels: readonly string[] = []): Html {
  const makeId = (i: number) => `${kind}-${i + 1}`;
  const typed = Object.fromEntries(boxes.typed.map((text, i) => [makeId(i), text]));
  const errors: FieldErrors = new Map([...boxes.errors].map(([i, error]) => [makeId(i), error]));
  const list = labels.length === 0 ? {} : { list: "labels" };
  const suggested = labels.map((label) => [label, ""] as const);
  return html`<form action="/compare">${rubricInput(version)}<div class="fields">${Array.from(
    { length: Math.max(ORDINALS.length, boxes.typed.length) },
    (_, i) =>
      html`<div>${field({ label: `${ORDINALS[i] ?? "Another"} ${kind}`, ...filledIn(makeId(i), typed, errors), id: makeId(i), name: kind, ...list })}</div>`,
  )}</div>${labels.length === 0 ? null : datalist("labels", suggested)}<p><button>Compare</button></p></form>`;
}

function datasetTables(records: readonly RecordDetail[], version: PublicVersion): Html {
  // Short names, because phones repeat them in each row.
  const columns = ["Fact", ...records.map(({ repository, identifier }, i) => `${i + 1}: ${repository ?? identifier}`)];
  const row = (name: string, cell: (record: RecordDetail) => HtmlPart): HtmlPart[] => [name, ...records.map(cell)];
  const facts = [
    row(
      "Dataset",
      (record) =>
        html`<a href="${underVersion(`/datasets/${record.id}`, version)}" dir="auto">${datasetName(record)}</a>`,
    ),
    row("Published", ({ pubDate }) => (pubDate === null ? "–" : timeElement(pubDate))),
    row("Licence", ({ license }) => license ?? "–"),
    row("Score", (record) =>
      record.score === null
        ? "No score"
        : html`<strong>${record.score.total}</strong> of ${record.cap} possible points ${tierMark(record)}${meter(record.score.total, { most: 100, cap: record.cap, tier: findTier(record) })}`,
    ),
    ...BUCKETS.map((bucket) =>
      row(BUCKET_NAMES[bucket], ({ score, signals }) => {
        if (score === null) return UNKNOWN;
        const points = bucketPoints({ signals })[bucket];
        return html`${pointsOfCap(points)}${bucketBar(points)}`;
      }),
    ),
  ];
  const signals = (records[0]?.signals ?? []).map(({ id, name }) => ({
    name: signalLink({ id, name }, version),
    states: records.map(({ signals: all }) => all.find((signal) => signal.id === id)?.state ?? null),
  }));
  const differ = signals.filter(({ states }) => new Set(states).size > 1);
  const agree = signals.filter(({ states }) => new Set(states).size === 1);
  const signalTable = (caption: string, some: typeof signals) =>
    table(
      caption,
      ["Signal", ...columns.slice(1)],
      some.map(({ name, states }) => [name, ...states.map(stateMark)]),
    );
  const passing = signals.filter(({ states }) => new Set(states.map((state) => state === "passed")).size > 1);
  return html`<p class="lead">${describeDatasets(records, passing.length, signals.length)}</p>
<div class="sides">${table("Scores side by side", columns, facts)}
<h2>Signals that differ: ${differ.length} of ${signals.length}</h2>
${signalTable("Signals that differ", differ)}
${agree.length === 0 ? null : html`<details><summary>Equal signals: ${agree.length}</summary>${signalTable("Equal signals", agree)}</details>`}</div>`;
}

/**
 * Returns the result in a sentence: how far the scores are apart, and how many signals only some of the datasets pass. If
 * different points are possible, the shares of these are compared.
 */
function describeDatasets(records: readonly RecordDetail[], passing: number, signals: number): string {
  const scored = records.flatMap(({ score, cap }) => (score === null ? [] : [{ total: score.total, cap }]));
  const totals = scored.map(({ total }) => total);
  const apart = computeDifference(totals);
  const differing = `${passing} of ${countText(signals, "signal")} ${passing === 1 ? "passes" : "pass"} in some of the datasets, but not in all`;
  if (apart === null) return `${differing}.`;
  if (new Set(scored.map(({ cap }) => cap)).size > 1) {
    const shares = scored.map(({ total, cap }) => percent(total, cap));
    return `The datasets have ${shares.slice(0, -1).join(", ")} and ${shares.at(-1)} of their possible points: ${differing}.`;
  }
  if (apart === 0) return `The scores are the same: ${totals[0]} points. ${differing}.`;
  return `The scores are ${countText(apart, "point")} apart, ${Math.min(...totals)} and ${Math.max(...totals)}, because ${differing}.`;
}

function signalLink({ id, name }: { readonly id: string; readonly name: string }, version: PublicVersion): Html {
  return html`<a href="${underVersion(`/signals/${id}`, version)}">${id} ${name}</a>`;
}

function stateMark(state: SignalState | null): Html {
  if (state === null) return html`–`;
  const { look, sign, word } = STATE_WORDS[state];
  return html`<span class="state ${look}">${sign} ${word}</span>`;
}

const DIFFERENCE = numberColumn("Difference");

function repositoryTables({ found, prevalence, signals }: ComparedRepositories, version: PublicVersion): Html {
  const columns = found.map(({ repository }) => repository);
  const counted = (id: string) =>
    found.map(({ repository }) => prevalence.find((each) => each.signal === id && each.repository === repository));
  const all = found.map(({ repository }) => prevalence.filter((each) => each.repository === repository));
  const sums = all.map((counts) => ({ passed: sumMember(counts, "passed"), judged: sumMember(counts, "judged") }));
  const shares = signals
    .map((signal) => {
      const counts = counted(signal.id);
      return { signal, counts, difference: computeDifference(counts.map(computeShare)) };
    })
    .toSorted((one, other) => (other.difference ?? -1) - (one.difference ?? -1));
  const buckets = BUCKETS.map((bucket) => {
    const ids = signals.filter((signal) => signal.bucket === bucket).map(({ id }) => id);
    return pointsRow(
      BUCKET_NAMES[bucket],
      20,
      all.map((counts) => sumPoints(counts.filter(({ signal }) => ids.includes(signal)))),
    );
  });
  return html`<p class="lead">${describeRepositories(
    found.map(({ repository }, i) => ({ repository, ...sumPoints(all[i] ?? []) })),
    shares[0],
  )}</p>
<p class="note">Repositories allow different scores, so compare the shares of the possible points. A difference is the highest share less the lowest, in percentage points.</p>
<div class="sides">${table(
    "Repositories side by side, with average points of the average that is possible",
    ["Figure", ...columns, DIFFERENCE],
    [
      ["Datasets", ...found.map(({ count }) => integer(count)), ""],
      ["Datasets with a score", ...found.map(({ scoredCount }) => integer(scoredCount)), ""],
      pointsRow("Average score", 100, all.map(sumPoints)),
      ["Median score", ...found.map((figures) => tenths(computeMedian(figures))), ""],
      ...buckets,
      [
        "Passed, of the signals that could be judged",
        ...sums.map(({ passed, judged }) => percent(passed, judged)),
        differenceText(computeDifference(sums.map(computeShare))),
      ],
      ["Details", ...columns.map((label) => figuresLink(label, version)), ""],
    ],
  )}
<h2>Share of datasets with each signal</h2>
${table(
  "Share of the datasets that could be judged, with 95 % intervals, the largest differences first",
  ["Signal", ...columns, DIFFERENCE],
  shares.map(({ signal, counts, difference }) => [
    signalLink(signal, version),
    ...counts.map(shareCell),
    differenceText(difference),
  ]),
)}</div>`;
}

/** Returns the result in two sentences: the highest and the lowest share of the possible points, and the signal that differs most. */
function describeRepositories(
  all: readonly (Points & Pick<RepositoryFigures, "repository">)[],
  most:
    | { readonly signal: { readonly id: string; readonly name: string }; readonly difference: number | null }
    | undefined,
): Html {
  const ranked = all
    .filter(({ possible }) => possible > 0)
    .toSorted((one, other) => other.reached / other.possible - one.reached / one.possible);
  const [first, last] = [ranked[0], ranked.at(-1)];
  const share = ({ reached, possible }: Points) => percent(reached, possible);
  return html`${
    first === undefined || last === undefined || first === last
      ? null
      : html`Datasets in <bdi>${first.repository}</bdi> reach ${share(first)} of the possible points on average, those in <bdi>${last.repository}</bdi> ${share(last)}. `
  }${most?.difference == null ? null : `They differ most in ${most.signal.id} ${most.signal.name}, by ${tenths(most.difference)} percentage points.`}`;
}

function figuresLink(label: string, version: PublicVersion): Html {
  return html`<a href="${underVersion(`/repositories/${encodeURIComponent(label)}`, version)}">All figures<span class="visually-hidden"> of <bdi>${label}</bdi></span></a>`;
}

/**
 * The sum of the points of all scored datasets, and the sum of their possible points. They are divided only when they are
 * shown.
 */
interface Points {
  readonly scored: number;
  readonly reached: number;
  readonly possible: number;
}

/** Adds up the points and the possible points of some signals of a repository. */
function sumPoints(counts: readonly Prevalence[]): Points {
  return {
    scored: counts[0]?.scored ?? 0,
    reached: POINTS_PER_SIGNAL * sumMember(counts, "passed"),
    possible: POINTS_PER_SIGNAL * sumMember(counts, "supported"),
  };
}

function sumMember(counts: readonly Prevalence[], member: "supported" | "judged" | "passed"): number {
  return counts.reduce((total, each) => total + each[member], 0);
}

function pointsRow(name: string, most: number, all: readonly Points[]): HtmlPart[] {
  const shares = all.map(({ reached, possible }) => (possible === 0 ? null : (100 * reached) / possible));
  return [name, ...all.map((points) => pointsCell(points, most)), differenceText(computeDifference(shares))];
}

function pointsCell({ scored, reached, possible }: Points, most: number): HtmlPart {
  if (scored === 0) return UNKNOWN;
  if (possible === 0) return STATE_WORDS.unsupported.word;
  const [mean, cap] = [exactMean(reached, scored), exactMean(possible, scored)];
  return html`${averageText(mean, cap)} <span class="muted small">(${percent(reached, possible)})</span>${meter(mean, { most, cap, tier: datasetTier(mean, cap) })}`;
}

/** Returns the median of the totals in a repository; null without a scored dataset. */
function computeMedian({ totalDistribution }: Pick<RepositoryFigures, "totalDistribution">): number | null {
  let all = 0;
  const upTo = Object.entries(totalDistribution).map(([total, count]) => {
    all += count;
    return { total: Number(total), datasets: all };
  });
  if (all === 0) return null;
  const at = (place: number) => upTo.find(({ datasets }) => datasets > place)?.total ?? 0;
  return (at(Math.floor((all - 1) / 2)) + at(Math.floor(all / 2))) / 2;
}

function computeShare(counts: Pick<Prevalence, "judged" | "passed"> | undefined): number | null {
  return counts === undefined || counts.judged === 0 ? null : (100 * counts.passed) / counts.judged;
}

function shareCell(counts: Prevalence | undefined): HtmlPart {
  if (counts === undefined || counts.scored === 0) return UNKNOWN;
  if (counts.supported === 0) return STATE_WORDS.unsupported.word;
  return counts.judged === 0 ? UNKNOWN : html`${prevalenceText(counts)}${prevalenceBar(counts)}`;
}

/** Returns the highest figure minus the lowest; null if fewer than two figures are known. */
function computeDifference(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null);
  return known.length < 2 ? null : Math.max(...known) - Math.min(...known);
}

function differenceText(difference: number | null): string {
  return difference === null ? "–" : tenths(difference);
}
