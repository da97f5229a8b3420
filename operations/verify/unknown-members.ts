/** Members of a JSON value that its schema left out when it was read, by their paths. */

/** `read` is what the schema made of `json`. */
export function unknownMembers(json: unknown, read: unknown, path = ""): string[] {
  if (Array.isArray(json)) {
    const items: readonly unknown[] = Array.isArray(read) ? read : [];
    return json.flatMap((item, place) => unknownMembers(item, items[place], `${path}[${place}]`));
  }
  if (typeof json !== "object" || json === null) return [];
  const known = new Map(typeof read === "object" && read !== null ? Object.entries(read) : []);
  return Object.entries(json).flatMap(([name, value]) => {
    const below = path === "" ? name : `${path}.${name}`;
    return known.has(name) ? unknownMembers(value, known.get(name), below) : [below];
  });
}
