/** Strings of nginx's configuration language. */

/** A name for the sign that begins variables: inside a string that knows variables there is no other way to write it. */
export const DOLLAR = "share_dollar";

/** A text as it is, where the directive takes no variables. */
export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** A text as it is, where the directive would look for variables in it. Needs `dollarBlock` in the configuration. */
export function quotedPlain(text: string): string {
  return quoted(text).replaceAll("$", `\${${DOLLAR}}`);
}

/** The block that `quotedPlain` needs for these texts; nothing where no text has the sign. */
export function dollarBlock(...texts: readonly string[]): string {
  if (!texts.some((text) => text.includes("$"))) return "";
  return `# A path has the sign that begins variables; this variable stands for it.
geo $${DOLLAR} {
    default "$";
}

`;
}

/** A regular expression as it is: those made here hold no quote, and no backslash before a letter nginx would read. */
export function expression(pattern: string): string {
  if (/"|\\[\\"'trn]/.test(pattern)) throw new Error(`nginx would read ${pattern} as another expression`);
  return `"~${pattern}"`;
}
