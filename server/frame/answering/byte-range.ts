/** The Range header (RFC 9110, 14.2): one range of bytes; several are answered with the whole, as the RFC allows. */

export type ByteRange =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly start: number; readonly length: number }
  | { readonly kind: "unsatisfiable" };

const ONE_RANGE = /^bytes=(\d{1,15})?-(\d{1,15})?$/;

/** `size`: bytes of the whole. What is no single byte range asks for the whole. */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const match = ONE_RANGE.exec(header?.trim() ?? "");
  if (match === null) return { kind: "whole" };
  const [, first, last] = match;
  if (first === undefined) return last === undefined ? { kind: "whole" } : suffix(Number(last), size);
  const start = Number(first);
  const end = Math.min(last === undefined ? size - 1 : Number(last), size - 1);
  if (last !== undefined && Number(last) < start) return { kind: "whole" };
  return start >= size ? { kind: "unsatisfiable" } : { kind: "part", start, length: end - start + 1 };
}

function suffix(wanted: number, size: number): ByteRange {
  const length = Math.min(wanted, size);
  return length === 0 ? { kind: "unsatisfiable" } : { kind: "part", start: size - length, length };
}
