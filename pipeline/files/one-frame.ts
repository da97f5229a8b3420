/** Bytes as one frame of zstd (RFC 8878), which says how many bytes it inflates to. */

import { constants, zstdCompressSync } from "node:zlib";

/**
 * Room is given for all of the frame at once: where it ends with the last byte of a chunk, Node asks for more, and zstd
 * begins a second frame of nothing, nine bytes long.
 */
export function oneFrame(bytes: Uint8Array, level: number): Buffer {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_contentSizeFlag]: 1 };
  return zstdCompressSync(bytes, { params, chunkSize: mostOf(bytes.length) + 1 });
}

/** As many bytes as a frame can have (ZSTD_compressBound), and some. */
function mostOf(bytes: number): number {
  return bytes + (bytes >> 8) + 128;
}
