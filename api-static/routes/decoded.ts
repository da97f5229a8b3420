/** A part of an address as text. */

/** Null where it is not percent-encoded as it has to be. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
