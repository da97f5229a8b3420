/** Markup as a value: texts put into a template are escaped, markup put into one stays. */

/** Markup that is known to be safe. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | null | readonly Part[];

/** `<p>${text}</p>`: null and empty lists leave nothing, lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = "";
  strings.forEach((string, i) => {
    text += string + textOf(parts[i] ?? null);
  });
  return new Html(text);
}

function textOf(part: Part): string {
  if (typeof part === "string") return escaped(part);
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "number") return String(part);
  let text = "";
  for (const each of part) text += textOf(each);
  return text;
}

const MARKS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Fit for an element and for an attribute in quotes. Most texts have no mark, and stay as they are. */
function escaped(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (mark) => MARKS[mark] ?? "") : text;
}

const UNWRITABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The whole document. One character of somebody's that cannot stand in it would make all of it unreadable: it is a space. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.text.toWellFormed().replace(UNWRITABLE, " ")}\n`;
}
