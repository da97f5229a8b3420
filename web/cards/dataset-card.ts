/** The card of a dataset: its score beside its cap, and the five parts of it. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { BUCKETS } from "../../schemas/public/signal.ts";
import { bucketBars } from "../parts/bucket-bars.ts";
import { meter } from "../parts/meter.ts";
import { BUCKET_NAMES } from "../parts/words.ts";
import type { Card } from "./card.ts";
import { whyUnscored } from "./why-unscored.ts";

export function datasetCard(record: RecordDetail, version: PublicVersion): Card {
  const { id, title, doi, identifier } = record;
  return {
    page: `/datasets/${id}`,
    version,
    title: title ?? doi ?? identifier,
    words: datasetWords(record),
    figures: figuresOf(record),
  };
}

function figuresOf({ score, scoreStatus, cap }: RecordDetail): Html {
  if (score === null) {
    return html`<p class="total"><b>No score</b> ${whyUnscored(scoreStatus)}.</p>`;
  }
  const reach = cap < 100 ? `of 100 points; ${cap} can be reached there` : "of 100 points";
  return html`<p class="total"><b>${score.total}</b> ${reach}</p>${meter(score.total, 100, cap)}
${bucketBars(score.bucketScores)}`;
}

/** Its score in words, for a card and the picture of a preview alike. */
export function datasetWords({ score, scoreStatus, cap }: Pick<RecordDetail, "score" | "scoreStatus" | "cap">): string {
  if (score === null) return `SHARE: no score, ${whyUnscored(scoreStatus)}.`;
  const parts = BUCKETS.map((bucket) => `${BUCKET_NAMES[bucket]} ${score.bucketScores[bucket]}`).join(", ");
  return `SHARE score ${score.total} of 100, ${cap} can be reached. Of 20 each: ${parts}.`;
}
