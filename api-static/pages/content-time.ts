/**
 * The time a page's file carries: made of its content, not of the clock. nginx makes its entity tag of a file's time and
 * size, so pages with such a time have one tag on every machine, for as long as their bytes are the same.
 */

/**
 * Seconds since 1970 from a sha256 in hex: its first 31 bits, so that every file system holds them (1970 to 2038). Never
 * zero, which some tools take for "no time".
 */
export function contentTime(sha256: string): number {
  return Math.max(1, Number.parseInt(sha256.slice(0, 8), 16) >>> 1);
}
