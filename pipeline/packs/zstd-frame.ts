/** One zstd frame (RFC 8878), looked at before it is inflated: what it says of its size, and that it ends where it should. */

import { zstdDecompressSync } from "node:zlib";
import { type FrameEntry, INFLATED_LIMIT, PackDamaged } from "./format.ts";

const MAGIC = 0xfd2fb528;

/** Header of a block: whether it is the last (1 bit), its type (2), its size (21). */
const BLOCK_HEADER = 3;

/** Bytes that a block inflates from: of a type that repeats one byte, that byte. */
const REPEATED = 1;
const RESERVED = 3;

/**
 * The bytes of a frame's pages. zstd would stop at the end of the first frame in `packed`, and ask for as much memory as a
 * header wants: neither is left to it.
 * @throws PackDamaged
 */
export function inflateFrame(packed: Buffer, { offset, inflated }: FrameEntry): Buffer {
  const fault = (what: string, cause?: unknown) => new PackDamaged(`the frame at ${offset} ${what}`, { cause });
  const end = endOf(packed, inflated);
  if (end === null) throw fault(`is no frame of zstd that inflates to ${inflated} bytes`);
  if (end !== packed.length) throw fault(`ends ${packed.length - end} bytes before its index says`);
  try {
    const bytes = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, inflated), chunkSize: chunkFor(inflated) });
    if (bytes.length !== inflated) throw fault(`inflates to ${bytes.length} bytes, not ${inflated}`);
    return bytes;
  } catch (cause) {
    throw cause instanceof PackDamaged ? cause : fault(`cannot be inflated to ${inflated} bytes`, cause);
  }
}

/**
 * One chunk for most frames, with room behind its last byte, since Node asks for more where there is none; a larger one
 * grows by chunks.
 */
function chunkFor(inflated: number): number {
  return Math.min(Math.max(inflated + 1, 64), 512 * 1024);
}

/** Where the frame ends; null where it is none that says it has so many bytes and needs no more memory than that. */
function endOf(packed: Buffer, inflated: number): number | null {
  try {
    const blocks = blocksOf(packed, inflated);
    return blocks === null ? null : endOfBlocks(packed, blocks.at) + blocks.checksum;
  } catch {
    return null;
  }
}

/** Where its blocks begin, and how many bytes follow them. */
function blocksOf(packed: Buffer, inflated: number): { readonly at: number; readonly checksum: number } | null {
  const descriptor = packed.readUInt8(4);
  const single = (descriptor & 0x20) !== 0;
  const usesDictionary = (descriptor & 0x03) !== 0;
  if (packed.readUInt32LE(0) !== MAGIC || usesDictionary) return null;
  if (!single && windowOf(packed.readUInt8(5)) > INFLATED_LIMIT) return null;
  const at = single ? 5 : 6;
  const [said, bytes] = contentSize(packed, at, descriptor >> 6, single);
  return said === inflated ? { at: at + bytes, checksum: (descriptor & 0x04) === 0 ? 0 : 4 } : null;
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** What the header says that the frame inflates to, and in how many bytes; null where it does not say so. */
function contentSize(packed: Buffer, at: number, flag: number, single: boolean): readonly [number | null, number] {
  switch (flag) {
    case 0:
      return single ? [packed.readUInt8(at), 1] : [null, 0];
    case 1:
      return [packed.readUInt16LE(at) + 256, 2];
    case 2:
      return [packed.readUInt32LE(at), 4];
    default:
      return [packed.readUIntLE(at, 6), 8];
  }
}

function endOfBlocks(packed: Buffer, from: number): number {
  for (let at = from; ; ) {
    const header = packed.readUIntLE(at, BLOCK_HEADER);
    const type = (header >> 1) & 3;
    if (type === RESERVED) throw new PackDamaged("a block is of no type");
    at += BLOCK_HEADER + (type === REPEATED ? 1 : header >> 3);
    if ((header & 1) === 1) return at;
  }
}
