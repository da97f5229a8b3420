/** The view of one dataset: its score and possible points, next steps, the 25 signals, and badges. */

import type { BadgeScore } from "../../api-static/pages/badge.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS, type BucketId } from "../../schemas/public/signal.ts";
import type { PastScore } from "../../schemas/public/site/queries.ts";
import { bucketProfile } from "../components/bucket-profile.ts";
import { reportPath } from "../components/contact.ts";
import { describeStanding, distributionChart, isolated } from "../components/distribution.ts";
import type { View } from "../components/document.ts";
import { countText, integer, timeElement } from "../components/figures.ts";
import { buttonForm } from "../components/forms.ts";
import { addRubric, searchLink, underVersion } from "../components/navigation.ts";
import { datasetName } from "../components/record-rows.ts";
import { saveButton } from "../components/saving.ts";
import { type RepositoryStanding, scoreSection } from "../components/score.ts";
import { comparePath } from "../components/selecting.ts";
import { pictureRecord } from "../components/share-picture.ts";
import { bucketPoints, type NextStep, nextSteps, signalDetails } from "../components/signals.ts";
import { snippets, snippetTabs } from "../components/snippets.ts";
import { accessWords, BUCKET_NAMES } from "../components/state-words.ts";
import { table } from "../components/table.ts";
import { describeTrend, type PastValue, trendChart } from "../components/trend.ts";
import { type Html, html } from "../html.ts";
import { sign, t, translateIfKnown } from "../languages/translate.ts";
import { changesFeedPath } from "./changes-feed.ts";
import { formatBibtex, formatCitation } from "./citations.ts";
import { datasetLinkedData, signposts } from "./linked-data.ts";

/** The part of a record that is compared between two SHARE versions. */
type Totals = Pick<RecordDetail, "score" | "cap">;

interface DatasetPage {
  readonly record: RecordDetail;
  readonly version: PublicVersion;
  /** Name of the source of the metadata. */
  readonly source: string;
  /** URL of the licence; null if the record names none or a licence without a URL. */
  readonly licence: string | null;
  /** The record under the other SHARE version; null if the release has no scores under it. */
  readonly other: { readonly version: PublicVersion; readonly record: Totals } | null;
  readonly standing: RepositoryStanding | null;
  /** The number of datasets in the release with 100 points, if the dataset is one of them; otherwise null. */
  readonly perfect: number | null;
  /** The number of judged signals that a score needs; null in older releases. */
  readonly needed: number | null;
  readonly steps: readonly NextStep[];
  readonly questions: ReadonlyMap<string, string>;
  /** The scores of the dataset in each release up to the current one, oldest first. */
  readonly history: readonly PastScore[];
  readonly origin: string;
}

export function datasetView(page: DatasetPage): View {
  const { record, version, origin } = page;
  const title = datasetName(record);
  const badge = record.score === null ? t("No score") : t`SHARE score ${record.score.total} of ${record.cap ?? ""}`;
  return {
    title,
    description: t`${badge}${record.repository === null ? "" : `, ${record.repository}`}: how it is composed, and how to raise it.`,
    apiPath: `/records/${record.id}?rubric=${version}`,
    canonical: `/datasets/${record.id}`,
    feed: changesFeedPath(`/datasets/${record.id}`),
    linkedData: datasetLinkedData(record, origin),
    links: signposts(record, page.licence),
    picture: { title, ...pictureRecord(record), foot: record.doi ?? record.identifier },
    body: html`<p class="crumbs"><a href="/datasets">Datasets</a>${record.repository === null ? null : html` › <a href="${underVersion(`/repositories/${encodeURIComponent(record.repository)}`, version)}"><bdi>${record.repository}</bdi></a>`}</p>
<h1 dir="auto">${title}</h1>
${credits(record, version)}
${scoreSection(record, { version, source: page.source, isLive: false, standing: compareScore(page), perfect: page.perfect, needed: page.needed, actions: actionBar(page) }, nextSteps(page.steps, record))}
<section class="unprinted" aria-labelledby="signals"><h2 id="signals">The 25 signals</h2>
${signalDetails(record, page.questions, version)}</section>
<p class="unprinted" data-server>Is something wrong here? <a rel="nofollow" href="${reportPath(`/datasets/${page.record.id}`)}">Report a problem</a></p>
${comparison(page)}
<div class="charts">${scoreHistory(page.history)}</div>
${page.other === null || (record.score === null && page.other.record.score === null) ? null : bothVersions(page.record, version, page.other)}
<h2>Share and cite</h2>
<details class="narrow" id="share"><summary>Show the citation, the link and the badge</summary>${snippetTabs(
      "citation",
      t("Citation of the dataset"),
      [
        { format: t("Text"), name: t("Citation"), text: formatCitation(record) },
        { format: "BibTeX", name: t("Citation as BibTeX"), text: formatBibtex(record) },
      ],
    )}
<p><strong>Link to this page:</strong> <a href="${origin}${underVersion(`/datasets/${record.id}`, version)}">${origin}${underVersion(`/datasets/${record.id}`, version)}</a></p>
<div class="unprinted">${snippets({ origin, version, page: `/datasets/${record.id}`, badge })}</div></details>
<h2>About this record</h2>
<details class="narrow"><summary>Show the repository, the licence and the source</summary>${facts(record)}</details>`,
  };
}

/** Compares the score with the scores of the repository. Null if there is no score, or the repository has too few datasets. */
function compareScore({ record, standing }: Pick<DatasetPage, "record" | "standing">) {
  if (standing === null || record.score === null) return null;
  const place = t`in ${isolated(standing.repository)}`;
  return { finding: describeStanding(record.score.total, standing.totals, place), mean: standing.mean };
}

/** Returns the charts that compare the dataset with its repository, which are folded on phones; null if there are none. */
function comparison(page: DatasetPage): Html | null {
  const charts = [standingChart(page), profileChart(page)];
  if (page.standing === null || charts.every((chart) => chart === null)) return null;
  return html`<details class="narrow"><summary>Show the comparison with ${isolated(page.standing.repository)}</summary><div class="charts">${charts}</div></details>`;
}

/** Returns a chart of the score among the scores of the repository; null if there are too few to compare with. */
function standingChart({ record, standing, version }: DatasetPage): Html | null {
  if (record.score === null || standing === null) return null;
  const { repository, totals, mean } = standing;
  return distributionChart({
    id: "standing",
    totals,
    place: t`in ${isolated(repository)}`,
    mean,
    query: addRubric({ repository }, version),
    here: record.score.total,
  });
}

/**
 * Returns a chart of the dataset's points in each bucket beside the averages of the repository; null if there are too
 * few datasets to compare with.
 */
function profileChart({ record, standing }: DatasetPage): Html | null {
  if (record.score === null || standing === null) return null;
  const buckets = bucketPoints(record);
  const points = (bucket: BucketId) => ({ sum: buckets[bucket].points, possible: buckets[bucket].cap, count: 1 });
  return bucketProfile({
    own: { S: points("S"), H: points("H"), A: points("A"), R: points("R"), E: points("E") },
    others: standing.buckets,
    ownWords: t("this dataset"),
    othersWords: t`the datasets in ${isolated(standing.repository)}`,
  });
}

/** A dataset that only an earlier release has. */
interface LeftDataset {
  readonly score: BadgeScore;
  readonly title: string | null;
  readonly repository: string | null;
  readonly doi: string | null;
  readonly release: { readonly scoreReleaseVersion: string; readonly releaseDigest: string };
}

/** Returns the view of a dataset that is no longer in the release. `reason` is a sentence that explains why. */
export function leftView(reason: string, { title, repository, doi, score, release }: LeftDataset): View {
  const last =
    typeof score === "string"
      ? t`Release ${release.scoreReleaseVersion} had it last, without a score.`
      : t`Release ${release.scoreReleaseVersion} had it last, with ${scoreText(score)} points.`;
  const words = `${translateIfKnown(reason)} ${last}`;
  const name = title ?? t("Dataset without a title");
  return {
    title: name,
    description: words,
    unlisted: true,
    body: html`<p class="crumbs"><a href="/datasets">Datasets</a></p><h1 dir="auto">${name}</h1>
<p class="warn" role="status"><strong>This dataset is no longer in the current release.</strong> ${words}</p>
<dl class="facts">${repository === null ? null : html`<dt>Repository</dt><dd><bdi>${repository}</bdi></dd>`}${doi === null ? null : html`<dt>DOI</dt><dd><a href="${doiAddress(doi)}" rel="external">${doi}</a></dd>`}<dt>Last release</dt><dd><a href="/history/${release.releaseDigest.replace(":", "-")}">${release.scoreReleaseVersion}</a></dd></dl>
${doi === null ? null : html`<div class="actions">${buttonForm("/check", { identifier: doi, fresh: "true" }, t("Check it now"), "")}</div>`}`,
  };
}

function scoreText({ total, cap }: Exclude<BadgeScore, string>): string {
  return cap === null || cap === 100 ? String(total) : t`${total} of ${cap}`;
}

/**
 * Returns the actions that a user can take with the dataset. Printing needs a script. With a script, sharing opens the dialog
 * of the system.
 */
function actionBar({ record, version }: DatasetPage): Html {
  const at = findDatasetUrl(record);
  const check = (look: string) =>
    buttonForm("/check", { identifier: record.identifier, fresh: "true" }, t("Check it now"), look);
  const share = (look: string) => html`<a class="${look}" href="#share" data-share>Share and cite</a>`;
  // Another check cannot raise a perfect score.
  const isPerfect = record.score?.total === 100;
  return html`<div class="actions">${isPerfect ? share("button") : check("")}${saveButton({
    field: { recordId: record.id },
    save: "save-record",
    remove: "unsave-record",
    id: record.id,
    find: { path: `/account/saved-records?recordId=${record.id}` },
  })}${
    at === null ? null : html`<a class="button quiet" href="${at}" rel="external">Open at the repository</a>`
  }${isPerfect ? check("quiet") : share("button quiet")}<a class="button quiet" href="${comparePath("dataset", [record.identifier], version)}">Compare</a><button type="button" class="quiet" data-print hidden>Print</button></div>`;
}

/** Returns the URL of the dataset at its repository; null if unknown. */
function findDatasetUrl({ doi, url }: Pick<RecordDetail, "doi" | "url">): string | null {
  return doi === null ? url : doiAddress(doi);
}

function credits(record: RecordDetail, version: PublicVersion): Html {
  const { authors, pubDate, doi } = record;
  const firstAuthors = authors.slice(0, 12);
  const more = authors.length - firstAuthors.length;
  const names = firstAuthors.map(({ name, slug }, i) => [
    i === 0 ? "" : sign("; "),
    slug === null
      ? html`<bdi>${name}</bdi>`
      : html`<a href="${underVersion(`/researchers/${slug}`, version)}"><bdi>${name}</bdi></a>`,
  ]);
  const at = findDatasetUrl(record);
  return html`<p>${names}${more > 0 ? ` ${t`and ${integer(more)} more`}` : null}</p><p class="muted">${pubDate === null ? null : html`Published ${timeElement(pubDate)}`}${
    at === null
      ? null
      : html`${pubDate === null ? "" : " · "}<a href="${at}" rel="external">${doi ?? t("Page at the repository")}</a>`
  }</p>`;
}

function bothVersions(record: Totals, version: PublicVersion, other: NonNullable<DatasetPage["other"]>): Html {
  const cell = (of: Totals, bucket: (typeof BUCKETS)[number]) => integer(of.score?.bucketScores[bucket] ?? null);
  const rows = BUCKETS.map((bucket) => [t(BUCKET_NAMES[bucket]), cell(record, bucket), cell(other.record, bucket)]);
  return html`<details class="by unprinted"><summary>Both versions side by side</summary>
${table(
  t("Points by version"),
  [
    { name: t("Part") },
    { name: `SHARE ${version}`, isNumber: true },
    { name: `SHARE ${other.version}`, isNumber: true },
  ],
  [
    ...rows,
    [t("Total"), integer(record.score?.total ?? null), integer(other.record.score?.total ?? null)],
    [t("Maximum possible"), record.cap, other.record.cap],
  ],
)}
<p class="small">In 1.0, R counts use since publication (views, downloads, citations). In 2.0, it rates how reusable the deposit is. <a data-server href="?rubric=${other.version}">This page under SHARE ${other.version}</a></p></details>`;
}

function facts(record: RecordDetail): Html {
  const { observedUse: use, source } = record;
  const rows: [string, Html | string | null][] = [
    [t("Repository"), record.repository],
    [t("Affiliations"), affiliations(record)],
    [t("Kind"), record.recordKind],
    [t("Version"), record.version],
    [t("Licence"), record.license],
    [t("Access"), record.accessStatus === null ? null : accessWords(record.accessStatus)],
    [t("Subjects"), [...record.diseases, ...record.ageGroups, ...record.dataTypes].join(", ") || null],
    [
      t("Views, downloads and citations (not part of the score)"),
      [
        use.views === null ? t("views not known") : countText(use.views, "view"),
        use.downloads === null ? t("downloads not known") : countText(use.downloads, "download"),
        use.citations === null ? t("citations not known") : countText(use.citations, "citation"),
      ].join(sign(", ")),
    ],
    [t("Metadata from"), html`${source.name}, harvested ${timeElement(source.retrievedAt)}`],
    [t("Identifier"), record.identifier],
    [t("Other identifiers"), record.aliases.map(({ identifier }) => identifier).join(", ") || null],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => (value === null ? null : html`<dt>${name}</dt><dd dir="auto">${value}</dd>`))}</dl>`;
}

/** Number of affiliations of the authors that are shown. */
const AFFILIATIONS = 5;

/** Returns a link to the institution for each affiliation of the authors. Hidden authors have no affiliations. */
function affiliations({ authors }: RecordDetail): Html | null {
  const names = [...new Set(authors.flatMap(({ affiliation }) => affiliation || []))];
  if (names.length === 0) return null;
  const links = names
    .slice(0, AFFILIATIONS)
    .map((name, i) => [i === 0 ? "" : sign("; "), searchLink("/affiliations", name)]);
  return html`${links}${names.length > AFFILIATIONS ? ` ${t`and ${integer(names.length - AFFILIATIONS)} more`}` : null}`;
}

/** Says that the metadata come from another source, or that our program for the source changed; null if neither is so. */
function describeReading(before: PastScore | undefined, { source, reader }: PastScore): string | null {
  if (before === undefined) return null;
  if (before.source !== null && source !== null && before.source !== source)
    return t`metadata from ${source} instead of ${before.source}`;
  const hasOtherReader = before.reader !== null && reader !== null && before.reader !== reader;
  return hasOtherReader ? t("our program reads this source in a new way") : null;
}

/** Returns a chart of the scores over releases. `scores` has the oldest release first, and the current one last. */
export function scoreHistory(scores: readonly PastScore[]): Html | null {
  const [first] = scores;
  if (first === undefined) return null;
  const past = scores.map((score, i): PastValue => {
    const { total } = score;
    const note = describeReading(scores[i - 1], score);
    return {
      ...score,
      value: total,
      exact: { sum: total ?? 0, count: total === null ? 0 : 1 },
      datasets: null,
      ...(note === null ? {} : { note }),
    };
  });
  const basis = t("The page of a release explains each change: new metadata, another way to read it, or other rules.");
  const whose = t("The score of this dataset");
  const isSteady = scores.every(({ total, contract }) => total === first.total && contract === first.contract);
  if (isSteady && first.total !== null && scores.length > 1) {
    return html`<p id="history">${describeTrend(past, whose)}. <a href="/history">All releases</a></p>`;
  }
  const chart = trendChart({ id: "history", past, whose, basis });
  if (chart !== null) return chart;
  const scored = scores.find(({ total }) => total !== null);
  if (scores.length > 1 && scored === undefined) return null;
  return html`<p id="history" class="muted">${
    scores.length === 1 || scored === undefined
      ? t`Release ${first.scoreReleaseVersion} is the first release on this site with this dataset.`
      : t`Only release ${scored.scoreReleaseVersion} has a score of this dataset: ${scored.total ?? ""}.`
  }</p>`;
}
