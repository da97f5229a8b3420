/**
 * Views of the datasets of one institution, by ROR id, and of one funder, and the list of funders. They use only what metadata
 * state.
 */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { SignalImprovements } from "../../schemas/public/api/improvements.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { type BucketSums, bucketProfile } from "../components/bucket-profile.ts";
import { csvLink } from "../components/csv.ts";
import { distributionChart, isolated, type Totals } from "../components/distribution.ts";
import type { View } from "../components/document.ts";
import { averageText, countText, integer, percent } from "../components/figures.ts";
import { field } from "../components/forms.ts";
import { improvementParts } from "../components/improvements.ts";
import {
  averageCell,
  averageFigure,
  changeCells,
  changeColumn,
  earlierIfChanged,
  mostDatasets,
  type OverTime,
  roundMean,
  sharePanel,
  yearBars,
  yearsColumn,
} from "../components/list-columns.ts";
import {
  addQuery,
  addRubric,
  pager,
  searchLink,
  suggestionList,
  underVersion,
  versionNote,
} from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { saveSearchButton } from "../components/saving.ts";
import { averageBuckets, pictureAverage } from "../components/share-picture.ts";
import { numberColumn, table } from "../components/table.ts";
import { type PastValue, trendChart } from "../components/trend.ts";
import { yearsChart } from "../components/years.ts";
import { type Html, html } from "../html.ts";
import { changesFeedPath } from "./changes-feed.ts";
import type { ShownResearcher } from "./researchers.ts";

/** How many of all datasets name the ROR id of any affiliation, or any funder. */
export interface Stated {
  readonly datasets: number;
  readonly all: number;
}

export interface CollectionPage {
  readonly filter: "ror" | "funder";
  /** The value of the filter, as in the path. */
  readonly value: string;
  /** Names in the metadata, the most frequent first. */
  readonly names: readonly {
    readonly name: string;
    readonly datasets: number;
    /** Datasets that state this name of an institution but not its ROR id. */
    readonly further: number;
  }[];
  /** Datasets that state a name of the institution, but not its ROR id; 0 for a funder. */
  readonly further: number;
  /** The awards of a funder, those with the most datasets first; none for an institution. */
  readonly awards: readonly { readonly number: string; readonly datasets: number }[];
  /** Researchers who state the most frequent name of an institution, by its id as a reported affiliation. Null for a funder. */
  readonly people: {
    readonly institution: string;
    readonly total: number;
    readonly first: readonly ShownResearcher[];
  } | null;
  /** The most frequent funders of an institution's datasets; none for a funder. */
  readonly funders: readonly { readonly name: string; readonly datasets: number }[];
  /** Numbers of datasets whose files are known to be open, and of those whose files are known to be closed. */
  readonly access: { readonly open: number; readonly closed: number };
  readonly stated: Stated;
  /** The means over all datasets of the release. */
  readonly average: { readonly meanScore: number | null; readonly meanCap: number | null };
  readonly report: SignalImprovements;
  /** Scored datasets by total. `buckets` has the bucket points of these datasets and of all datasets. */
  readonly totals: Totals;
  readonly buckets: { readonly own: BucketSums; readonly others: BucketSums };
  /** Averages of these datasets in each release, the oldest first. */
  readonly trend: readonly PastValue[];
  readonly lowest: readonly RecordRow[];
  readonly sources: ReadonlyMap<string, string>;
  readonly version: PublicVersion;
}

const WORDS = {
  ror: {
    list: { path: "/affiliations", name: "Institutions" },
    kind: "Institution with the ROR id",
    path: "/organisations",
    basis: "the ROR id of an institution",
    caution:
      "The other figures count only datasets with the ROR id, because a name alone can be of another institution.",
  },
  funder: {
    list: { path: "/funders", name: "Funders" },
    kind: "Funder",
    path: "/funders",
    basis: "a funder",
    caution: "Datasets with another spelling of the name, or without a funder, are missing here.",
  },
} as const;

export function collectionView(page: CollectionPage): View {
  const { filter, value, names, further, awards, people, funders, access, stated, average } = page;
  const { report, lowest, sources, version } = page;
  const { list, kind, path, basis, caution } = WORDS[filter];
  const { datasets, scoredCount, meanScore, meanCap } = report.data;
  const [first] = names;
  const title = first === undefined ? value : first.name;
  const own = `${path}/${encodeURIComponent(value)}`;
  const search = new URLSearchParams({ [filter]: value }).toString();
  const query = addRubric({ [filter]: value }, version);
  return {
    title,
    description: `${countText(datasets, "dataset")} of ${title}, an average score of ${averageText(meanScore, meanCap)}.`,
    apiPath: addQuery("/improvements", query),
    canonical: own,
    feed: changesFeedPath(own),
    picture: {
      title,
      ...pictureAverage({ datasets: scoredCount, meanScore, meanCap }),
      chart: { buckets: averageBuckets(page.buckets.own) },
      foot: filter === "ror" ? `ror.org/${value}` : null,
    },
    body: html`<p class="crumbs"><a href="${list.path}">${list.name}</a></p>
<h1><bdi>${title}</bdi></h1>
${versionNote(version, own)}
${value === title ? null : html`<p class="muted">${kind} <code>${value}</code>${filter === "ror" ? html` · <a href="https://ror.org/${value}" rel="external">page at ROR</a>` : null}</p>`}
<ul class="figures"><li><b>${integer(datasets)}</b> ${datasets === 1 ? "dataset" : "datasets"}${filter === "ror" ? " by ROR id" : null}, ${integer(scoredCount)} with a score</li>${filter === "ror" ? html`<li><b>${integer(further)}</b> further by name, without the ROR id</li>` : null}<li>${averageFigure(meanScore, meanCap)} average score; all datasets here have ${averageText(average.meanScore, average.meanCap)}</li>${2 * (access.open + access.closed) < datasets ? null : html`<li><b>${percent(access.open, access.open + access.closed)}</b> are open, of ${countText(access.open + access.closed, "dataset")} whose access is known; not known for ${integer(datasets - access.open - access.closed)}</li>`}<li><b>${percent(stated.datasets, stated.all)}</b> of all datasets here state ${basis}</li></ul>
<div class="beside"><div><p class="note">${caution} Scores depend on what each repository allows, so do not rank institutions or funders by them.</p>
<p data-server>Download ${csvLink(query, "all these datasets with their signals as CSV")}, or <a href="${addQuery("/datasets", query)}">see the list</a>.</p></div>
<section class="panel"><h2>News of changes</h2>
<p>Follow <a href="${changesFeedPath(own)}">the feed</a><span data-server>, or save ${filter === "ror" ? "the institution" : "the funder"} to your account and switch emails on there</span>.</p>
<div class="actions">${saveSearchButton(search)}</div></section></div>
${charts(page)}
<h2 id="fix">Signals to fix first</h2>
${improvementParts(report, sources)}
<div class="halves">${names.length === 1 && further === 0 ? null : namesPart(page)}
${people === null || people.total === 0 ? null : peoplePart(title, people)}
${
  funders.length === 0
    ? null
    : html`<section><h2 id="funders">Funders</h2>
${table(
  "Funders of these datasets, the most frequent first",
  ["Funder", numberColumn("Datasets")],
  funders.map(({ name, datasets: count }) => [
    html`<a href="/funders/${encodeURIComponent(name)}"><bdi>${name}</bdi></a>`,
    integer(count),
  ]),
)}</section>`
}
${
  awards.length === 0
    ? null
    : html`<section><h2 id="awards">Awards</h2>
${table(
  "Award numbers in the metadata, the most frequent first",
  ["Award", numberColumn("Datasets")],
  awards.map(({ number, datasets: count }) => [
    html`<a href="${addQuery("/datasets", { [filter]: value, award: number })}"><bdi>${number}</bdi></a>`,
    integer(count),
  ]),
)}</section>`
}</div>
<h2>Datasets with the lowest share of the possible score</h2>
${recordRows(lowest, version)}
<p><a href="${underVersion("/signals", version)}">How the signals are judged</a></p>`,
  };
}

function charts({ filter, value, names, report, totals, buckets, trend, version }: CollectionPage): Html {
  const name = isolated(names[0]?.name ?? value);
  const place = filter === "ror" ? `of ${name}` : `funded by ${name}`;
  const query = addRubric({ [filter]: value }, version);
  const basis = "Average in each release of the datasets that belong here now.";
  return html`<div class="charts">${distributionChart({ totals, place, mean: report.data.meanScore, query })}${yearsChart({ years: report.data.years, place, query })}${bucketProfile({ ...buckets, ownWords: `the datasets ${place}`, othersWords: "all datasets here" })}${trendChart({ id: "trend", past: trend, whose: `The average of the datasets ${place}`, basis })}</div>`;
}

/** Returns the table of the names in the metadata. */
function namesPart({ filter, names }: CollectionPage): Html {
  return html`<section><h2 id="names">Names in the metadata</h2>
${table(
  "Names that the metadata state, the most frequent first",
  ["Name", numberColumn("Datasets"), ...(filter === "ror" ? [numberColumn("Without the ROR id")] : [])],
  names.map((each) => [
    searchLink(WORDS[filter].list.path, each.name),
    integer(each.datasets),
    ...(filter === "ror" ? [integer(each.further)] : []),
  ]),
)}</section>`;
}

function peoplePart(name: string, { institution, total, first }: NonNullable<CollectionPage["people"]>): Html {
  const all = addQuery("/researchers", { institution });
  return html`<section><h2 id="people">Researchers</h2>
<p>${countText(total, "researcher")} with a scored dataset ${total === 1 ? "states" : "state"} the affiliation “<bdi>${name}</bdi>”.${total > first.length ? html`<span data-server> <a href="${all}">All researchers</a></span>` : null}</p>
${table(
  "Researchers with the most datasets here, of all their affiliations",
  ["Name", numberColumn("Datasets")],
  first.map(({ slug, name: person, orcid, datasetCount }) => [
    html`<a href="/researchers/${slug}"><bdi>${person}</bdi></a>${orcid === null ? null : html` <span class="muted small">${orcid}</span>`}`,
    integer(datasetCount),
  ]),
)}</section>`;
}

interface FundersPage {
  readonly search: string;
  readonly data: readonly { readonly name: string; readonly datasets: number }[];
  readonly pagination: Pagination;
  readonly stated: Stated;
  /** Figures of each funder over time, by its name. */
  readonly over: OverTime;
  /** Funders of similar names, if no funder matches. */
  readonly suggested: readonly Suggestion[];
}

export function fundersView({ search, data, pagination, stated, over, suggested }: FundersPage): View {
  const [first] = data;
  const isWhole = search === "" && pagination.page === 1;
  const before = earlierIfChanged(
    data.map(({ name }) => [name, over.groups.get(name)]),
    over.before,
  );
  return {
    title: search === "" ? "Funders" : `Funders: ${search}`,
    description: "Find a funder by name, and its datasets.",
    unlisted: search !== "" || pagination.page > 1,
    body: html`<div class="beside"><div><h1>Funders</h1>
<p class="lead">${first === undefined || !isWhole ? "Find a funder, and its datasets." : mostDatasets(first.name, first.datasets, stated.datasets, "is named by the most datasets that name a funder")}</p>
<p class="small muted">We show each funder as depositors wrote it, so a name in two spellings has two rows. A name opens a summary of its datasets.</p>
<form action="/funders" role="search"><div class="row"><div class="grow">${field({ name: "search", label: "Words of the name", type: "search", value: search })}</div><button>Search</button></div></form></div>
${sharePanel(stated.datasets, stated.all, "name a funder", "Scores depend on what each repository allows, so do not rank funders by them.")}</div>
<p role="status"><strong>${countText(pagination.total, "funder")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`}</p>
${
  pagination.total === 0
    ? html`<div class="note"><p>No funder in the current release matches.</p>${suggestionList(suggested)}</div>`
    : table(
        "Funders by number of datasets. Averages are shown with the possible average",
        [
          "Funder",
          numberColumn("Datasets"),
          numberColumn("Average score"),
          yearsColumn(over.until),
          ...changeColumn(before),
        ],
        data.map(({ name, datasets }) => {
          const figures = over.groups.get(name);
          return [
            html`<a href="/funders/${encodeURIComponent(name)}"><bdi>${name}</bdi></a>`,
            integer(datasets),
            figures === undefined ? null : averageCell(roundMean(figures.mean), roundMean(figures.possible)),
            yearBars(figures?.years ?? [], over.until),
            ...changeCells(name, figures, before),
          ];
        }),
      )
}
${pager("/funders", { search }, pagination)}`,
  };
}
