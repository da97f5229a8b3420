/** Forms of the maximum size of a draft, in shapes that are expensive or confusing for a parser. */

import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";

const SIZE = 2 * MAX_DRAFT_BYTES;
const ENCODED = "application/x-www-form-urlencoded";
const PARTS = "multipart/form-data; boundary=b";

/** Repeats `piece` as often as it fits between `before` and `after`. */
const filled = (before: string, piece: string, after = ""): string =>
  before + piece.repeat(Math.floor((SIZE - before.length - after.length) / piece.length)) + after;

const part = (rest: string) => `--b\r\nContent-Disposition: form-data; name="pasted"${rest}\r\n\r\n`;

export const HOSTILE_FORMS: readonly { readonly name: string; readonly type: string; readonly body: () => string }[] = [
  { name: "a million fields with one name", type: ENCODED, body: () => filled("", "a&") },
  { name: "a million fields without a name", type: ENCODED, body: () => filled("", "=&") },
  { name: "only three million ampersands", type: ENCODED, body: () => filled("", "&") },
  { name: "a value that consists of plus signs", type: ENCODED, body: () => filled("title=", "+") },
  { name: "a value that consists of escapes", type: ENCODED, body: () => filled("title=", "%41") },
  { name: "a value that consists of percent signs", type: ENCODED, body: () => filled("title=", "%") },
  { name: "a value that is not valid UTF-8", type: ENCODED, body: () => filled("title=", "%ff") },
  { name: "a name of three megabytes", type: ENCODED, body: () => filled("", "%5B") },
  { name: "fifty thousand parts", type: PARTS, body: () => filled("", `${part("")}x\r\n`, "--b--\r\n") },
  { name: "fifty thousand files", type: PARTS, body: () => filled("", `${part('; filename="f"')}x\r\n`, "--b--\r\n") },
  {
    name: "a part with four hundred thousand header lines",
    type: PARTS,
    body: () => filled('--b\r\nContent-Disposition: form-data; name="a"\r\n', "X-A: b\r\n", "\r\nx\r\n--b--\r\n"),
  },
  {
    name: "a file whose lines resemble the boundary",
    type: PARTS,
    body: () => filled(part('; filename="f"'), "\r\n--", "\r\n--b--\r\n"),
  },
  {
    name: "a file that repeats the boundary without its last letter",
    type: `multipart/form-data; boundary=${"b".repeat(70)}`,
    body: () =>
      filled(
        `--${"b".repeat(70)}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`,
        `\r\n--${"b".repeat(69)}x`,
        `\r\n--${"b".repeat(70)}--\r\n`,
      ),
  },
  { name: "parts without an end", type: PARTS, body: () => filled("", "--b\r\n") },
];
