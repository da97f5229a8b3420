/** The card of a researcher: the S-Index with what it rests on, and the mean of each part of the scores. */

import { html } from "../../api-static/html/html.ts";
import { sIndexWords } from "../../api-static/pages/s-index-words.ts";
import type { ResearcherDetail } from "../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { bucketBars } from "../parts/bucket-bars.ts";
import { decimal } from "../parts/figures.ts";
import type { Card } from "./card.ts";

type Figures = Pick<ResearcherDetail, "name" | "slug" | "sIndex" | "sIndexBasis" | "bucketMeans">;

export function researcherCard(person: Figures, version: PublicVersion): Card {
  const { name, slug, sIndex, sIndexBasis, bucketMeans } = person;
  return {
    page: `/researchers/${slug}`,
    version,
    title: name,
    words: researcherWords(person),
    figures: html`<p class="total"><b>${sIndex}</b> S-Index</p><p class="basis">${sIndexWords(sIndexBasis).join(", ")}</p>
${bucketBars(bucketMeans, (mean) => `${decimal(mean)} of 20`)}`,
  };
}

export function researcherWords({ sIndex, sIndexBasis }: Pick<Figures, "sIndex" | "sIndexBasis">): string {
  return `S-Index ${sIndex}, ${sIndexWords(sIndexBasis).join(", ")}.`;
}
