/** The byte at which text stops being UTF-8 (RFC 3629); asked for only once it is known that it does. */

/** Index of the first byte that begins no valid sequence; the length where all is valid. */
export function invalidByteIn(bytes: Uint8Array): number {
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceAt(bytes, i);
    if (length === 0) return i;
    i += length;
  }
  return bytes.length;
}

/** Length of the sequence at `i`, or 0 where there is none. */
function sequenceAt(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const second = bytes[i + 1] ?? 0;
  // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  if (second < (first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80)) return 0;
  if (second > (first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf)) return 0;
  for (let k = 2; k < length; k++) {
    const byte = bytes[i + k] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  return length;
}
