/** Decodes UTF-8 both in Node and in browsers, where `Buffer` is missing. */

// A byte order mark stays in the text, because it counts in the columns of error messages.
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** Returns the text from byte `start` to `end`. U+FFFD replaces bytes that are not valid UTF-8. */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return LENIENT.decode(bytes.subarray(start, end));
}

/** Returns the text of the bytes; null if they are not valid UTF-8. */
export function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return STRICT.decode(bytes);
  } catch {
    return null;
  }
}

/** Returns the bytes without the UTF-8 byte order mark, if they begin with one. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
