/** Finds where elements stand in XML text, so that a record is kept as its source wrote it. The text must be checked, and without document type. */

/** Comments, instructions and CDATA are passed over whole; of a tag, its slash, name and end are taken. */
const MARKUP =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(\/?)(?:[^\s/>:"'=]*:)?([^\s/>:"'=]+)(?:"[^"]*"|'[^']*'|[^"'>])*?(\/?)>/g;

/** The texts of all elements at `path` (names from the root on, without prefixes), in order. */
export function xmlSlices(text: string, path: readonly string[]): string[] {
  const slices: string[] = [];
  const open: string[] = [];
  let start = 0;
  // How many of the open elements lie on the path.
  let onPath = 0;
  for (const match of text.matchAll(MARKUP)) {
    const name = match[2];
    if (name === undefined) continue;
    const end = match.index + match[0].length;
    if (match[1] === "/") {
      if (onPath === path.length && open.length === path.length) slices.push(text.slice(start, end));
      open.pop();
      onPath = Math.min(onPath, open.length);
      continue;
    }
    const fits = onPath === open.length && path[onPath] === name;
    if (fits && open.length === path.length - 1) start = match.index;
    if (match[3] === "/") {
      if (fits && open.length === path.length - 1) slices.push(text.slice(start, end));
      continue;
    }
    open.push(name);
    if (fits) onPath += 1;
  }
  return slices;
}
