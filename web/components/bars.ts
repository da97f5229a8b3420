/** Figures below each other, each with its name before it, a bar, and the figure in text. */

import { type Html, html } from "../html.ts";
import { meter } from "./meter.ts";

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
