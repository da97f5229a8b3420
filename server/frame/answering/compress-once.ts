/**
 * A content that is made for one answer, compressed whole and off the thread that answers: through a stream it takes a
 * multiple of the processor time.
 */

import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { BROTLI_OPTIONS, type Encoding } from "./encodings.ts";

const [brotli, zipped] = [promisify(brotliCompress), promisify(gzip)];

export function compressOnce(content: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  switch (encoding) {
    case "br":
      return brotli(content, BROTLI_OPTIONS);
    case "gzip":
      return zipped(content);
    default:
      return encoding satisfies never;
  }
}
