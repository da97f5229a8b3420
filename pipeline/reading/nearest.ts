/** The known word that somebody most likely meant, by how many letters have to be changed. */

/** Case does not count; of words equally near the first. Null where nothing is known. */
export function nearest(word: string, known: readonly string[]): string | null {
  const meant = word.toLowerCase();
  const distances = known.map((name) => [name, distanceOf(meant, name.toLowerCase())] as const);
  return distances.toSorted(([, one], [, other]) => one - other)[0]?.[0] ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment); what only goes on costs half. */
function distanceOf(one: string, other: string): number {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter !== "" && longer.startsWith(shorter)) return (longer.length - shorter.length) / 2;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (same ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
