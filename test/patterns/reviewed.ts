/** Patterns that the tool cannot prove linear, or that are not, each with what makes it harmless all the same. */

export const REVIEWED: Readonly<Record<string, string>> = {
  [String(/("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g)]:
    "over JSON that the program has written itself",
  [String(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi)]: "over the first 4,096 bytes",
  [String(
    /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(\/?)(?:[^\s/>:"'=]*:)?([^\s/>:"'=]+)(?:"[^"]*"|'[^']*'|[^"'>])*?(\/?)>/g,
  )]: "over XML that was checked before: whatever begins there ends",
  [String(/\[[^\]]*\]|\*|\\?"/g)]: "over the fields of our own pledges",
  [String(/\b(?:application|audio|chemical|font|image|message|model|multipart|text|video)\/[a-z0-9][a-z0-9.+-]*/g)]:
    "over 500 characters; too many alternatives for the tool, and none that overlap",
  [String(/(?:[\s.;,:([]|\b(?:electronic address|e-?mail)\b[\s.:]*$)+$/i)]: "over 2,000 characters",
  [String(/\s[-–—]\s+([^-–—]+)$/u)]: "over 2,000 characters",
  [String(/\s\S+\s+\S*(?:[\p{L}\p{N}]{6}|\p{L}{3}[aeiouy])\.\s+([^.]+)$/u)]: "over 2,000 characters",
  [String(/^(?:[A-Z]{0,3}-?\d[\dA-Z-]*\s+)+|(?:\s+[A-Z]{0,3}-?\d[\dA-Z-]*)+$/g)]: "over 2,000 characters",
  [String(/(?<![\p{L}\p{N}])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\p{L}\p{N}])/gu)]: "over 10,000 characters",
  [String(/\bhttps?:\/\/\S+|\b10\.\d{4,9}\/\S+/gi)]: "over 10,000 characters; both halves are linear",
};

/** Files that put patterns together, each with what of. */
export const BUILT: Readonly<Record<string, string>> = {
  "pipeline/rubrics/contracts.ts": "of names of evidence",
  "releases/verify/files.ts": "of the page files of our own routes; keys are classes of characters of bounded length",
  "server/read/list-response.ts":
    "of the one constant of schemas/public/rubric.ts: a class of characters again and again, then another",
  "schemas/public/account/registration.ts": "one class of characters, of constants",
  "pipeline/vocabularies/licences.ts": "of the rows of licence-classes.csv",
  "pipeline/vocabularies/index.ts":
    "of the rows of placeholders.csv: literal texts side by side, none of which is tried twice at a place",
};
