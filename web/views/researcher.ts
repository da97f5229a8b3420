/** One researcher: S-Index as a curve, S-Impact, datasets, what would raise the index by one, and whose page it is. */

import type { ResearcherDetail } from "../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { press } from "../components/fields.ts";
import { counted, decimal, UNKNOWN, when, whole } from "../components/figures.ts";
import { recordRows } from "../components/record-rows.ts";
import { sIndexCurve } from "../components/s-index-curve.ts";
import { olderVersion, underVersion } from "../components/under-version.ts";
import type { View } from "../components/view.ts";
import { BASIS_WORDS } from "../components/words.ts";
import { type Html, html } from "../html.ts";
import { snippets } from "./snippets.ts";

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
