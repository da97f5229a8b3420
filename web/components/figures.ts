/** Figures as text, in the same format everywhere. An unknown value is `not known`, never zero. */

import { type Html, html } from "../html.ts";

const WHOLE = new Intl.NumberFormat("en-GB");
const ONE = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const TWO = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const UNKNOWN = "not known";

export function integer(value: number | null): string {
  return value === null ? UNKNOWN : WHOLE.format(value);
}

/** Returns a figure with one decimal, for figures that were not rounded before. */
export function tenths(value: number | null): string {
  return value === null ? UNKNOWN : ONE.format(value);
}

/**
 * Returns a published figure with two decimals, because with one decimal it would be rounded twice: a mean of 38.546 is
 * published as 38.55, which would become 38.6.
 */
export function hundredths(value: number | null): string {
  return value === null ? UNKNOWN : TWO.format(value);
}

/** Returns an average score beside the average possible score, such as `54.23 of 84.00`. Older releases have only the first. */
export function averageText(mean: number | null, cap: number | null): string {
  return mean === null || cap === null ? hundredths(mean) : `${hundredths(mean)} of ${hundredths(cap)}`;
}

/** Returns a figure with a fixed number of decimals and a typographic minus, or a dash for null. */
export function fixed(value: number | null, digits = 2): string {
  return value === null ? "–" : value.toFixed(digits).replace("-", "−");
}

/** Returns a figure with its sign and a typographic minus; `±0` if it rounds to zero. */
export function signedNumber(value: number, digits = 0): string {
  const size = Math.abs(value);
  if (Number(size.toFixed(digits)) === 0) return "±0";
  return `${value < 0 ? "−" : "+"}${digits === 0 ? WHOLE.format(size) : size.toFixed(digits)}`;
}

/** Returns the difference of two figures with its sign; an empty text if one figure is unknown. */
export function change(before: number | null | undefined, after: number | null): string {
  return before === null || before === undefined || after === null ? "" : signedNumber(after - before, 2);
}

/** Returns percent with one decimal. Only an exact zero is shown as 0, and only a complete part as 100. */
export function percent(part: number, of: number): string {
  if (of === 0) return UNKNOWN;
  const share = (100 * part) / of;
  if (part > 0 && share < 0.1) return "<0.1 %";
  if (part < of && share > 99.9) return ">99.9 %";
  return `${ONE.format(share)} %`;
}

export function countText(value: number, one: string, many = `${one}s`): string {
  return `${WHOLE.format(value)} ${value === 1 ? one : many}`;
}

/** Returns a date or a time in UTC as a `time` element. A script changes it to the reader's locale. */
export function timeElement(text: string | null): Html | string {
  if (text === null) return UNKNOWN;
  const [day = text, time] = text.split("T");
  return html`<time datetime="${text}">${time === undefined ? day : `${day} ${time.slice(0, 5)} UTC`}</time>`;
}
