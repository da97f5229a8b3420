/** XML elements that may occur once, more often, or not at all, always as a list. */

/** A list as it is, one value as a list of one; a missing element, and an empty one, as none. */
export function oneOrMany(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === "") return [];
  return Array.isArray(value) ? value.filter((element) => element !== "" && element !== null) : [value];
}
