/** Writes the cells of all CSV files of this program. */

/** Matches text that a spreadsheet would run as a formula. The pattern is valid in JavaScript (flag u) and in RE2. */
export const FORMULA = String.raw`^(?:[\t\r\n]|[\s\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])`;

const FORMULA_PATTERN = new RegExp(FORMULA, "u");

/**
 * Returns the text of a cell. Titles come from unknown people, so a text that a spreadsheet would run as a formula gets an
 * apostrophe in front. Spreadsheets do not show it.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && FORMULA_PATTERN.test(value) ? `'${value}` : String(value);
}
