/** The little Markdown that generated regions need. */

/** A table with its columns aligned, as the formatter would; cells are Markdown, and must hold no line break. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((cells) => cells.map(cell));
  const widths = header.map((_, column) => Math.max(3, ...lines.map((cells) => widthOf(cells[column] ?? ""))));
  const [first = [], ...rest] = lines;
  const rule = widths.map((width) => "-".repeat(width));
  return [first, rule, ...rest]
    .map((cells) => `| ${cells.map((text, i) => pad(text, widths[i] ?? 0)).join(" | ")} |`)
    .join("\n");
}

/** A bar would end the cell, inside code too. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(width - widthOf(text));
}

/** Text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Words as code, separated by commas; an en dash where there are none. */
export function codes(words: readonly string[]): string {
  return words.length === 0 ? "–" : words.map(code).join(", ");
}

/** Paragraphs, lists and tables, one below the other. */
export function blocks(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
