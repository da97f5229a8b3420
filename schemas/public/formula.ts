/**
 * Texts that a spreadsheet would run as a formula: a text that begins with a sign for one, in its full-width and small forms
 * too, behind whatever white space and unseen characters (OWASP, "CSV Injection"). Titles are written by strangers.
 */

/** The pattern of a formula, as JavaScript (with the flag u) and RE2 both read it. */
export const FORMULA = String.raw`^(?:[\t\r\n]|[\s\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])`;
