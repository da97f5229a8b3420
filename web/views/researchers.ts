/** Views to search researchers, and of one researcher: S-Index, datasets, and how to raise the index by one. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { ResearcherDetail, ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import type { View } from "../components/document.ts";
import { countText, integer, meanOfCap, timeElement, UNKNOWN } from "../components/figures.ts";
import { buttonForm, field } from "../components/forms.ts";
import {
  type Fields,
  pager,
  type Respelled,
  respelledLinks,
  underVersion,
  urlOf,
  versionNote,
} from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { snippets } from "../components/snippets.ts";
import { table } from "../components/table.ts";
import { BASIS_WORDS } from "../components/words.ts";
import { type Html, html } from "../html.ts";

interface ResearchersPage {
  readonly filters: Fields;
  readonly data: readonly ResearcherRow[];
  readonly pagination: Pagination;
  /** Other searches, if this one has no result. */
  readonly respelled: readonly Respelled[];
  readonly isMistypedOrcid: boolean;
}

export function researchersView({ filters, data, pagination, respelled, isMistypedOrcid }: ResearchersPage): View {
  const search = filters.search ?? "";
  const rows = data.map(({ slug, name, affiliation, datasetCount }) => [
    html`<a href="/researchers/${slug}"><bdi>${name}</bdi></a>${affiliation === "" ? null : html`<br><span class="muted small" dir="auto">${affiliation}</span>`}`,
    integer(datasetCount),
  ]);
  return {
    title: search === "" ? "Researchers" : `Researchers: ${search}`,
    description: "Find a researcher by name or ORCID iD, and their datasets.",
    apiPath: urlOf("/authors", filters),
    unlisted: Object.values(filters).some((value) => value !== ""),
    body: html`<h1>Researchers</h1>
<form action="/researchers" role="search"><div class="row"><div class="grow">${field({
      name: "search",
      label: "Name or ORCID iD",
      type: "search",
      value: search,
    })}</div><button>Search</button></div></form>
<p role="status"><strong>${countText(pagination.total, "researcher")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`}</p>
${
  data.length === 0
    ? html`<div class="note">${
        isMistypedOrcid
          ? html`<p><strong>This ORCID iD has a typing error.</strong> Its last character is a check digit, which does not fit the others.</p>`
          : html`<p>No researcher in the current release matches. The list has researchers with at least one scored dataset, except those who asked to be hidden.</p>`
      }${respelledLinks(respelled)}</div>`
    : table("Researchers by name", [{ name: "Name" }, { name: "Datasets", isNumber: true }], rows)
}
${pager("/researchers", filters, pagination)}`,
  };
}

/** `list` is one page of all records of the researcher. */
export function researcherView(
  person: ResearcherDetail,
  list: ResearchersDatasets,
  version: PublicVersion,
  origin: string,
): View {
  const { name, slug, affiliation, orcid, verified, identityBasis } = person;
  // A name alone does not identify a person, so the page makes no statement about one until somebody claims it.
  const isKnown = identityBasis !== "name" || verified;
  return {
    title: name,
    description: `${countText(person.datasetCount, "dataset")} with a score.`,
    apiPath: `/authors/${slug}?rubric=${version}`,
    canonical: `/researchers/${slug}`,
    unlisted: !isKnown,
    body: html`<p class="crumbs"><a href="/researchers">Researchers</a></p>
<h1 dir="auto">${name}</h1>
${versionNote(version, `/researchers/${slug}`)}
<p>${affiliation === "" ? null : html`<bdi>${affiliation}</bdi> · `}${orcid === null ? null : html`<a href="https://orcid.org/${orcid}" rel="external">${orcid}</a> · `}${BASIS_WORDS[identityBasis]}${verified ? html` · <span class="tag">✓ claimed by the researcher</span>` : null}</p>
${isKnown ? [figures(person), indexSection(person, version)] : html`<div class="note"><p>This page has no S-Index, because a name alone does not identify a person. If this is you, <a href="#claim">claim it</a>.</p></div>`}
${allDatasets(person, list, version)}
<h2 id="claim">Is this you?</h2>
<p>Claim this page to show that it is yours. If you sign in with the ORCID iD of this page, your claim is approved immediately. Otherwise a moderator decides. After your claim is approved, you can ask to hide the page. <a href="/privacy">Personal data that we store</a></p>
<div class="actions">${buttonForm("/me", { do: "claim", authorSlug: slug }, "This is me", "")}<a class="button quiet" href="/privacy#hide">Hide my page</a>${buttonForm("/me", { do: "save-author", authorSlug: slug }, "Save to your account")}</div>
${isKnown ? html`<h2>Badge</h2>\n${snippets({ origin, version, page: `/researchers/${slug}`, badge: `S-Index ${person.sIndex}` })}` : null}`,
  };
}

interface ResearchersDatasets {
  readonly data: readonly RecordRow[];
  readonly pagination: Pagination;
}

function allDatasets(
  { id, slug, datasetCount }: ResearcherDetail,
  { data, pagination }: ResearchersDatasets,
  version: PublicVersion,
): Html {
  const rubric = version === PUBLIC_VERSIONS[0] ? {} : { rubric: version };
  const query = { author: id, order: "score desc", ...rubric };
  return html`<h2 id="datasets">Datasets</h2>
<p><strong>${countText(pagination.total, "record")}</strong>, those with most points first${
    pagination.total > datasetCount
      ? html`. Versions of a dataset count once, and only with a score: ${countText(datasetCount, "dataset counts", "datasets count")}`
      : null
  }. <span class="muted">Download <a href="${urlOf("/datasets.csv", query)}">as CSV</a>, or <a href="${urlOf("/datasets", query)}">filter the list</a>.</span></p>
${recordRows(data, 3, version)}
${pager(`/researchers/${slug}`, rubric, pagination, { name: "page", anchor: "datasets" })}`;
}

function figures({ sIndex, sImpact, citedBasis, datasetCount, avgScore, meanCap }: ResearcherDetail): Html {
  const impact = citedBasis.known === 0 ? UNKNOWN : integer(sImpact);
  return html`<ul class="figures"><li><b>${sIndex}</b> S-Index</li><li><b>${integer(datasetCount)}</b> ${datasetCount === 1 ? "dataset" : "datasets"} with a score</li><li><b>${meanOfCap(avgScore, meanCap)}</b> average score</li><li><b>${impact}</b> S-Impact; citations are known for ${integer(citedBasis.known)} of ${integer(citedBasis.datasets)}</li></ul>`;
}

function indexSection(person: ResearcherDetail, version: PublicVersion): Html {
  const { sIndex, sIndexBasis, datasets } = person;
  const totals = datasets.flatMap(({ score }) => score?.total ?? []);
  return html`<h2>The S-Index</h2>
<p>${countText(sIndex, "dataset has", "datasets have")} a score of at least ${sIndex} (SHARE ${sIndexBasis.rubric}${sIndexBasis.date === null ? null : html`, as of ${timeElement(sIndexBasis.date)}`}). The index counts datasets that reach a score, so it grows with their number. It does not rate research. Do not use it to compare people.</p>
${sIndexCurve(totals, sIndex)}
<h3>How to raise it by one</h3>
<p>${nextIndexText(person, totals, version)}</p>`;
}

/** The number of datasets that are named. */
const MOST_NAMED = 5;

function nextIndexText(
  { sIndex, datasetCount, datasets }: ResearcherDetail,
  totals: readonly number[],
  version: PublicVersion,
): Html {
  const next = sIndex + 1;
  if (datasetCount > totals.length && sIndex >= totals.length)
    return html`We cannot compute this: more datasets count than are listed here.`;
  const missing = next - totals.filter((total) => total >= next).length;
  const near = datasets.filter(({ score }) => score !== null && score.total < next).slice(0, missing);
  if (near.length === missing && missing > 0) {
    return html`${missing === 1 ? "One more dataset" : `${missing} more datasets`} with a score of at least ${next}. The nearest: ${near
      .slice(0, MOST_NAMED)
      .map(
        ({ id, title, score }, i) =>
          html`${i === 0 ? "" : "; "}<a href="${underVersion(`/datasets/${id}`, version)}" dir="auto">${title ?? id}</a> (${countText(next - (score?.total ?? 0), "point")} short)`,
      )}${near.length > MOST_NAMED ? html`; and ${near.length - MOST_NAMED} more` : null}.`;
  }
  return html`${missing === 1 ? "One more dataset" : `${missing} more datasets`} with a score of at least ${next}. All current datasets already reach this score, so new datasets are needed.`;
}

const SIZE = 280;
const LEFT = 40;
const BELOW = 40;
/** The width of the label at the crossing on a phone. */
const LABEL_WIDTH = 130;

/** Returns a chart of scores by rank, with the line on which rank and score are equal. `totals` has the best first. */
function sIndexCurve(totals: readonly number[], sIndex: number): Html | null {
  const [first] = totals;
  if (first === undefined || totals.length < 2) return null;
  const last = Math.max(totals.length, 10);
  const x = (rank: number) => Math.round(LEFT + (SIZE * 2 * rank) / last);
  const y = (score: number) => Math.round(10 + SIZE - (SIZE * score) / 100);
  const line = totals.map((total, i) => `${i === 0 ? "M" : "L"}${x(i + 1)} ${y(total)}`).join("");
  // The label is at the end of the line, usually far from the crossing.
  const even = Math.min(last, 100);
  // The label is below the point, where there is no line, and to the right if there is space.
  const isRight = x(sIndex) < LEFT + 2 * SIZE - LABEL_WIDTH;
  return html`<svg class="chart" viewBox="0 0 ${LEFT + 2 * SIZE + 20} ${SIZE + BELOW + 10}" role="img" aria-label="Scores from best to worst: the line of equal rank and score is crossed at ${sIndex}."><path class="axis" d="M${LEFT} 10V${10 + SIZE}H${LEFT + 2 * SIZE}"/>${[
    0, 50, 100,
  ].map(
    (score) => html`<text x="${LEFT - 6}" y="${y(score) + 4}" text-anchor="end">${score}</text>`,
  )}<path class="same" d="M${x(0)} ${y(0)}L${x(even)} ${y(even)}"/><path class="line" d="${line}"/><circle class="point" cx="${x(sIndex)}" cy="${y(sIndex)}" r="5"/><text class="said" x="${isRight ? x(sIndex) + 8 : x(sIndex)}" y="${y(sIndex) + 22}" text-anchor="${isRight ? "start" : "end"}">S-Index ${sIndex}</text><text x="${LEFT + 6}" y="20">score</text><text x="${x(last)}" y="${SIZE + BELOW - 8}" text-anchor="end">dataset ${last}</text><text x="${LEFT}" y="${SIZE + BELOW - 8}">best dataset first</text><text x="${x(even) - 14}" y="${y(even) + 4}" text-anchor="end">rank = score</text></svg>`;
}
