/** The cells of every CSV that this program writes. */

/** Matches text that a spreadsheet would run as a formula, in JavaScript (flag u) and RE2. */
export const FORMULA = String.raw`^(?:[\t\r\n]|[\s\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])`;

const FORMULA_PATTERN = new RegExp(FORMULA, "u");

/**
 * Returns the text of a cell. A text that a spreadsheet would run begins with an apostrophe, which it does not show: titles
 * come from unknown people.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && FORMULA_PATTERN.test(value) ? `'${value}` : String(value);
}
