/** The five parts of a score as bars, each of twenty points. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { BUCKETS } from "../../schemas/public/signal.ts";
import { meter } from "./meter.ts";
import { BUCKET_NAMES } from "./words.ts";

type Score = Pick<NonNullable<RecordDetail["score"]>, "bucketScores">;

/** Nothing where there is no score. */
export function bucketBars(score: Score | null): Html | null {
  if (score === null) return null;
  return html`<ul class="buckets">${BUCKETS.map(
    (bucket) =>
      html`<li><span>${BUCKET_NAMES[bucket]}</span>${meter(score.bucketScores[bucket], 20)}<span class="num">${score.bucketScores[bucket]} of 20</span></li>`,
  )}</ul>`;
}
