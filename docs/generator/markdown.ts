/** Functions that write Markdown for generated sections. */

/** Writes a table with aligned columns. Cells are Markdown without line breaks. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((cells) => cells.map(cell));
  const widths = header.map((_, column) => Math.max(3, ...lines.map((cells) => measureWidth(cells[column] ?? ""))));
  const [first = [], ...rest] = lines;
  const rule = widths.map((width) => "-".repeat(width));
  return [first, rule, ...rest]
    .map((cells) => `| ${cells.map((text, i) => pad(text, widths[i] ?? 0)).join(" | ")} |`)
    .join("\n");
}

/** Escapes the vertical bars in a cell. Unescaped, they would end the cell even inside code. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function measureWidth(text: string): number {
  return Array.from(text).length;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(width - measureWidth(text));
}

/** Writes text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Writes words as code, separated by commas; an en dash if there are no words. */
export function codes(words: readonly string[]): string {
  return words.length === 0 ? "–" : words.map(code).join(", ");
}

/** Joins paragraphs, lists and tables with empty lines. */
export function blocks(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
