/** The generated regions of a document: what lies between `<!-- generated: name argument -->` and `<!-- end -->`. */

/** Makes the Markdown of a region; `argument` is what its marker says after the name, '' where nothing. */
export type Section = (argument: string) => Promise<string>;

const OPENING = /^<!-- generated: (\S+)(?: (.+))? -->$/;
const CLOSING = "<!-- end -->";

/**
 * The text with every region filled anew.
 * @throws Error naming document and line, for a marker that is not closed or names no section
 */
export async function fillRegions(
  document: string,
  text: string,
  sections: Readonly<Record<string, Section>>,
): Promise<string> {
  const lines = text.split("\n");
  const filled: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    filled.push(line);
    const [, name, argument = ""] = OPENING.exec(line) ?? [];
    if (name === undefined) continue;
    const section = Object.hasOwn(sections, name) ? sections[name] : undefined;
    if (section === undefined) {
      throw new Error(`${document}:${at + 1}: no section is called "${name}"; there are ${namesOf(sections)}`);
    }
    filled.push("", await section(argument), "");
    at = closingOf(lines, at, document) - 1;
  }
  return filled.join("\n");
}

/** Index of the line that closes the region opened at `opening`. */
function closingOf(lines: readonly string[], opening: number, document: string): number {
  const next = lines.findIndex((line, at) => at > opening && (line === CLOSING || OPENING.test(line)));
  if (next >= 0 && lines[next] === CLOSING) return next;
  throw new Error(`${document}:${opening + 1}: this region is not closed by ${CLOSING}`);
}

function namesOf(sections: Readonly<Record<string, Section>>): string {
  return Object.keys(sections).sort().join(", ");
}
