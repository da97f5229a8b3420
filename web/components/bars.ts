/** Figures below each other, each with its name before it, a bar, and the figure in text. */

import { BUCKETS, type BucketId } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { BUCKET_NAMES } from "./words.ts";

export interface Bar {
  readonly name: string;
  readonly value: number | null;
  /** The value of a full bar. */
  readonly most: number;
  readonly figure: string;
}

export function bars(rows: readonly Bar[]): Html {
  return html`<ul class="buckets">${rows.map(
    ({ name, value, most, figure }) =>
      html`<li><span>${name}</span>${meter(value, most)}<span class="num">${figure}</span></li>`,
  )}</ul>`;
}

/** `cap` null where nothing is known of one, or it is that of the scale. */
export function meter(value: number | null, most: number, cap: number | null = null): Html {
  const at = (figure: number) => Math.round((1000 * figure) / most) / 10;
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="back" y="2" width="100" height="6" rx="1"/>${
    value === null ? null : html`<rect class="fill" y="2" width="${at(value)}" height="6" rx="1"/>`
  }${cap === null || cap >= most ? null : html`<rect class="cap" x="${at(cap)}" width=".8" height="10"/>`}</svg>`;
}

type Points = Readonly<Record<BucketId, number | null>>;

/** `figure` says the points of a part. */
export function bucketBars(points: Points, figure = (value: number | null) => `${value} of 20`): Html {
  return bars(
    BUCKETS.map((bucket) => ({
      name: BUCKET_NAMES[bucket],
      value: points[bucket],
      most: 20,
      figure: figure(points[bucket]),
    })),
  );
}
