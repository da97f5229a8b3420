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
  const [first = "", ...rest] = strings;
  return new Html(first + rest.map((string, i) => textOf(parts[i] ?? null) + string).join(""));
}

function textOf(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return part.map(textOf).join("");
}

/** Fit for an element and for an attribute in quotes. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}
