/** A score as a bar beside its cap. The figure stands in text beside it: the drawing only repeats it. */

import { type Html, html } from "../html.ts";

/** `cap` null where nothing is known of one, or it is that of the scale. */
export function meter(value: number | null, most: number, cap: number | null = null): Html {
  const at = (figure: number) => Math.round((1000 * figure) / most) / 10;
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="back" y="2" width="100" height="6" rx="1"/>${
    value === null ? null : html`<rect class="fill" y="2" width="${at(value)}" height="6" rx="1"/>`
  }${cap === null || cap >= most ? null : html`<rect class="cap" x="${at(cap)}" width=".8" height="10"/>`}</svg>`;
}
