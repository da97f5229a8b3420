/** Counts with their nouns, as messages name them. */

/** Returns `1 record`, `2 records`, or with a plural of its own `1 query`, `2 queries`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
