/** The prevalence of a signal: of those that could be judged, with the interval that so many judged leave open. */

import { type Html, html } from "../html.ts";
import { decimal, percent, whole } from "./figures.ts";

/** Datasets of which a signal could be judged, and those of them that have it. */
export interface Prevalence {
  readonly signal: string;
  readonly repository: string;
  readonly judged: number;
  readonly passed: number;
}

/** 95 %, two-sided. */
const Z = 1.96;

/** Wilson's interval of a share, in percent (Wilson 1927): it holds for small numbers too. */
export function intervalOf(passed: number, judged: number): readonly [number, number] {
  const [share, square] = [passed / judged, Z * Z];
  const middle = (share + square / (2 * judged)) / (1 + square / judged);
  const half = (Z * Math.sqrt((share * (1 - share)) / judged + square / (4 * judged * judged))) / (1 + square / judged);
  const shown = (value: number) => Math.round(1000 * Math.min(1, Math.max(0, value))) / 10;
  return [shown(middle - half), shown(middle + half)];
}

export function prevalenceText({ judged, passed }: Pick<Prevalence, "judged" | "passed">): Html | string {
  if (judged === 0) return "not judged";
  const [least, most] = intervalOf(passed, judged);
  return html`${percent(passed, judged)} <span class="muted small">(${decimal(least)}–${decimal(most)} %) of ${whole(judged)}</span>`;
}

/** The share as a bar, and across its end the interval. */
export function prevalenceBar({ judged, passed }: Pick<Prevalence, "judged" | "passed">): Html | null {
  if (judged === 0) return null;
  const [least, most] = intervalOf(passed, judged);
  const share = Math.round((1000 * passed) / judged) / 10;
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="back" y="2" width="100" height="6" rx="1"/><rect class="fill" y="2" width="${share}" height="6" rx="1"/><path class="reach" d="M${least} 5H${most}M${least} 2V8M${most} 2V8"/></svg>`;
}
