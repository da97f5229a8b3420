/**
 * Reads and writes the parts of harvested payloads in raw/<source>, for example 000001.ndjson.zst. A finished part
 * never changes. Parts are read in the order of their numbers.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, type ZstdCompress } from "node:zlib";
import { publishFile } from "../files/durable.ts";
import { inflate } from "../files/inflate.ts";
import { lineBatches, readChunks } from "../files/line-batches.ts";

export interface RawPart {
  readonly name: string;
  readonly path: string;
  readonly number: number;
  /** Size of the compressed file in bytes. */
  readonly bytes: number;
}

const PART = /^(\d{6,})\.ndjson\.zst$/;

export function partName(number: number): string {
  return `${String(number).padStart(6, "0")}.ndjson.zst`;
}

/** Lists the finished parts of a raw folder in order. If the folder is missing, the list is empty. */
export async function listParts(folder: string): Promise<RawPart[]> {
  const parts: RawPart[] = [];
  for (const name of await namesIn(folder)) {
    const number = PART.exec(name)?.[1];
    if (number === undefined) continue;
    const path = join(folder, name);
    parts.push({ name, path, number: Number(number), bytes: (await stat(path)).size });
  }
  return parts.sort((one, other) => one.number - other.number);
}

export async function nextPartNumber(folder: string): Promise<number> {
  const last = (await listParts(folder)).at(-1);
  return last === undefined ? 1 : last.number + 1;
}

export async function digestPart(part: RawPart): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of readChunks(part.path)) hash.update(chunk);
  return hash.digest("hex");
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Number of compressed bytes that are read at once. */
const CHUNK = 256 * 1024;

/** Passes the lines of a part to a function in batches, because one promise for each line would be slower. */
export async function readBatches(path: string, onLines: (lines: string[]) => void | Promise<void>): Promise<void> {
  for await (const lines of lineBatches(decompressPart(path))) await onLines(lines);
}

export async function* readLines(path: string): AsyncGenerator<string> {
  for await (const lines of lineBatches(decompressPart(path))) yield* lines;
}

function decompressPart(path: string): AsyncGenerator<Buffer> {
  return inflate(readChunks(path, { size: CHUNK }), "zstd");
}

/** Number of characters that are passed to the compressor at once. */
const PIECE = 256 * 1024;

/**
 * Settings of the compressor. At level 3 it keeps up with parsing, which runs on another core. The checksum detects
 * damage.
 */
const PARAMETERS = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };

/** Writes one part under a temporary name. Renames it when it is complete and flushed to the disk. */
export class PartWriter {
  readonly name: string;
  readonly path: string;
  /**
   * Number of uncompressed characters written so far. It is close enough to the number of bytes to limit the size of a
   * part.
   */
  size = 0;
  lines = 0;
  private readonly temporary: string;
  private readonly compressor: ZstdCompress;
  private readonly written: Promise<void>;
  private failure: unknown = null;
  private waiting: string[] = [];
  private waitingSize = 0;

  constructor(folder: string, number: number) {
    this.name = partName(number);
    this.path = join(folder, this.name);
    this.temporary = `${this.path}.tmp`;
    this.compressor = createZstdCompress({ params: PARAMETERS, chunkSize: PIECE });
    this.written = pipeline(this.compressor, createWriteStream(this.temporary, { flush: true }));
    // The next call of `write` or `seal` throws the error. Without this handler, it would end the process at once.
    this.written.catch((error: unknown) => {
      this.failure = error;
    });
  }

  /**
   * Adds a line. If the compressor is slower than the harvest, returns a promise that the caller must wait for;
   * otherwise null.
   */
  write(line: string): Promise<void> | null {
    this.waiting.push(line, "\n");
    this.waitingSize += line.length + 1;
    this.size += line.length + 1;
    this.lines += 1;
    return this.waitingSize < PIECE ? null : this.pass();
  }

  /** Completes the file and flushes it to the disk. It still has its temporary name. */
  async seal(): Promise<void> {
    if (this.waitingSize > 0) await this.pass();
    this.compressor.end();
    await this.written;
  }

  /** Returns the size of the completed file in bytes. */
  async sealedBytes(): Promise<number> {
    return (await stat(this.temporary)).size;
  }

  /** Renames the completed file to its final name. */
  async publish(): Promise<void> {
    await publishFile(this.temporary, this.path);
  }

  /** Stops without finishing the part. The next harvest removes the temporary file. */
  async abandon(): Promise<void> {
    this.compressor.destroy();
    await this.written.catch(() => {});
  }

  private async pass(): Promise<void> {
    if (this.failure !== null) throw this.failure;
    const piece = this.waiting.join("");
    this.waiting = [];
    this.waitingSize = 0;
    if (this.compressor.write(piece)) return;
    await Promise.race([once(this.compressor, "drain"), this.written]);
  }
}
