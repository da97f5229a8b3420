/** /compare: two to four datasets or repositories side by side, with the largest differences first. */

import { datasetTier, exactMean } from "../../api-static/pages/numbers.ts";
import type { RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import type { RecordDetail, RecordRow } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS, type BucketId, type SignalState } from "../../schemas/public/signal.ts";
import {
  bucketBar,
  meter,
  type PointSums,
  type Prevalence,
  pointsOfCap,
  prevalenceBar,
  prevalenceText,
  sumCounts,
  sumPoints,
} from "../components/bars.ts";
import { findMedian } from "../components/distribution.ts";
import type { View } from "../components/document.ts";
import {
  averageText,
  countText,
  hundredths,
  integer,
  percent,
  plural,
  tenths,
  timeElement,
  UNKNOWN,
} from "../components/figures.ts";
import { datalist, type FieldErrors, field, filledIn } from "../components/forms.ts";
import { MIN_AVERAGED } from "../components/list-columns.ts";
import { rubricInput, underVersion, versionNote } from "../components/navigation.ts";
import { datasetName, selectedRecords } from "../components/record-rows.ts";
import { findTier, tierMark } from "../components/score.ts";
import { type Compared, comparePath, PLURALS } from "../components/selecting.ts";
import { bucketPoints, listEqualSignals } from "../components/signals.ts";
import { BUCKET_NAMES, capitalised, STATE_WORDS } from "../components/state-words.ts";
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

/** The content of the view before a comparison. */
interface Start {
  /** The repositories to choose from. */
  readonly labels: readonly string[];
  /** Two datasets and two repositories that are examples; fewer if the release does not have them. */
  readonly datasets: readonly RecordRow[];
  readonly repositories: readonly string[];
  /** True if the URL has datasets as well as repositories. */
  readonly isMixed: boolean;
}

/** Returns the view before anything is compared. */
export function compareView({ labels, datasets, repositories, isMixed }: Start, version: PublicVersion): View {
  const example = (kind: Compared, values: readonly string[], names: readonly string[]) =>
    values.length < 2
      ? null
      : html`<p>For example: <a href="${comparePath(kind, values, version)}">${names.map((name, i) => html`${i === 0 ? "" : " and "}<bdi>${name}</bdi>`)}</a></p>`;
  const scores = datasets.map((record) => `${datasetName(record)} (${record.score?.total ?? UNKNOWN})`);
  return {
    ...HEAD,
    title: "Compare",
    unlisted: isMixed || version !== PUBLIC_VERSIONS[0],
    body: html`<h1>Compare datasets or repositories</h1>${versionNote(version, "/compare")}
<p class="lead">See two to four side by side: their scores, their points in each bucket, and the signals in which they differ.</p>
${isMixed ? html`<p class="warn" role="alert">Datasets cannot be compared with repositories. Enter only one kind.</p>` : null}
<div class="halves"><section class="panel"><h2>Datasets</h2>
<p>${LEAD} You can also select them in <a href="${underVersion("/datasets", version)}">the list of datasets</a>.</p>
${example(
  "dataset",
  datasets.map(({ id, doi }) => doi ?? id),
  scores,
)}
${boxesForm("dataset", EMPTY, version)}</section>
<section class="panel"><h2>Repositories</h2>
<p>Enter two to four names. You can also select them in <a href="${underVersion("/repositories", version)}">the list of repositories</a>.</p>
${example("repository", repositories, repositories)}
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
  const content = around("dataset", LEAD, boxes, version, form, () => datasetTables(found, version));
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
  version: PublicVersion,
  form: Html,
  result: () => Html,
): Html {
  const [first] = found;
  if (first === undefined || found.length < 2 || errors.size > 0) {
    return html`<p class="lead">${found.length === 1 && errors.size === 0 ? `Which ${kind} do you want to compare with this one?` : lead}</p>
${first === undefined || found.length > 1 ? null : html`<ul class="figures">${"title" in first ? scoreItem(first, "", version) : html`<li><b>${hundredths(first.meanScore)}</b> average score of <bdi>${first.repository}</bdi></li>`}</ul>`}
${form}
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
  const content = around("repository", "Enter two to four names.", page, version, form, () =>
    repositoryTables(page, version),
  );
  return makeView("repository", comparePath("repository", page.typed, PUBLIC_VERSIONS[0]), version, content);
}

const ORDINALS = ["First", "Second", "Third", "Fourth"] as const;

/** Number of boxes that are shown at once. The others are folded until they are needed. */
const SHOWN_BOXES = 2;

/** Returns a form of four boxes, or of more if the URL has more items. All have the same name, and suggest `labels`. */
function boxesForm(kind: Compared, boxes: Boxes<unknown>, version: string, labels: readonly string[] = []): Html {
  const makeId = (i: number) => `${kind}-${i + 1}`;
  const typed = Object.fromEntries(boxes.typed.map((text, i) => [makeId(i), text]));
  const errors: FieldErrors = new Map([...boxes.errors].map(([i, error]) => [makeId(i), error]));
  const list = labels.length === 0 ? {} : { list: "labels" };
  const suggested = labels.map((label) => [label, ""] as const);
  const second =
    boxes.typed.length === 1 && boxes.found.length === 1 ? { hint: `Enter a second ${kind} to compare.` } : {};
  const fields = Array.from(
    { length: Math.max(ORDINALS.length, boxes.typed.length) },
    (_, i) =>
      html`<div>${field({ label: `${ORDINALS[i] ?? "Another"} ${kind}`, ...filledIn(makeId(i), typed, errors), id: makeId(i), name: kind, ...list, ...(i === 1 ? second : {}) })}</div>`,
  );
  return html`<form action="/compare">${rubricInput(version)}<div class="fields">${fields.slice(0, SHOWN_BOXES)}</div>
<details${boxes.typed.length > SHOWN_BOXES ? html` open` : null}><summary>More ${PLURALS[kind]}</summary><div class="fields">${fields.slice(SHOWN_BOXES)}</div></details>${labels.length === 0 ? null : datalist("labels", suggested)}<p><button>Compare</button></p></form>`;
}

type ComparedSignal = Pick<RecordDetail["signals"][number], "id" | "name"> & {
  /** The state in each dataset; null if the dataset has no result. */
  readonly states: readonly (SignalState | null)[];
};

function datasetTables(records: readonly RecordDetail[], version: PublicVersion): Html {
  const names = shortNames(records.map(datasetName));
  const signals = (records[0]?.signals ?? []).map(
    ({ id, name }): ComparedSignal => ({
      id,
      name,
      states: records.map(({ signals: all }) => all.find((signal) => signal.id === id)?.state ?? null),
    }),
  );
  const groups = groupByPasses(signals);
  const differing = groups.flatMap(({ some }) => some);
  const signalTable = (caption: string, some: readonly ComparedSignal[]) =>
    table(
      caption,
      ["Signal", ...names],
      some.map(({ states, ...signal }) => [signalLink(signal, version), ...states.map(stateMark)]),
    );
  return html`<p class="lead">${describeDatasets(records, names, signals)}</p>
<ul class="figures">${records.map((record, i) => scoreItem(record, names[i]?.endsWith(placeMark(i)) === true ? placeMark(i) : "", version))}</ul>
<h2>Signals that differ: ${differing.length} of ${signals.length}</h2>
${records.length > 2 ? null : html`<div class="halves">${groups.map(({ passing, some }) => passGroup({ passing, some, names, records }, version))}</div>`}
<div class="sides">${records.length > 2 && differing.length > 0 ? signalTable("Results that differ, those of the same datasets together", differing) : null}
<details><summary>All ${signals.length} signals side by side</summary>${signalTable("Results of all signals", signals)}</details>
<h2>Points in each bucket</h2>
${table(
  "Points of the possible points",
  ["Bucket", ...names],
  BUCKETS.map((bucket) => [
    BUCKET_NAMES[bucket],
    ...records.map(({ score, signals: own }) => {
      if (score === null) return UNKNOWN;
      const points = bucketPoints({ signals: own })[bucket];
      return html`${pointsOfCap(points)}${bucketBar(points)}`;
    }),
  ]),
)}</div>`;
}

/** Maximum length of a title in the head of a column. */
const MAX_NAME = 34;

/** Shortens titles between words. Equal titles get their place in the comparison. */
function shortNames(titles: readonly string[]): string[] {
  const cut = titles.map((title) => {
    const start = [...title].slice(0, MAX_NAME).join("");
    const end = start.lastIndexOf(" ");
    return start === title ? title : `${end > 0 ? start.slice(0, end) : start}…`;
  });
  return cut.map((name, i) => (cut.filter((other) => other === name).length > 1 ? `${name}${placeMark(i)}` : name));
}

function placeMark(i: number): string {
  return ` (${i + 1})`;
}

/** Returns the score of a dataset as a large figure with its bar, and what the dataset is. */
function scoreItem(record: RecordDetail, mark: string, version: PublicVersion): Html {
  const { id, score, cap, repository, pubDate, license } = record;
  const facts = [repository, pubDate === null ? null : timeElement(pubDate), license].filter((fact) => fact !== null);
  return html`<li>${
    score === null
      ? html`<b>No score</b>`
      : html`<b>${score.total} <small>of ${cap}</small></b>${meter(score.total, { most: 100, cap, tier: findTier(record) })}`
  }<a href="${underVersion(`/datasets/${id}`, version)}" dir="auto">${datasetName(record)}</a>${mark}<span class="hint">${tierMark(record)} ${facts.map((fact, i) => html`${i === 0 ? "" : ", "}<bdi>${fact}</bdi>`)}</span></li>`;
}

interface PassGroup {
  /** The places of the datasets that pass, in the order of the comparison. */
  readonly passing: readonly number[];
  readonly some: readonly ComparedSignal[];
}

/**
 * Groups the signals that only some datasets pass by these datasets. The largest group is the first, but those of two datasets
 * are below their scores.
 */
function groupByPasses(signals: readonly ComparedSignal[]): PassGroup[] {
  const places = ({ states }: ComparedSignal) => states.flatMap((state, i) => (state === "passed" ? [i] : []));
  const differing = signals.filter((each) => ![0, each.states.length].includes(places(each).length));
  return [...Map.groupBy(differing, (each) => places(each).join(" "))]
    .map(([key, some]) => ({ passing: key.split(" ").map(Number), some }))
    .toSorted(({ passing: [one = 0], some }, { passing: [other = 0], some: others }) =>
      signals[0]?.states.length === 2 ? one - other : others.length - some.length,
    );
}

/** Returns the signals that only one of two datasets passes. */
function passGroup(
  {
    passing,
    some,
    names,
    records,
  }: PassGroup & { readonly names: readonly string[]; readonly records: readonly RecordDetail[] },
  version: PublicVersion,
): Html {
  const hints = some.map(({ states }) => explainMissed(states, records));
  const sameHint = new Set(hints).size === 1 ? (hints[0] ?? null) : null;
  return html`<section><h3>Only ${passing.map((i) => html`<bdi>${names[i] ?? ""}</bdi>`)} passes</h3>
${sameHint === null ? null : html`<p class="muted small">${capitalised(sameHint)}.</p>`}<ul>${some.map(({ states: _, ...signal }, i) => html`<li>${signalLink(signal, version)}${sameHint !== null || hints[i] === null ? null : html` <span class="muted small">${hints[i] ?? ""}</span>`}</li>`)}</ul></section>`;
}

/** Returns a hint if a dataset does not pass because its repository does not allow it, or because it is not known. */
function explainMissed(states: ComparedSignal["states"], records: readonly RecordDetail[]): string | null {
  const where = (isIn: (state: SignalState) => boolean) => [
    ...new Set(
      states.flatMap((state, i) => (state !== null && isIn(state) ? [records[i]?.repository ?? "one of them"] : [])),
    ),
  ];
  const impossible = where((state) => state === "unsupported");
  const unknown = where((state) => STATE_WORDS[state].sign === "?");
  const hints = [
    ...(impossible.length === 0 ? [] : [`not possible in ${impossible.join(", ")}`]),
    ...(unknown.length === 0 ? [] : [`not known in ${unknown.join(", ")}`]),
  ];
  return hints.length === 0 ? null : hints.join("; ");
}

/**
 * Returns the result in a sentence: how far the scores are apart, and how many signals only some of the datasets pass. If
 * different points are possible, the shares of these are compared. A second sentence names the datasets without a score.
 */
export function describeDatasets(
  records: readonly { readonly score: { readonly total: number } | null; readonly cap: number }[],
  names: readonly string[],
  signals: readonly ComparedSignal[],
): Html {
  const named = (i: number) => html`“<bdi>${names[i] ?? ""}</bdi>”`;
  const scored = records.flatMap(({ score, cap }, i) =>
    score === null ? [] : [{ points: score.total, possible: cap, i }],
  );
  const unscored = records.flatMap(({ score }, i) => (score === null ? [named(i)] : []));
  const rest =
    unscored.length === 0 ? null : html` ${listParts(unscored)} ${unscored.length === 1 ? "has" : "have"} no score.`;
  return html`${describeScored({ scored, isAll: unscored.length === 0 }, named, signals)}${rest}`;
}

/** A dataset with a score; `i` is its place in the comparison. */
interface ScoredDataset extends Share {
  readonly i: number;
}

/** Compares the datasets with a score. `isAll` is true if no other dataset is in the comparison. */
function describeScored(
  { scored, isAll }: { readonly scored: readonly ScoredDataset[]; readonly isAll: boolean },
  named: (i: number) => Html,
  signals: readonly ComparedSignal[],
): Html {
  const { highest, lowest } = findExtremes(scored);
  const [first, last] = [highest[0], lowest[0]];
  if (first === undefined || last === undefined || scored.length < 2)
    return html`Too few of the datasets have a score to compare them.`;
  const isSameCap = scored.every(({ possible }) => possible === first.possible);
  const names = (some: readonly ScoredDataset[]) => listParts(some.map(({ i }) => named(i)));
  const shares = (some: readonly ScoredDataset[]) =>
    listParts([...new Set(some.map(({ points, possible }) => `${points} of ${possible}`))]);
  if (first === last) {
    const who = isAll ? (scored.length === 2 ? "Both" : "All") : names(scored);
    const own = signals.map((signal) => ({ ...signal, states: scored.map(({ i }) => signal.states[i] ?? null) }));
    const but = groupByPasses(own).length === 0 ? "" : ", but they pass different signals";
    return isSameCap
      ? html`${who} have the same score, ${shares(scored)} possible points${but}.`
      : html`${who} reach the same share of their possible points, ${shares(scored)}${but}.`;
  }
  if (isSameCap && scored.length === 2) {
    const count = (one: number, other: number) =>
      signals.filter(({ states }) => states[one] === "passed" && states[other] !== "passed").length;
    const missed = count(last.i, first.i);
    return html`${named(first.i)} scores ${countText(first.points - last.points, "point")} more than ${named(last.i)}: it passes ${countText(count(first.i, last.i), "signal")} that the other does not${missed === 0 ? "" : `, and misses ${integer(missed)}`}.`;
  }
  return html`${names(highest)} ${highest.length === 1 ? "reaches" : "reach"} the most of ${highest.length === 1 ? "its" : "their"} possible points, ${shares(highest)}, and ${names(lowest)} the least, ${shares(lowest)}.`;
}

/** Points, and the points that are possible. */
type Share = Pick<PointSums, "points" | "possible">;

/** Returns the items with the highest share of the possible points, and those with the lowest. Equal shares are all returned. */
function findExtremes<Item extends Share>(all: readonly Item[]): { readonly highest: Item[]; readonly lowest: Item[] } {
  const shares = all.map(({ points, possible }) => points / possible);
  const [most, least] = [Math.max(...shares), Math.min(...shares)];
  return {
    highest: all.filter((_, i) => shares[i] === most),
    lowest: all.filter((_, i) => shares[i] === least),
  };
}

/** Returns parts of a sentence as a list, such as `A, B and C`. */
function listParts(parts: readonly HtmlPart[]): Html {
  return html`${parts.map((part, i) => html`${i === 0 ? "" : i === parts.length - 1 ? " and " : ", "}${part}`)}`;
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
  const sums = all.map((counts) => ({ passed: sumCounts(counts, "passed"), judged: sumCounts(counts, "judged") }));
  const shares = signals
    .map((signal) => {
      const counts = counted(signal.id);
      // With few judged datasets, one of them could make the largest difference.
      const compared = counts.map((each) => ((each?.judged ?? 0) < MIN_AVERAGED ? null : computeShare(each)));
      return { signal, counts, compared, difference: computeDifference(compared) };
    })
    .toSorted((one, other) => (other.difference ?? -1) - (one.difference ?? -1));
  const buckets = BUCKETS.map((bucket) => {
    const ids = signals.filter((signal) => signal.bucket === bucket).map(({ id }) => id);
    return pointsRow(
      BUCKET_NAMES[bucket],
      20,
      all.map((counts) => sumPoints(counts.filter(({ signal }) => ids.includes(signal)))),
      columns,
    );
  });
  const signalTable = (caption: string, some: typeof shares) =>
    table(
      caption,
      ["Signal", ...columns, DIFFERENCE],
      some.map(({ signal, counts, compared, difference }) => [
        signalLink(signal, version),
        ...counts.map(shareCell),
        differenceCell(difference, compared, columns),
      ]),
    );
  const differing = shares.filter(({ difference }) => difference !== null && difference > 0);
  const isAny = differing.length > 0;
  const others = shares.slice(Math.min(differing.length, MAX_DIFFERENCES));
  return html`<p class="lead">${describeRepositories(
    found.map(({ repository }, i) => ({ repository, ...sumPoints(all[i] ?? []) })),
    differing,
  )}</p>
<div class="sides">${table(
    "Share of the possible points, which differ between repositories. Differences are in percentage points, of figures that are not rounded.",
    ["Figure", ...columns, DIFFERENCE],
    [
      ["Datasets", ...found.map(({ count }) => integer(count)), ""],
      pointsRow("Average score", 100, all.map(sumPoints), columns),
      ...buckets,
      ["Details", ...columns.map((label) => figuresLink(label, version)), ""],
    ],
  )}
<details><summary>More figures</summary>${table(
    "More figures of the repositories",
    ["Figure", ...columns, DIFFERENCE],
    [
      ["Datasets with a score", ...found.map(({ scoredCount }) => integer(scoredCount)), ""],
      ["Median score", ...found.map((figures) => tenths(findMedian(figures.totalDistribution))), ""],
      [
        "Passed, of the signals that could be judged",
        ...sums.map(({ passed, judged }) => percent(passed, judged)),
        differenceCell(computeDifference(sums.map(computeShare)), sums.map(computeShare), columns),
      ],
    ],
  )}</details>
<h2>Share of datasets with each signal</h2>
<p>${describeDiffering(differing, shares)} A difference is shown if each share is of at least ${MIN_AVERAGED} datasets that could be judged.</p>
${isAny ? signalTable("Share of the datasets that could be judged, with 95 % intervals", differing.slice(0, MAX_DIFFERENCES)) : null}
${others.length === 0 ? null : html`<details><summary>${countText(others.length, isAny ? "more signal" : "signal")}</summary>${signalTable(isAny ? "The other signals, the largest differences first" : "Shares of all signals, with 95 % intervals", others)}</details>`}</div>`;
}

/** Number of signals that are shown at once; the others are folded. */
const MAX_DIFFERENCES = 8;

interface SignalDifference {
  readonly signal: { readonly id: string; readonly name: string };
  /** The largest difference of two shares in percentage points; null without two shares of enough judged datasets. */
  readonly difference: number | null;
}

/** Returns the sentence above the signals that differ, which are the first of all signals. */
export function describeDiffering(differing: readonly SignalDifference[], all: readonly SignalDifference[]): string {
  if (differing.length > MAX_DIFFERENCES) return `The ${MAX_DIFFERENCES} signals that differ most.`;
  if (differing.length > 0) return plural(differing.length, "The signal that differs.", "The {0} signals that differ.");
  return all.every(({ difference }) => difference === null)
    ? `No signal could be judged for at least ${MIN_AVERAGED} datasets in two of these repositories.`
    : "No signal differs between these repositories.";
}

/**
 * Returns the result in sentences: the repositories with the highest and the lowest share of the possible points, the signals
 * that differ most, which are the first of `differing`, and the repositories with too few scores to be compared.
 */
export function describeRepositories(
  all: readonly (PointSums & Pick<RepositoryFigures, "repository">)[],
  differing: readonly SignalDifference[],
): Html {
  const [enough, few] = [
    all.filter(({ scored }) => scored >= MIN_AVERAGED),
    all.filter(({ scored }) => scored < MIN_AVERAGED),
  ];
  const { highest, lowest } = findExtremes(enough.filter(({ possible }) => possible > 0));
  const [first, last] = [highest[0], lowest[0]];
  if (first === undefined || last === undefined || enough.length < 2)
    return html`Fewer than two of these repositories have ${MIN_AVERAGED} datasets with a score, so they are not compared.`;
  const names = (some: typeof all) => listParts(some.map(({ repository }) => html`<bdi>${repository}</bdi>`));
  const share = ({ points, possible }: PointSums) => percent(points, possible);
  const others = first === last ? null : html`, those in ${names(lowest)} ${share(last)}`;
  return html`Datasets in ${names(highest)} reach ${share(first)} of the possible points on average${others}. ${describeMost(differing)}${
    few.length === 0
      ? null
      : html` ${names(few)} ${few.length === 1 ? "has" : "have"} fewer than ${MIN_AVERAGED} datasets with a score.`
  }`;
}

/** Differences that are closer than this are equal. Floating-point numbers can differ in their last digits. */
const EPSILON = 1e-9;

function describeMost(differing: readonly SignalDifference[]): string | null {
  const most = differing[0]?.difference ?? null;
  if (most === null) return null;
  const ties = differing.filter(({ difference }) => most - (difference ?? 0) < EPSILON);
  return `They differ most in ${listEqualSignals(ties.map(({ signal: { id, name } }) => `${id} ${name}`))}, by ${tenths(most)} percentage points.`;
}

function figuresLink(label: string, version: PublicVersion): Html {
  return html`<a href="${underVersion(`/repositories/${encodeURIComponent(label)}`, version)}">All figures<span class="visually-hidden"> of <bdi>${label}</bdi></span></a>`;
}

function pointsRow(name: string, most: number, all: readonly PointSums[], columns: readonly string[]): HtmlPart[] {
  const shares = all.map(({ points, possible }) => (possible === 0 ? null : (100 * points) / possible));
  return [
    name,
    ...all.map((sums) => pointsCell(sums, most)),
    differenceCell(computeDifference(shares), shares, columns),
  ];
}

function pointsCell({ scored, points, possible }: PointSums, most: number): HtmlPart {
  if (scored === 0) return UNKNOWN;
  if (possible === 0) return STATE_WORDS.unsupported.word;
  const [mean, cap] = [exactMean(points, scored), exactMean(possible, scored)];
  return html`<strong>${percent(points, possible)}</strong> <span class="muted small">${averageText(mean, cap)}</span>${meter(mean, { most, cap, tier: datasetTier(mean, cap) })}`;
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

/** Returns a difference with the name of the repository that has the highest figure; without a name if there is none. */
function differenceCell(
  difference: number | null,
  figures: readonly (number | null)[],
  columns: readonly string[],
): HtmlPart {
  if (difference === null) return "–";
  const highest = figures.reduce<number>((best, figure, i) => ((figure ?? -1) > (figures[best] ?? -1) ? i : best), 0);
  return html`${tenths(difference)}${difference === 0 ? null : html`<span class="hint">more in <bdi>${columns[highest] ?? ""}</bdi></span>`}`;
}
