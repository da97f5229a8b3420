/** Figures as text, the same on every page: what is not known is said, and is no zero. */

import { type Html, html } from "../html.ts";

const WHOLE = new Intl.NumberFormat("en-GB");
const ONE = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const UNKNOWN = "not known";

export function whole(value: number | null): string {
  return value === null ? UNKNOWN : WHOLE.format(value);
}

export function decimal(value: number | null): string {
  return value === null ? UNKNOWN : ONE.format(value);
}

export function percent(part: number, of: number): string {
  return of === 0 ? UNKNOWN : `${ONE.format((100 * part) / of)} %`;
}

/** `1 dataset`, `2 datasets`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${WHOLE.format(value)} ${value === 1 ? one : many}`;
}

/** A day or an instant, with its zone where it has a time; the script says it as the reader's own country does. */
export function when(text: string | null): Html | string {
  if (text === null) return UNKNOWN;
  const [day = text, time] = text.split("T");
  return html`<time datetime="${text}">${time === undefined ? day : `${day} ${time.slice(0, 5)} UTC`}</time>`;
}
