/** Figures as text, the same on every page: an unknown value has words of its own, and is never a zero. */

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

/** A figure in a table of many digits: with a true minus, and a dash if there is none. */
export function fixed(value: number | null, digits = 2): string {
  return value === null ? "–" : value.toFixed(digits).replace("-", "−");
}

/** A figure with its sign, and a true minus; `±0` for one that rounds to zero. */
export function signed(value: number, digits = 0): string {
  const size = Math.abs(value);
  if (Number(size.toFixed(digits)) === 0) return "±0";
  return `${value < 0 ? "−" : "+"}${digits === 0 ? WHOLE.format(size) : size.toFixed(digits)}`;
}

/** The change from one figure to another; empty if one of them is unknown. */
export function change(before: number | null | undefined, after: number | null): string {
  return before === null || before === undefined || after === null ? "" : signed(after - before, 2);
}

/** Percent with one decimal. A part that is not empty never shows as zero, nor one that is not whole as 100. */
export function percent(part: number, of: number): string {
  if (of === 0) return UNKNOWN;
  const share = (100 * part) / of;
  if (part > 0 && share < 0.1) return "<0.1 %";
  if (part < of && share > 99.9) return ">99.9 %";
  return `${ONE.format(share)} %`;
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
