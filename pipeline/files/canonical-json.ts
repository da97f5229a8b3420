/** Writes canonical JSON for digests (RFC 8785, for the values that this program uses). */

/**
 * Returns JSON without white space, with keys sorted by UTF-16 code units.
 * @throws Error for a number that is not an integer
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new Error(`canonical JSON, which digests are computed from, may only contain integers, not ${value}`);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
