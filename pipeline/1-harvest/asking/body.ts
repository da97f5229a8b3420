/** Reads the body of an answer up to a limit; what is larger is given up while it arrives. */

import { BodyTooLarge } from "../session/errors.ts";

/** The whole body, decoded from its transfer; throws {@link BodyTooLarge} beyond `limit` bytes. */
export async function readBody(response: Response, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return Buffer.alloc(0);
  for await (const piece of response.body) {
    size += piece.byteLength;
    if (size > limit)
      throw new BodyTooLarge(`${response.url} answered more than ${limit} bytes; a page should be far smaller`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
