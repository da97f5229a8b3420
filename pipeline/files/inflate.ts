/** Streaming decompression that hands over everything up to a cut: the platform's streams drop what they still hold when they fail. */

import type { Transform } from "node:stream";
import { constants, createGunzip, createInflateRaw, createZstdDecompress, zstdCompressSync } from "node:zlib";

/** Raw deflate is what stands in ZIP archives. */
export type Codec = "gzip" | "zstd" | "deflate-raw";

/** The compressed stream ends early or is damaged; what came before has been handed over. */
export class DamagedStream extends Error {
  readonly code = "damaged-stream";
}

/** Output comes in pieces of this size: large enough that thread hops do not count, small enough to stay in cache. */
const PIECE = 256 * 1024;

/** How many pieces may wait for the reader. */
const MANY = 16;

/** The codec the first bytes speak of, or null; names of files are not asked. */
export function codecOf(head: Buffer): Codec | null {
  if (head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  return startsZstdFrame(head) ? "zstd" : null;
}

function startsZstdFrame(head: Buffer): boolean {
  if (head.length < 4) return false;
  const magic = head.readUInt32LE(0);
  // RFC 8878: a data frame, or a skippable one (parallel compressors begin with those).
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

/** Decompresses `chunks`; throws {@link DamagedStream} after the last whole piece where the stream is cut or damaged. */
export async function* inflate(chunks: AsyncIterable<Buffer>, codec: Codec): AsyncGenerator<Buffer> {
  let engine = new Engine(codec);
  try {
    for await (const chunk of chunks) {
      let rest = chunk;
      while (rest.length > 0 && !(codec !== "zstd" && engine.ended)) {
        // One zstd frame is done and another follows: the platform stops at the first, so begin anew. Gzip members it
        // joins itself, and what follows their end is padding.
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

function nextFrame(rest: Buffer, codec: Codec): Engine {
  if (rest.length >= 4 && !startsZstdFrame(rest)) {
    throw new DamagedStream("bytes follow the last compressed frame that belong to none");
  }
  return new Engine(codec);
}

const STREAMS: Readonly<Record<Codec, () => Transform & { readonly bytesWritten?: number }>> = {
  gzip: () => createGunzip({ chunkSize: PIECE }),
  zstd: () => createZstdDecompress({ chunkSize: PIECE }),
  "deflate-raw": () => createInflateRaw({ chunkSize: PIECE }),
};

/** One decompressor, fed by hand; in flowing mode every piece arrives before an error can discard it. */
class Engine {
  /** True while the last chunk, or the end, is being worked on. */
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
      // Bytes left over mean that the stream ended within the chunk; its end event is on its way.
      if (this.taken() === this.size) this.rest();
    });
  }

  finish(): void {
    if (this.ended || this.failure !== null) return;
    this.busy = true;
    this.stream.end();
  }

  /** How many bytes of the last chunk belong to this stream. */
  taken(): number {
    return (this.stream.bytesWritten ?? 0) - this.before;
  }

  /** Everything the last chunk, or the end, gives; then the error it ended with, if any. */
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

  /** Resolves when the work is done, or when there is so much output that it must be taken first. */
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
    // A few bytes may stand for gigabytes: let the reader catch up.
    this.stream.pause();
    this.wake();
  }

  private rest(): void {
    this.busy = false;
    this.wake();
  }
}

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
