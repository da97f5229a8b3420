/** Figures as text, in the same format everywhere. An unknown value is `not known`, never zero. */

import { type ExactMean, subtractMeans } from "../../api-static/pages/numbers.ts";
import { type Html, html } from "../html.ts";
import { type Language, language, pluralText, t } from "../languages/translate.ts";

/** The formats of figures and dates in one language. */
interface Formats {
  readonly whole: Intl.NumberFormat;
  readonly one: Intl.NumberFormat;
  readonly two: Intl.NumberFormat;
  readonly percent: Intl.NumberFormat;
  readonly finePercent: Intl.NumberFormat;
  readonly day: Intl.DateTimeFormat;
}

const FORMATS = new Map<Language, Formats>();

function formats(): Formats {
  const of = language();
  const known = FORMATS.get(of);
  if (known !== undefined) return known;
  const locale = of === "en" ? "en-GB" : of;
  const decimals = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });
  const made = {
    whole: new Intl.NumberFormat(locale),
    one: new Intl.NumberFormat(locale, decimals(1)),
    two: new Intl.NumberFormat(locale, decimals(2)),
    percent: new Intl.NumberFormat(locale, { style: "percent", ...decimals(1) }),
    finePercent: new Intl.NumberFormat(locale, { style: "percent", ...decimals(2) }),
    day: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }),
  };
  FORMATS.set(of, made);
  return made;
}

/** The text in place of an unknown value, before `t` translates it. */
export const UNKNOWN = "not known";

export function integer(value: number | null): string {
  return value === null ? t(UNKNOWN) : formats().whole.format(value);
}

/** Returns a figure with one decimal. It must not have been rounded before. */
export function tenths(value: number | null): string {
  return value === null ? t(UNKNOWN) : formats().one.format(value);
}

/**
 * Returns a published figure with its two decimals. With one decimal it would be rounded twice: a mean of 38.546 is
 * published as 38.55, which would become 38.6.
 */
export function hundredths(value: number | null): string {
  return value === null ? t(UNKNOWN) : formats().two.format(value);
}

/**
 * Returns an average score beside the average possible score, such as `54.23 of 84.00`; only the score if the possible
 * score is null, as in older releases.
 */
export function averageText(mean: number | null, cap: number | null): string {
  return mean === null || cap === null ? hundredths(mean) : t`${hundredths(mean)} of ${hundredths(cap)}`;
}

/** Returns a figure with a fixed number of decimals and a typographic minus, or a dash for null. */
export function fixed(value: number | null, digits = 2): string {
  return value === null ? "–" : value.toFixed(digits).replace("-", "−");
}

/** Returns a figure with its sign and a typographic minus; `±0` if it rounds to zero. */
export function signedNumber(value: number, digits = 0): string {
  const size = Math.abs(value);
  if (Number(size.toFixed(digits)) === 0) return "±0";
  return `${value < 0 ? "−" : "+"}${decimals(size, digits)}`;
}

function decimals(size: number, digits: number): string {
  if (digits === 0) return integer(size);
  return language() === "en" || digits !== 2 ? size.toFixed(digits) : hundredths(size);
}

/**
 * Returns the difference of two averages with its sign, rounded once; an empty text if one average is unknown. `digits` is 0
 * for the scores of one dataset.
 */
export function changeText(before: ExactMean, after: ExactMean, digits: 0 | 2 = 2): string {
  const difference = subtractMeans(before, after);
  if (difference === null) return "";
  return difference === 0 ? "0" : signedNumber(difference, digits);
}

/**
 * Returns the share of `part` in percent with one decimal. Only an exact zero is shown as 0, and only a complete part
 * as 100; otherwise it is `<0.1 %` or `>99.9 %`.
 */
export function percent(part: number, of: number): string {
  if (of === 0) return t(UNKNOWN);
  const share = (100 * part) / of;
  if (part > 0 && share < 0.1) return `<${percentText(0.1)}`;
  if (part < of && share > 99.9) return `>${percentText(99.9)}`;
  return percentText(share);
}

/**
 * Returns a share in percent in the format of the language. English pages have a space before the percent sign, as they
 * always had.
 */
function percentText(share: number): string {
  return language() === "en" ? `${formats().one.format(share)} %` : formats().percent.format(share / 100);
}

/** Returns a published percentage with its two decimals. */
export function publishedPercent(value: number | null): string {
  if (value === null) return t(UNKNOWN);
  return language() === "en" ? `${hundredths(value)} %` : formats().finePercent.format(value / 100);
}

export function countText(value: number, one: string, many = `${one}s`): string {
  return plural(value, `{0} ${one}`, `{0} ${many}`);
}

/** Returns the text that fits the number. In it, `{0}` stands for the number, and `{1}` and so on for `more`. */
export function plural(value: number, one: string, many: string, ...more: readonly (string | number)[]): string {
  return pluralText(value, [one, many], integer(value), more);
}

/** Returns a date or a time in UTC as a `time` element. A script changes it to the reader's locale. */
export function timeElement(text: string | null): Html | string {
  if (text === null) return t(UNKNOWN);
  const [day = text, time] = text.split("T");
  return html`<time datetime="${text}">${time === undefined ? dayText(day) : `${dayText(day)} ${time.slice(0, 5)} UTC`}</time>`;
}

/** Returns a date in the format of the language. English and incomplete dates stay as they are. */
export function dayText(day: string): string {
  if (language() === "en" || !/^\d{4}-\d\d-\d\d$/.test(day)) return day;
  const date = new Date(day);
  return Number.isNaN(date.getTime()) ? day : formats().day.format(date);
}
