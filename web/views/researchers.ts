/** Researchers, to search by name or ORCID iD, and one of them: S-Index, datasets, and what would raise the index by one. */

import type { Pagination } from "../../schemas/public/api/common.ts";
import type { ResearcherDetail, ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { View } from "../components/document.ts";
import { counted, decimal, UNKNOWN, when, whole } from "../components/figures.ts";
import { field, press } from "../components/forms.ts";
import { addressOf, type Fields, olderVersion, pager, underVersion } from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { snippets } from "../components/snippets.ts";
import { table } from "../components/table.ts";
import { BASIS_WORDS } from "../components/words.ts";
import { type Html, html } from "../html.ts";

interface ResearchersPage {
  readonly asked: Fields;
  readonly data: readonly ResearcherRow[];
  readonly pagination: Pagination;
}

export function researchersView({ asked, data, pagination }: ResearchersPage): View {
  const search = asked.search ?? "";
  const rows = data.map(({ slug, name, affiliation, sIndex, datasetCount, avgScore, meanCap }) => [
    html`<a href="/researchers/${slug}"><bdi>${name}</bdi></a>${affiliation === "" ? null : html`<br><span class="muted small" dir="auto">${affiliation}</span>`}`,
    whole(sIndex),
    whole(datasetCount),
    decimal(avgScore),
    decimal(meanCap),
  ]);
  return {
    title: search === "" ? "Researchers" : `Researchers: ${search}`,
    description: "Search researchers by name or ORCID iD; their S-Index and datasets.",
    twin: addressOf("/authors", asked),
    unlisted: Object.values(asked).some((value) => value !== ""),
    body: html`<h1>Researchers</h1>
<form action="/researchers" role="search"><div class="row"><div class="grow">${field({
      name: "search",
      label: "Name or ORCID iD",
      type: "search",
      value: search,
    })}</div><button>Search</button></div></form>
<div class="note"><p><strong>What the S-Index says:</strong> somebody with an S-Index of 5 has five datasets that score at least 5, and not six that score at least 6. It grows with the number of datasets: it tells how much was shared with care, and nothing about the worth of anybody’s research. Do not compare people by it.</p></div>
<p role="status"><strong>${counted(pagination.total, "researcher")}</strong>${search === "" ? null : html` for “<bdi>${search}</bdi>”`}</p>
${
  data.length === 0
    ? html`<div class="note"><p>Nobody of the current release fits. People are listed who have a dataset with a score; who asked to be hidden is not.</p></div>`
    : table(
        "Researchers by S-Index",
        [
          { name: "Name" },
          { name: "S-Index", isNumber: true },
          { name: "Datasets", isNumber: true },
          { name: "Average", isNumber: true },
          { name: "Possible", isNumber: true },
        ],
        rows,
      )
}
${pager("/researchers", asked, pagination)}`,
  };
}

export function researcherView(person: ResearcherDetail, version: PublicVersion, origin: string): View {
  const { name, slug, sIndex, datasets, affiliation, orcid, verified, identityBasis } = person;
  const totals = datasets.flatMap(({ score }) => score?.total ?? []);
  return {
    title: name,
    description: `S-Index ${sIndex}, from ${counted(person.datasetCount, "dataset")}.`,
    twin: `/authors/${slug}?rubric=${version}`,
    canonical: `/researchers/${slug}`,
    body: html`<p class="crumbs"><a href="/researchers">Researchers</a></p>
<h1 dir="auto">${name}</h1>
${olderVersion(version, `/researchers/${slug}`)}
<p>${affiliation === "" ? null : html`<bdi>${affiliation}</bdi> · `}${orcid === null ? null : html`<a href="https://orcid.org/${orcid}" rel="external">${orcid}</a> · `}${BASIS_WORDS[identityBasis]}${verified ? html` · <span class="tag">✓ claimed by themselves</span>` : null}</p>
${figures(person)}
<h2>The S-Index</h2>
<p>${counted(sIndex, "dataset has", "datasets have")} a score of at least ${sIndex}${basis(person)}.</p>
${sIndexCurve(totals, sIndex)}
<h3>What would raise it by one</h3>
<p>${raising(person, totals, version)}</p>
<h2>Datasets${person.datasetCount > datasets.length ? html` <span class="muted">the best ${datasets.length} of ${whole(person.datasetCount)}</span>` : null}</h2>
${recordRows(datasets, 3, version)}${person.datasetCount > datasets.length ? html`<p>The list ends here; whose each dataset is, of all of them, is in the <a href="/history#download">files of the release</a> (<code>data/researcher-datasets</code>).</p>` : null}
<h2>Is this you?</h2>
<p>Say so, and the page shows that it is yours. With the ORCID iD of this page it takes a moment; otherwise somebody looks at it. Who is signed in and has claimed the page can have it hidden. <a href="/privacy">What is held about people</a></p>
<div class="actions">${press("/me", { do: "claim", authorSlug: slug }, "This is me", "")}<a class="button quiet" href="/privacy#hide">Hide me</a>${press("/me", { do: "save-author", authorSlug: slug }, "Save to your account")}</div>
<h2>Show the S-Index</h2>
${snippets({ origin, version, page: `/researchers/${slug}`, badge: `S-Index ${sIndex}` })}`,
  };
}

function figures({ sIndex, sImpact, citedBasis, datasetCount, avgScore, meanCap }: ResearcherDetail): Html {
  const impact = citedBasis.known === 0 ? UNKNOWN : whole(sImpact);
  return html`<ul class="figures"><li><b>${sIndex}</b> S-Index</li><li><b>${whole(datasetCount)}</b> ${datasetCount === 1 ? "dataset" : "datasets"} with a score</li><li><b>${decimal(avgScore)}</b> average, where ${decimal(meanCap)} was possible</li><li><b>${impact}</b> S-Impact; citations are known of ${whole(citedBasis.known)} of ${whole(citedBasis.datasets)}</li></ul>`;
}

function basis({ sIndexBasis: { rubric, date, median } }: ResearcherDetail): Html {
  return html` (SHARE ${rubric}${date === null ? null : html`, as of ${when(date)}`}${median === null ? null : `; half of all researchers have ${decimal(median)} or less`})`;
}

/** Of the datasets that are nearest. */
const MOST_NAMED = 5;

/** Datasets at or above the next index, and how far the nearest others are. */
function raising(
  { sIndex, datasetCount, datasets }: ResearcherDetail,
  totals: readonly number[],
  version: PublicVersion,
): Html {
  const next = sIndex + 1;
  if (datasetCount > totals.length && sIndex >= totals.length)
    return html`More of the datasets than are listed here count; they would have to be looked at one by one.`;
  const missing = next - totals.filter((total) => total >= next).length;
  const near = datasets.filter(({ score }) => score !== null && score.total < next).slice(0, missing);
  if (near.length === missing && missing > 0) {
    return html`${missing === 1 ? "One more dataset" : `${missing} more datasets`} with a score of at least ${next}. The nearest: ${near
      .slice(0, MOST_NAMED)
      .map(
        ({ id, title, score }, i) =>
          html`${i === 0 ? "" : "; "}<a href="${underVersion(`/datasets/${id}`, version)}" dir="auto">${title ?? id}</a> (${counted(next - (score?.total ?? 0), "point")} short)`,
      )}${near.length > MOST_NAMED ? html`; and ${near.length - MOST_NAMED} more, in the order below` : null}.`;
  }
  return html`${missing === 1 ? "One more dataset" : `${missing} more datasets`} with a score of at least ${next}. All there are reach it: it takes new ones.`;
}

const SIZE = 280;
const LEFT = 40;
const BELOW = 40;
/** The width of the words at the crossing, on a phone too. */
const ROOM = 130;

/** Datasets from best to worst against their scores, and the line where the two are equal. `totals`: best first. */
function sIndexCurve(totals: readonly number[], sIndex: number): Html | null {
  const [first] = totals;
  if (first === undefined || totals.length < 2) return null;
  const last = Math.max(totals.length, 10);
  const x = (rank: number) => Math.round(LEFT + (SIZE * 2 * rank) / last);
  const y = (score: number) => Math.round(10 + SIZE - (SIZE * score) / 100);
  const line = totals.map((total, i) => `${i === 0 ? "M" : "L"}${x(i + 1)} ${y(total)}`).join("");
  // Its name stands at its end, above it: far from the crossing, unless that is at the end.
  const even = Math.min(last, 100);
  // Below its point, where neither line is; to the right where there is room.
  const isRight = x(sIndex) < LEFT + 2 * SIZE - ROOM;
  return html`<svg class="chart" viewBox="0 0 ${LEFT + 2 * SIZE + 20} ${SIZE + BELOW + 10}" role="img" aria-label="Scores from best to worst: the line of equal rank and score is crossed at ${sIndex}."><path class="axis" d="M${LEFT} 10V${10 + SIZE}H${LEFT + 2 * SIZE}"/>${[
    0, 50, 100,
  ].map(
    (score) => html`<text x="${LEFT - 6}" y="${y(score) + 4}" text-anchor="end">${score}</text>`,
  )}<path class="same" d="M${x(0)} ${y(0)}L${x(even)} ${y(even)}"/><path class="line" d="${line}"/><circle class="point" cx="${x(sIndex)}" cy="${y(sIndex)}" r="5"/><text class="said" x="${isRight ? x(sIndex) + 8 : x(sIndex)}" y="${y(sIndex) + 22}" text-anchor="${isRight ? "start" : "end"}">S-Index ${sIndex}</text><text x="${LEFT + 6}" y="20">score</text><text x="${x(last)}" y="${SIZE + BELOW - 8}" text-anchor="end">dataset ${last}</text><text x="${LEFT}" y="${SIZE + BELOW - 8}">best dataset first</text><text x="${x(even) - 14}" y="${y(even) + 4}" text-anchor="end">rank = score</text></svg>`;
}
