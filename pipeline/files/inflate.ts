/**
 * Decompresses streams as far as possible, even if they are cut off. Node's own streams discard their last output when
 * they fail.
 */

import type { Transform } from "node:stream";
import { constants, createGunzip, createInflateRaw, createZstdDecompress, zstdCompressSync } from "node:zlib";

/** The compression formats that this module decompresses. ZIP members use `deflate-raw`. */
export type Codec = "gzip" | "zstd" | "deflate-raw";

/** The error if a compressed stream is cut off or damaged. All bytes before the damage were returned. */
export class DamagedStream extends Error {
  readonly code = "damaged-stream";
}

/**
 * Size of output pieces in bytes. Larger pieces would not fit into the processor's cache, and smaller ones would need
 * more thread switches.
 */
const PIECE = 256 * 1024;

/** Largest number of output pieces that may wait for the reader before decompression pauses. */
const MANY = 16;

/**
 * Detects the compression format from the first bytes of a file; null if it is not compressed. The name of the file
 * does not matter.
 */
export function detectCodec(head: Buffer): Codec | null {
  if (head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  return startsZstdFrame(head) ? "zstd" : null;
}

function startsZstdFrame(head: Buffer): boolean {
  if (head.length < 4) return false;
  const magic = head.readUInt32LE(0);
  // RFC 8878: a data frame, or a skippable one as parallel compressors write first.
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

/**
 * Decompresses `chunks`.
 * @throws DamagedStream after the last complete piece, if the stream is cut or damaged
 */
export async function* inflate(chunks: AsyncIterable<Buffer>, codec: Codec): AsyncGenerator<Buffer> {
  let engine = new InflateEngine(codec);
  try {
    for await (const chunk of chunks) {
      let rest = chunk;
      while (rest.length > 0 && !(codec !== "zstd" && engine.ended)) {
        // Node joins gzip members, but stops after the first zstd frame. The next frame needs a new stream.
        if (engine.ended) engine = nextFrame(rest, codec);
        engine.write(rest);
        yield* engine.drain();
        rest = rest.subarray(engine.taken());
      }
    }
    engine.finish();
    yield* engine.drain();
  } finally {
    engine.close();
  }
}

function nextFrame(rest: Buffer, codec: Codec): InflateEngine {
  if (rest.length >= 4 && !startsZstdFrame(rest)) {
    throw new DamagedStream("the file continues with bytes that are not compressed by zstd");
  }
  return new InflateEngine(codec);
}

const STREAMS: Readonly<Record<Codec, () => Transform & { readonly bytesWritten?: number }>> = {
  gzip: () => createGunzip({ chunkSize: PIECE }),
  zstd: () => createZstdDecompress({ chunkSize: PIECE }),
  "deflate-raw": () => createInflateRaw({ chunkSize: PIECE }),
};

/**
 * A decompressor that saves each piece of output immediately, because a later error in Node's stream would discard it.
 */
class InflateEngine {
  /** True while the decompressor processes the last chunk or the end of the input. */
  busy = false;
  ended = false;
  private readonly stream: Transform & { readonly bytesWritten?: number };
  private pieces: Buffer[] = [];
  private failure: Error | null = null;
  private before = 0;
  private size = 0;
  private wake: () => void = () => {};

  constructor(codec: Codec) {
    this.stream = STREAMS[codec]();
    this.stream.on("data", (piece: Buffer) => this.keep(piece));
    this.stream.on("end", () => {
      this.ended = true;
      this.rest();
    });
    this.stream.on("error", (error: Error) => {
      this.failure = error;
      this.rest();
    });
  }

  write(chunk: Buffer): void {
    this.busy = true;
    this.before = this.stream.bytesWritten ?? 0;
    this.size = chunk.length;
    this.stream.write(chunk, () => {
      // If bytes remain, the stream ended within the chunk. Its end event follows.
      if (this.taken() === this.size) this.rest();
    });
  }

  finish(): void {
    if (this.ended || this.failure !== null) return;
    this.busy = true;
    this.stream.end();
  }

  /**
   * Returns how many bytes of the last chunk belong to this compressed stream. The remaining bytes follow after its
   * end.
   */
  taken(): number {
    return (this.stream.bytesWritten ?? 0) - this.before;
  }

  /**
   * Yields the output for the last chunk, or for the end of the input. Then throws the error of the decompressor, if
   * one occurred.
   */
  async *drain(): AsyncGenerator<Buffer> {
    while (this.busy) {
      await this.settled();
      yield* this.take();
    }
    if (this.failure === null) return;
    throw new DamagedStream(`the compressed stream is cut or damaged: ${this.failure.message}`, {
      cause: this.failure,
    });
  }

  /**
   * Resolves when the chunk is processed. Also resolves earlier if so much output waits that the caller must read it
   * first.
   */
  private async settled(): Promise<void> {
    if (!this.busy || this.pieces.length >= MANY) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  close(): void {
    this.stream.destroy();
  }

  private take(): Buffer[] {
    const pieces = this.pieces;
    this.pieces = [];
    this.stream.resume();
    return pieces;
  }

  private keep(piece: Buffer): void {
    this.pieces.push(piece);
    if (this.pieces.length < MANY) return;
    // Pauses, because a few compressed bytes can expand to gigabytes.
    this.stream.pause();
    this.wake();
  }

  private rest(): void {
    this.busy = false;
    this.wake();
  }
}

/**
 * Compresses bytes to one zstd frame. Uses a buffer that is larger than the frame, because Node makes zstd add an empty
 * frame of nine bytes if the frame fills the buffer exactly.
 */
export function oneFrame(bytes: Uint8Array, level: number): Buffer {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_contentSizeFlag]: 1 };
  return zstdCompressSync(bytes, { params, chunkSize: boundFrameSize(bytes.length) + 1 });
}

/** Returns an upper bound for the size of a compressed frame of `bytes` bytes (ZSTD_compressBound). */
function boundFrameSize(bytes: number): number {
  return bytes + (bytes >> 8) + 128;
}
