/** Views to search researchers, and of one researcher: S-Index, datasets, and how to raise the index by one. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { SignalImprovements } from "../../schemas/public/api/improvements.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { ResearcherDetail, ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import type { Suggestion } from "../../schemas/public/site/queries.ts";
import { colourKey, stackedBar } from "../components/bars.ts";
import { csvLink } from "../components/csv.ts";
import type { View } from "../components/document.ts";
import { averageText, countText, integer, percent, plural, timeElement, UNKNOWN } from "../components/figures.ts";
import { field } from "../components/forms.ts";
import { firstStep, improvementParts, type SIndexIf } from "../components/improvements.ts";
import { averageFigure, yearsText } from "../components/list-columns.ts";
import {
  addQuery,
  addRubric,
  pager,
  type QueryFields,
  suggestionList,
  underVersion,
  versionNote,
} from "../components/navigation.ts";
import { datasetName, recordRows, recordTable, type ShownRow } from "../components/record-rows.ts";
import { describeIndex, MIN_FOR_CURVE, sIndexCurve } from "../components/s-index-curve.ts";
import { ifClaim, ownClaim, saveButton } from "../components/saving.ts";
import type { SharePicture } from "../components/share-picture.ts";
import { snippets } from "../components/snippets.ts";
import { BASIS_WORDS, claimRule } from "../components/state-words.ts";
import { columnSort, numberColumn, table } from "../components/table.ts";
import { explain } from "../components/terms.ts";
import { yearsChart } from "../components/years.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { sign, t } from "../languages/translate.ts";
import { changesFeedPath } from "./changes-feed.ts";

/** The datasets of a researcher in short, which tell people of the same name apart. */
export interface ResearcherWork {
  /** The title of the newest dataset with a title. */
  readonly newest: string | null;
  /** The most frequent ones, at most MAX_REPOSITORIES. */
  readonly repositories: readonly string[];
  readonly years: readonly { readonly year: number; readonly datasets: number }[];
  /** Number of researchers with the same name, with this one. */
  readonly namesakes: number;
}

export const MAX_REPOSITORIES = 2;

export interface ResearchersWork {
  /** The last year of the bars. */
  readonly until: number;
  /** The datasets of each researcher in short, by the id of the researcher. */
  readonly byId: ReadonlyMap<string, ResearcherWork>;
}

/** The part of a researcher that the list shows. */
export type ShownResearcher = Pick<
  ResearcherRow,
  "id" | "slug" | "name" | "affiliation" | "orcid" | "identityBasis" | "datasetCount" | "sIndex"
>;

/** Figures of all researchers, which the list shows above its rows. */
export interface KnownResearchers {
  readonly withOrcid: number;
  /** The number of researchers who are only a name. */
  readonly nameOnly: number;
  /** The number of researchers with an S-Index of 2 or more, without those who are only a name. */
  readonly withIndex: number;
  /** The first characters of all names in the order of the list by name, each with its number of researchers. */
  readonly initials: readonly (readonly [initial: string, researchers: number])[];
}

interface ResearchersPage {
  readonly filters: QueryFields;
  readonly data: readonly ShownResearcher[];
  readonly work: ResearchersWork;
  /** Figures of all researchers; null if the list is filtered. */
  readonly known: KnownResearchers | null;
  readonly pagination: Pagination;
  /** Name of the institution of the filter; null without one. */
  readonly institution: string | null;
  /** Other searches, if this one has no result. */
  readonly suggested: readonly Suggestion[];
  readonly orcidFault: OrcidFault | null;
}

export type OrcidFault = "check-digit" | "length";

const ORCID_FAULTS: Readonly<Record<OrcidFault, string>> = {
  "check-digit": "Its last character is a check digit, which does not fit the others.",
  length: "An ORCID iD has 16 characters, without the hyphens.",
};

/** Returns the sort key of the list: researchers with an ORCID iD first, unless the reader chose another order. */
export function chooseResearcherSort({ sortBy = "" }: QueryFields): string {
  return sortBy === "" ? "identity" : sortBy;
}

const CAPTIONS: Readonly<Record<string, string>> = {
  identity: "Researchers with an ORCID iD first, then the others, by name",
  name: "Researchers by name",
  datasetCount: "Researchers by number of datasets",
};

export function researchersView(page: ResearchersPage): View {
  const { filters, data, work, known, pagination, institution, suggested, orcidFault } = page;
  const { search = "", institution: chosen = "" } = filters;
  const sortBy = chooseResearcherSort(filters);
  return {
    title: search === "" ? "Researchers" : `Researchers: ${search}`,
    description: "Find a researcher by name or ORCID iD, and their datasets.",
    apiPath: addQuery("/authors", { ...filters, sortBy }),
    unlisted: Object.values(filters).some((value) => value !== ""),
    body: html`<div class="beside"><div><h1>Researchers</h1>
${known === null ? null : identityFinding(known, pagination.total)}
<form action="/researchers" role="search"><div class="row"><div class="grow">${field({
      name: "search",
      label: "Name or ORCID iD",
      type: "search",
      value: search,
    })}</div><button>Search</button></div>${chosen === "" ? null : html`<input type="hidden" name="institution" value="${chosen}">`}</form>
${chosen === "" ? null : ofInstitution(chosen, institution, filters)}
${known === null ? html`<p role="status"><strong>${countText(pagination.total, "researcher")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`}</p>` : null}${
  sortBy === "identity" || search !== ""
    ? null
    : html`\n<p><a href="${addQuery("/researchers", { institution: chosen })}">Those with an ORCID iD first</a></p>`
}</div>
${known === null ? null : letterLinks(known, pagination.limit, filters)}</div>
${
  data.length === 0
    ? html`<div class="note">${
        orcidFault === null
          ? html`<p>No researcher in the current release matches. Check the spelling, try the family name alone, or enter an ORCID iD such as <span class="nowrap">0000-0002-1825-0097</span>.</p>
${search === "" ? null : html`<p><a href="${addQuery("/datasets", { search })}">Search the datasets for “<bdi>${search}</bdi>”</a></p>\n`}<p class="muted small">The list has researchers with at least one scored dataset, except those who asked to be hidden.</p>`
          : html`<p><strong>This ORCID iD has a typing error.</strong> ${ORCID_FAULTS[orcidFault]}</p>`
      }${suggestionList(suggested)}</div>`
    : table(
        CAPTIONS[sortBy] ?? "Researchers",
        [
          { name: "Name", sort: columnOrder(filters, "name", "asc") },
          { name: "Repositories", isLong: true },
          "Published",
          { name: "Datasets", isNumber: true, sort: columnOrder(filters, "datasetCount", "desc") },
          numberColumn("S-Index"),
        ],
        data.map((person, i) => researcherCells(person, work, data[i - 1]?.name === person.name)),
      )
}
${pager("/researchers", filters, pagination)}`,
  };
}

/** Returns the number of researchers whose datasets can be counted together, and how they are known. */
function identityFinding({ withOrcid, nameOnly, withIndex }: KnownResearchers, all: number): Html {
  const kinds = [
    { kind: "passed", value: withOrcid, words: "by ORCID iD" },
    { kind: "affiliated", value: all - withOrcid - nameOnly, words: "by name and affiliation" },
    { kind: "source_missing", value: nameOnly, words: "by a name alone" },
  ];
  return html`<p class="lead">The datasets of <strong>${integer(all - nameOnly)} of ${countText(all, "researcher")}</strong> (${percent(all - nameOnly, all)}) can be counted together, and ${integer(withIndex)} of them ${withIndex === 1 ? "has" : "have"} an <span class="nowrap">S-Index</span> of 2 or <span class="nowrap">more${explain("s-index")}.</span> One person with a name alone can appear several times.</p>
${stackedBar(kinds, all)}
${colourKey(kinds.map(({ kind, value, words }) => [kind, `${integer(value)} ${words}`] as const))}`;
}

/** Returns links from each letter to the page of the list by name on which its names begin. */
function letterLinks({ initials }: KnownResearchers, rows: number, { limit = "" }: QueryFields): Html {
  let before = 0;
  const places = initials.map(([initial, researchers]) => {
    const page = Math.floor(before / rows) + 1;
    before += researchers;
    return { initial, page };
  });
  return html`<nav class="panel" aria-labelledby="letters"><p id="letters"><strong>Names by first letter</strong></p><div class="letters">${places
    .filter(({ initial }) => /^\p{Lu}$/u.test(initial))
    .map(
      ({ initial, page }) =>
        html`<a href="${addQuery("/researchers", { sortBy: "name", limit, page: String(page) })}">${initial}</a> `,
    )}</div></nav>`;
}

/** `isRepeated` is true if the row before has the same name. A name alone is not enough for an index. */
function researcherCells(
  { id, slug, name, affiliation, orcid, identityBasis, datasetCount, sIndex }: ShownResearcher,
  { byId }: ResearchersWork,
  isRepeated: boolean,
): HtmlPart[] {
  const { newest, repositories, years, namesakes } = byId.get(id) ?? NO_WORK;
  const facts = [
    orcid === null ? null : html`<span class="nowrap">${orcid}</span>`,
    affiliation === "" ? null : html`<bdi>${affiliation}</bdi>`,
    // Only the dataset tells apart people who are known by the same name alone.
    identityBasis !== "name" || newest === null ? null : html`<cite dir="auto">${newest}</cite>`,
  ].filter((fact) => fact !== null);
  return [
    html`<a href="/researchers/${slug}"><bdi>${name}</bdi></a>${
      namesakes > 1 && !isRepeated
        ? html` <a class="muted small nowrap" href="${addQuery("/researchers", { search: name })}">others with this name</a>`
        : null
    }${facts.length === 0 ? null : html`<br><span class="muted small">${facts.map((fact, i) => html`${i === 0 ? null : " · "}${fact}`)}</span>`}`,
    repositories.map(
      (each, i) =>
        html`${i === 0 ? null : ", "}<a href="/repositories/${encodeURIComponent(each)}"><bdi>${each}</bdi></a>`,
    ),
    html`<span class="nowrap">${yearsText(years)}</span>`,
    integer(datasetCount),
    identityBasis === "name" ? html`<span class="muted small">name only</span>` : integer(sIndex),
  ];
}

const NO_WORK: ResearcherWork = { newest: null, repositories: [], years: [], namesakes: 1 };

/** Returns the chip of the institution, and a link to its datasets. */
function ofInstitution(
  id: string,
  name: string | null,
  { institution: _id, page: _page, ...others }: QueryFields,
): Html {
  return html`<ul class="chips"><li>Institution: <bdi>${name ?? id}</bdi> <a href="${addQuery("/researchers", others)}" aria-label="Remove the filter Institution: ${name ?? id}">✕</a></li></ul>
<p><a href="${addQuery("/datasets", { institution: id })}">Datasets of this institution</a></p>
<p class="muted small">Researchers without a scored dataset, and those who asked to be hidden, are missing.</p>`;
}

/** Returns the link of a column head. `usual` is the direction to which it leads first. */
function columnOrder({ page: _page, ...filters }: QueryFields, column: "name" | "datasetCount", usual: "asc" | "desc") {
  const now = { by: chooseResearcherSort(filters), direction: filters.sortOrder === "desc" ? "desc" : "asc" } as const;
  return columnSort(column, usual, now, ({ by, direction }) =>
    addQuery("/researchers", { ...filters, sortBy: by, sortOrder: direction }),
  );
}

/** The records of one year, and the datasets among them that the S-Index counts. */
export interface ResearcherYear {
  /** The year of publication; null if unknown. */
  readonly year: number | null;
  readonly records: number;
  readonly datasets: number;
  readonly meanScore: number | null;
}

/** The signals to fix first in all datasets of a researcher, with names of sources, and the years of the datasets. */
export interface ResearchersSteps {
  readonly report: SignalImprovements;
  readonly sources: ReadonlyMap<string, string>;
  readonly years: readonly ResearcherYear[];
  readonly sIndex: SIndexIf;
}

/**
 * True if the page shows figures. A name alone does not identify a person, so the page of such a person has none until somebody
 * has claimed it.
 */
export function hasFigures({ identityBasis, verified }: Pick<ResearcherDetail, "identityBasis" | "verified">): boolean {
  return identityBasis !== "name" || verified;
}

/** Returns the view. `list` is one page of all records of the researcher. `steps` is null for a researcher without figures. */
export function researcherView(
  person: ResearcherDetail,
  list: ResearchersDatasets,
  steps: ResearchersSteps | null,
  version: PublicVersion,
  { origin, hasOrcid }: { readonly origin: string; readonly hasOrcid: boolean },
): View {
  const { name, slug, affiliation, orcid, verified, identityBasis } = person;
  const isKnown = hasFigures(person);
  const datasets = allDatasets(person, list, version);
  // A few datasets are seen at a glance, and what to do with them says more than figures and a curve.
  const isSmall = person.datasetCount < MIN_FOR_CURVE;
  return {
    title: name,
    description: isKnown
      ? t`S-Index ${person.sIndex}, from ${countText(person.datasetCount, "dataset")} with a score.`
      : t`${countText(person.datasetCount, "dataset")} with a score.`,
    apiPath: `/authors/${slug}?rubric=${version}`,
    canonical: `/researchers/${slug}`,
    feed: changesFeedPath(`/researchers/${slug}`),
    unlisted: !isKnown,
    ...(isKnown ? { picture: pictureResearcher(person) } : {}),
    body: html`<p class="crumbs"><a href="/researchers">Researchers</a></p>
<h1 dir="auto">${name}</h1>
${versionNote(version, `/researchers/${slug}`)}
<p>${affiliation === "" ? null : html`<bdi>${affiliation}</bdi> · `}${orcid === null ? null : html`<a class="nowrap" href="https://orcid.org/${orcid}" rel="external">${orcid}</a> · `}${isKnown ? t(BASIS_WORDS[identityBasis]) : null}${verified ? html` · <span class="tag">✓ claimed by the researcher</span>` : null}</p>
${steps !== null ? (isSmall ? [smallFinding(person, steps), nextSteps(person, steps), datasets, smallIndex(person)] : [figures(person), indexSection(person, steps.sIndex, version), nextSteps(person, steps), datasets]) : html`<div class="note"><p>A name alone does not identify a person, so this page has only one dataset, and no S-Index. The same person can have <a href="${addQuery("/researchers", { search: name })}">other pages with this name</a>.</p></div>${datasets}`}
${steps === null ? null : yearsOfPublication(person, steps, version)}
<section data-server id="claim">${claimTexts(person, hasOrcid)}
<div class="actions">${claimLinks(person)}${saveButton({
      field: { authorSlug: slug },
      save: "save-author",
      remove: "unsave-author",
      id: person.id,
      find: { path: `/account/saved-authors?authorId=${person.id}` },
    })}</div></section>
${isKnown ? html`<h2>Badge</h2>\n${snippets({ origin, version, page: `/researchers/${slug}`, badge: t`S-Index ${person.sIndex}` })}` : null}`,
  };
}

/** Returns the picture of a researcher: the S-Index with its curve. */
function pictureResearcher({ name, sIndex, datasetCount, datasets, orcid }: ResearcherDetail): SharePicture {
  return {
    title: name,
    number: String(sIndex),
    words: t`is the S-Index of ${countText(datasetCount, "dataset")}`,
    chart: { totals: datasets.flatMap(({ score }) => score?.total ?? []), sIndex },
    foot: orcid === null ? null : `orcid.org/${orcid}`,
  };
}

const claimPath = (slug: string) => addQuery("/me/continue", { do: "claim", authorSlug: slug });

/** Returns notes on the claim of the page: one for other visitors, and one for a user whose claim is pending or approved. */
function claimTexts({ id, slug, verified }: ResearcherDetail, hasOrcid: boolean): Html {
  return html`<div${ifClaim("")}>${
    verified
      ? html`<h2>This page is claimed</h2>
<p>The researcher has claimed this page. If somebody else claimed it and this is you, <a rel="nofollow" href="${claimPath(slug)}">claim it too</a>. <a href="/privacy">Personal data that we store</a></p>`
      : html`<h2>Is this you?</h2>
<p>Claim this page to show that it is yours. ${claimRule(hasOrcid)} <a href="/privacy">Personal data that we store</a></p>`
  }</div>
<div${ownClaim(id)}${ifClaim("pending")}><h2>You have claimed this page</h2>
<p>A moderator has not decided yet. After your claim is approved, your account shows your S-Index and your next steps, and you can ask to hide the page.</p></div>
<div${ifClaim("approved")}><h2>This is your page</h2>
<p>Your claim is approved. Your account shows what changed in the last release and your next steps, and there you can ask to hide the page.</p></div>`;
}

function claimLinks({ slug, verified }: ResearcherDetail): Html {
  return html`${
    verified
      ? null
      : html`<a class="button" rel="nofollow" href="${claimPath(slug)}"${ifClaim("")}>This is me</a><a class="button quiet" href="/privacy#hide"${ifClaim("")}>Hide my page</a>`
  }<a class="button quiet" href="/me#claims"${ifClaim("pending")}>Show your claim</a><a class="button quiet" href="/me"${ifClaim("approved")}>Go to your account</a>`;
}

function nextSteps({ datasetCount }: ResearcherDetail, { report, sources, sIndex }: ResearchersSteps): Html {
  return html`<h2 id="fix">Next steps</h2>
${improvementParts(report, sources, "depositor", sIndex, report.data.scoredCount > datasetCount)}`;
}

/** Returns the average score by year. A dataset with several versions counts once, in the year of the version with the best score. */
function yearsOfPublication(
  { id }: ResearcherDetail,
  { years }: ResearchersSteps,
  version: PublicVersion,
): Html | null {
  return yearsChart({
    years: years.map(({ datasets, records, ...year }) => ({ ...year, datasets: records, scoredCount: datasets })),
    place: "",
    query: addRubric({ author: id }, version),
    counted: [t("Records"), t("Datasets with a score")],
  });
}

/** The default order of the datasets of a researcher. */
export const RESEARCHER_DATASETS_ORDER = "score desc";

interface ResearchersDatasets {
  readonly data: readonly RecordRow[];
  readonly pagination: Pagination;
  /** A sort key and direction such as `score desc`. */
  readonly order: string;
}

function allDatasets(
  { id, slug, datasetCount, datasets }: ResearcherDetail,
  { data, pagination, order }: ResearchersDatasets,
  version: PublicVersion,
): Html {
  const rubric = version === PUBLIC_VERSIONS[0] ? {} : { rubric: version };
  const query = { author: id, order, ...rubric };
  const path = `/researchers/${slug}`;
  const counted = new Map(datasets.map(({ id: own, versionFamily }) => [versionFamily, own]));
  // A version of a dataset of which another version counts. Only the counted datasets that the page lists are known.
  const isOtherVersion = (row: ShownRow) =>
    row.versionFamily !== null && (counted.get(row.versionFamily) ?? row.id) !== row.id;
  const [only] = pagination.total === 1 ? data : [];
  return html`<h2 id="datasets">Datasets</h2>
<p><strong>${countText(pagination.total, "record")}</strong>${
    pagination.total > datasetCount
      ? html`. Versions of a dataset count once, and only with a score: ${countText(datasetCount, "dataset counts", "datasets count")}`
      : null
  }. <span class="muted"><span data-server>Download ${csvLink(query, t("as CSV"))}, or <a href="${addQuery("/datasets", query)}">filter the list</a>. </span>For news of changes, follow <a href="${changesFeedPath(path)}">the feed</a>.</span></p>
${only === undefined ? recordTable(data, version, order, (next) => `${addQuery(path, { ...rubric, order: next })}#datasets`, isOtherVersion) : recordRows([only], version)}
${pager(path, order === RESEARCHER_DATASETS_ORDER ? rubric : { ...rubric, order }, pagination, { name: "page", anchor: "datasets" })}`;
}

function figures(person: ResearcherDetail): Html {
  const { sIndex, datasetCount, avgScore, meanCap } = person;
  return html`<ul class="figures"><li><b>${sIndex}</b> S-Index${explain("s-index")}</li><li><b>${integer(datasetCount)}</b> ${plural(datasetCount, "dataset with a score", "datasets with a score")}</li><li>${averageFigure(avgScore, meanCap)} average score</li>${impactFigure(person)}</ul>`;
}

function impactFigure({ sImpact, citedBasis }: ResearcherDetail): Html {
  const impact = citedBasis.known === 0 ? t(UNKNOWN) : integer(sImpact);
  return html`<li><b>${impact}</b> S-Impact${explain("s-impact")}; citations are known for ${integer(citedBasis.known)} of ${integer(citedBasis.datasets)}</li>`;
}

/** Returns the points of a few datasets, and the first of the next steps. */
function smallFinding(
  { avgScore, meanCap, datasetCount, datasets }: ResearcherDetail,
  { report }: ResearchersSteps,
): Html {
  const [first] = datasets;
  const step = firstStep(report, "depositor");
  return html`<p class="lead">${
    datasetCount === 1 && first?.score
      ? html`The dataset has <strong>${first.score.total} of ${first.cap ?? 100}</strong> possible points.`
      : html`The ${countText(datasetCount, "dataset")} have <strong>${averageText(avgScore, meanCap)}</strong> possible points on average.`
  }${step === null ? null : step.isOwn ? html` The easiest gain is <strong>+${step.gain} points</strong>: ${step.signals}.` : html` The repository or data centre can add <strong>+${step.gain} points</strong>: ${step.signals}.`}</p>`;
}

/** Returns the S-Index and the S-Impact of a few datasets. */
function smallIndex(person: ResearcherDetail): Html {
  const { sIndex, datasetCount } = person;
  return html`<h2>The S-Index</h2>
<p>${describeIndex(datasetCount, sIndex)}.</p>
<ul class="figures"><li><b>${sIndex}</b> S-Index${explain("s-index")}</li>${impactFigure(person)}</ul>
${indexNote(person)}`;
}

function indexNote({ sIndexBasis }: ResearcherDetail): Html {
  return html`<p>SHARE ${sIndexBasis.rubric}${sIndexBasis.date === null ? null : html`, metadata up to ${timeElement(sIndexBasis.date)}`}. The index counts datasets that reach a score, so it grows with their number. It does not rate research. Do not use it to compare people.</p>`;
}

function indexSection(person: ResearcherDetail, after: SIndexIf, version: PublicVersion): Html {
  const { id, sIndex, datasets, datasetCount } = person;
  const totals = datasets.flatMap(({ score }) => score?.total ?? []);
  const curve = sIndexCurve({
    totals,
    datasets: datasetCount,
    sIndex,
    after,
    query: addRubric({ author: id }, version),
  });
  return html`<div class="beside"><div>${
    curve ??
    html`<h2>The S-Index</h2>
<p>${describeIndex(datasetCount, sIndex)}.</p>`
  }</div>
<div><section class="panel"><h2>How to raise it by one</h2>
${nextIndexText(person, totals, version)}</section>
<section class="panel small"><h2>How to read it</h2>
${indexNote(person)}</section></div></div>`;
}

/** Number of datasets that the advice names. */
const MAX_NAMED = 5;

function nextIndexText(
  { sIndex, datasetCount, datasets }: ResearcherDetail,
  totals: readonly number[],
  version: PublicVersion,
): Html {
  const next = sIndex + 1;
  if (datasetCount > totals.length && sIndex >= totals.length)
    return html`<p>We cannot compute this: more datasets count than are listed here.</p>`;
  const missing = next - totals.filter((total) => total >= next).length;
  const near = datasets.filter(({ score }) => score !== null && score.total < next).slice(0, missing);
  if (near.length === missing && missing > 0) {
    return html`<p>${moreDatasets(missing, next)} The nearest:</p><ul>${near
      .slice(0, MAX_NAMED)
      .map(
        (row) =>
          html`<li><a href="${underVersion(`/datasets/${row.id}`, version)}" dir="auto">${datasetName(row)}</a>${sign(" (")}${countText(signalsShort(row.score?.total ?? 0, next), "signal short", "signals short")}${sign(")")}</li>`,
      )}</ul>${near.length > MAX_NAMED ? html`<p>And ${near.length - MAX_NAMED} more.</p>` : null}`;
  }
  return html`<p>Every dataset counts already, so better scores cannot raise the index, but they help others to find and use the data.</p>`;
}

function moreDatasets(missing: number, least: number): string {
  return plural(
    missing,
    "One more dataset with a score of at least {1}.",
    "{0} more datasets with a score of at least {1}.",
    least,
  );
}

/**
 * Returns how many signals a dataset lacks to reach a total. One signal is four points, so a dataset that lacks one point lacks
 * a signal.
 */
function signalsShort(total: number, least: number): number {
  return Math.ceil((least - total) / POINTS_PER_SIGNAL);
}
