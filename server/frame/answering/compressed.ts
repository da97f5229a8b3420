/** A content that is kept, compressed once for all who take it so. */

import { brotliCompressSync, gzipSync } from "node:zlib";
import { BROTLI_OPTIONS, type Encoding, encodingFor } from "./encodings.ts";

const COMPRESS = {
  br: (content: Uint8Array) => brotliCompressSync(content, BROTLI_OPTIONS),
  gzip: (content: Uint8Array) => gzipSync(content),
} as const satisfies Record<Encoding, (content: Uint8Array) => Uint8Array>;

export class Compressed {
  readonly #content: Uint8Array;
  readonly #made = new Map<Encoding, Uint8Array>();

  constructor(content: Uint8Array) {
    this.#content = content;
  }

  /** `accepted`: the header Accept-Encoding. Null where the client takes none of them, or asks with more than names. */
  for(accepted: string | undefined): { readonly encoding: Encoding; readonly bytes: Uint8Array } | null {
    const encoding = encodingFor(accepted, this.#content.length);
    if (encoding === null) return null;
    const bytes = this.#made.get(encoding) ?? COMPRESS[encoding](this.#content);
    this.#made.set(encoding, bytes);
    return { encoding, bytes };
  }
}
