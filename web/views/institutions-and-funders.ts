/**
 * Views of the datasets of one institution, by ROR id, and of one funder, and the list of funders. They use only what metadata
 * state.
 */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { SignalImprovements } from "../../schemas/public/api/improvements.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS } from "../../schemas/public/signal.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { meter } from "../components/bars.ts";
import { type BucketSums, bucketProfile } from "../components/bucket-profile.ts";
import { csvLink } from "../components/csv.ts";
import { distributionChart, type Totals } from "../components/distribution.ts";
import type { View } from "../components/document.ts";
import { averageText, countText, integer, percent } from "../components/figures.ts";
import { field } from "../components/forms.ts";
import { improvementParts, largestGain } from "../components/improvements.ts";
import {
  averageCell,
  averageFigure,
  changeCells,
  changeColumn,
  earlierIfChanged,
  MIN_AVERAGED,
  type OverTime,
  roundMean,
  shareText,
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
import { type Html, type HtmlPart, html } from "../html.ts";
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
  /** The number of all awards of a funder. */
  readonly awardCount: number;
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
    verbs: ["has this ROR id", "have this ROR id"],
    caution: "The figures count only datasets with the ROR id, because a name alone can be of another institution.",
  },
  funder: {
    list: { path: "/funders", name: "Funders" },
    kind: "Funder",
    path: "/funders",
    basis: "a funder",
    verbs: ["names this funder", "name this funder"],
    caution: "Datasets with another spelling of the name are missing here.",
  },
} as const;

export function collectionView(page: CollectionPage): View {
  const { filter, value, names, report, version } = page;
  const { list, kind, path } = WORDS[filter];
  const { datasets, scoredCount, meanScore, meanCap } = report.data;
  const [first] = names;
  const title = first === undefined ? value : first.name;
  const own = `${path}/${encodeURIComponent(value)}`;
  const query = addRubric({ [filter]: value }, version);
  return {
    title,
    description: `${countText(datasets, "dataset")} of ${title}${scoredCount < MIN_AVERAGED ? "" : `, an average score of ${averageText(meanScore, meanCap)}`}.`,
    apiPath: addQuery("/improvements", query),
    canonical: own,
    feed: changesFeedPath(own),
    picture: {
      title,
      ...pictureAverage({ datasets: scoredCount, meanScore, meanCap, buckets: averageBuckets(page.buckets.own) }),
      foot: filter === "ror" ? `ror.org/${value}` : null,
    },
    body: html`<p class="crumbs"><a href="${list.path}">${list.name}</a></p>
<h1><bdi>${title}</bdi></h1>
${versionNote(version, own)}
${value === title ? null : html`<p class="muted">${kind} <code>${value}</code>${filter === "ror" ? html` · <a href="https://ror.org/${value}" rel="external">page at ROR</a>` : null}</p>`}
${scoredCount < MIN_AVERAGED ? fewParts(page, own) : manyParts(page, own)}
${linksParts(page)}
${note(page)}`,
  };
}

/** Returns the parts of a page with few scored datasets: the datasets themselves. */
function fewParts(page: CollectionPage, own: string): Html {
  const { filter, report, lowest, sources, version } = page;
  const { datasets, scoredCount } = report.data;
  const [one, many] = WORDS[filter].verbs;
  return html`<p class="lead"><b>${integer(datasets)}</b> ${datasets === 1 ? `dataset ${one}` : `datasets ${many}`}${furtherText(page)}. With fewer than ${MIN_AVERAGED} scores, an average would say little.</p>
${actions(page, own)}
<h2>${datasets > lowest.length ? "Datasets with the lowest share of the possible score" : datasets === 1 ? "The dataset and its score" : "The datasets and their scores"}</h2>
${recordRows(lowest, version)}
${scoredCount === 0 ? null : html`<h2 id="fix">Signals to fix first</h2>${improvementParts(report, sources)}`}`;
}

/** Returns the figures, the comparison with all datasets, the charts, and the datasets with the lowest scores. */
function manyParts(page: CollectionPage, own: string): Html {
  const { filter, report, totals, buckets, access, lowest, sources, version, value } = page;
  const { datasets, scoredCount, meanScore, meanCap, years } = report.data;
  const known = access.open + access.closed;
  const query = addRubric({ [filter]: value }, version);
  const basis = "Average in each release of the datasets that belong here now.";
  return html`<ul class="figures"><li><b>${integer(datasets)}</b> datasets ${WORDS[filter].verbs[1]}${scoredCount === datasets ? null : `, ${integer(scoredCount)} with a score`}${furtherText(page)}</li><li>${averageFigure(meanScore, meanCap)} average score${comparison(page)}${meter(meanScore, { most: 100, cap: meanCap })}</li>${2 * known < datasets ? null : html`<li><b>${percent(access.open, known)}</b> are open, of ${countText(known, "dataset")} whose access is known${known === datasets ? null : `; not known for ${integer(datasets - known)}`}</li>`}</ul>
${largestGain(report)}
${actions(page, own)}
<div class="charts">${bucketProfile({ ...buckets, ownWords: "these datasets", othersWords: "all datasets here" })}${distributionChart({ totals, place: "", mean: meanScore, query })}</div>
<h2 id="fix">Signals to fix first</h2>
${improvementParts(report, sources)}
<p><a href="${underVersion("/signals", version)}">How the signals are judged</a></p>
<h2>Datasets with the lowest share of the possible score</h2>
${recordRows(lowest, version)}
<div class="charts">${yearsChart({ years, place: "", query })}${trendChart({ id: "trend", past: page.trend, whose: "The average of these datasets", basis })}</div>`;
}

/** Returns words about the datasets that state the name of an institution, but not its ROR id; empty without such datasets. */
function furtherText({ filter, further }: CollectionPage): string {
  return filter === "funder" || further === 0 ? "" : `, and ${integer(further)} further by name, without the ROR id`;
}

/** Returns the share of the possible points, which can be compared with that of all datasets; null if it is not known. */
function comparison({ buckets }: CollectionPage): string | null {
  const share = (all: BucketSums) => {
    const sum = (of: "sum" | "possible") => BUCKETS.reduce((points, bucket) => points + all[bucket][of], 0);
    return sum("possible") === 0 ? null : percent(sum("sum"), sum("possible"));
  };
  const [own, others] = [share(buckets.own), share(buckets.others)];
  return own === null || others === null ? null : `, ${own} of the possible points; of all datasets here, ${others}`;
}

function actions({ filter, value, report, version }: CollectionPage, own: string): Html {
  const query = addRubric({ [filter]: value }, version);
  const search = new URLSearchParams({ [filter]: value }).toString();
  const { datasets } = report.data;
  return html`<div class="actions">${saveSearchButton(search)}<span><span data-server>${datasets === 1 ? null : html`<a href="${addQuery("/datasets", query)}">All ${integer(datasets)} datasets</a> · `}${csvLink(query, "Signals as CSV")} · </span><a href="${changesFeedPath(own)}">Feed of changes</a></span></div>`;
}

function note({ filter, stated }: CollectionPage): Html {
  return html`<p class="small muted">${WORDS[filter].caution} ${percent(stated.datasets, stated.all)} of all datasets here state ${WORDS[filter].basis}. Scores depend on what each repository allows, so do not rank institutions or funders by them.</p>`;
}

/** Returns the lists that lead from the datasets to researchers, funders, awards and spellings of the name. */
function linksParts(page: CollectionPage): Html {
  const { filter, value, names, people, funders, awards, awardCount } = page;
  return html`<div class="halves">${people === null || people.total === 0 ? null : peoplePart(people)}
${countedLinks({
  id: "funders",
  heading: "Funders",
  caption: "Funders of these datasets, the most frequent first",
  rows: funders,
  all: funders.length,
  link: ({ name }) => html`<a href="/funders/${encodeURIComponent(name)}"><bdi>${name}</bdi></a>`,
})}
${countedLinks({
  id: "awards",
  heading: "Awards",
  caption: "Award numbers in the metadata, the most frequent first",
  rows: awards.map(({ number, datasets }) => ({ name: number, datasets })),
  all: awardCount,
  link: ({ name }) => html`<a href="${addQuery("/datasets", { [filter]: value, award: name })}"><bdi>${name}</bdi></a>`,
})}
${names.length < 2 ? null : namesPart(page)}</div>`;
}

interface CountedLinks {
  readonly id: string;
  readonly heading: string;
  readonly caption: string;
  readonly rows: readonly { readonly name: string; readonly datasets: number }[];
  /** The number of all names, of which `rows` has the most frequent. */
  readonly all: number;
  readonly link: (row: { readonly name: string }) => Html;
}

/** Returns a section with names and their numbers of datasets; one line of links if each has one dataset; null without a name. */
function countedLinks({ id, heading, caption, rows, all, link }: CountedLinks): Html | null {
  if (rows.length === 0) return null;
  const areSingle = rows.every(({ datasets }) => datasets === 1);
  const shown =
    all > rows.length
      ? `${integer(rows.length)} of ${integer(all)}, with one dataset each: `
      : rows.length === 1
        ? "In one dataset: "
        : "With one dataset each: ";
  return html`<section><h2 id="${id}">${heading}</h2>
${
  areSingle
    ? html`<p>${shown}${rows.map((row, i) => [i === 0 ? "" : ", ", link(row)])}</p>`
    : table(
        caption,
        [heading.slice(0, -1), numberColumn("Datasets")],
        rows.map((row) => [link(row), integer(row.datasets)]),
      )
}</section>`;
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

/** Number of researchers that a page lists. People of one name without an ORCID iD are one row. */
const MAX_PEOPLE = 8;

function peoplePart({ institution, total, first }: NonNullable<CollectionPage["people"]>): Html {
  const all = addQuery("/researchers", { institution });
  const rows = [...Map.groupBy(first, ({ orcid, name: person }) => orcid ?? person).values()];
  return html`<section><h2 id="people">Researchers</h2>
<p>${countText(total, "researcher")} with a scored dataset ${total === 1 ? "states" : "state"} this name as affiliation, with or without the ROR id.${total > Math.min(rows.length, MAX_PEOPLE) ? html`<span data-server> <a href="${all}">All researchers</a></span>` : null}</p>
${table(
  "Researchers with their datasets, of all their affiliations",
  ["Name", numberColumn("Datasets")],
  rows.slice(0, MAX_PEOPLE).map((same) => personRow(same, institution)),
)}</section>`;
}

/** Returns the row of a researcher, or of all researchers of one name without an ORCID iD. The first has the most datasets. */
function personRow(same: readonly ShownResearcher[], institution: string): readonly HtmlPart[] {
  const [person] = same;
  if (person === undefined) return [];
  const { slug, name, orcid, datasetCount } = person;
  if (same.length === 1)
    return [
      html`<a href="/researchers/${slug}"><bdi>${name}</bdi></a>${orcid === null ? null : html` <span class="muted small">${orcid}</span>`}`,
      integer(datasetCount),
    ];
  const list = addQuery("/researchers", { institution, search: name });
  const isSame = same.every((each) => each.datasetCount === datasetCount);
  return [
    html`<a href="${list}"><bdi>${name}</bdi></a> <span class="muted small">${countText(same.length, "entry", "entries")} without an ORCID iD</span>`,
    `${integer(datasetCount)}${isSame ? " each" : " or fewer"}`,
  ];
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
    body: html`<h1>Funders</h1>
<p class="lead">${shareText(stated.datasets, stated.all, "name a funder")}${first === undefined || !isWhole ? null : html`, most often <bdi>${first.name}</bdi> in ${countText(first.datasets, "dataset")}`}.</p>
<p class="small muted">We show each funder as depositors wrote it, so a name in two spellings has two rows. Scores depend on what each repository allows, so do not rank funders by them.</p>
<form action="/funders" role="search"><div class="row"><div class="grow">${field({ name: "search", label: "Words of the name", type: "search", value: search })}</div><button>Search</button></div></form>
<p role="status"><strong>${countText(pagination.total, "funder")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`}</p>
${
  pagination.total === 0
    ? html`<div class="note"><p>No funder in the current release matches.</p>${suggestionList(suggested)}</div>`
    : table(
        "Funders by number of datasets. Each average is beside the possible average, which is the mark on its bar.",
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
            figures === undefined
              ? null
              : averageCell(roundMean(figures.mean), roundMean(figures.possible), figures.mean.count),
            yearBars(figures?.years ?? [], over.until),
            ...changeCells(name, figures, before),
          ];
        }),
      )
}
${pager("/funders", { search }, pagination)}`,
  };
}
