/** Reads the members of ZIP archives (APPNOTE.TXT 6.3, including ZIP64) and tar archives one by one. */

import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { withoutEnd } from "../vocabularies/ends.ts";
import { DamagedStream, inflate } from "./inflate.ts";

/** A file in an archive. Its chunks must be read before the next member is requested. */
export interface Member {
  readonly name: string;
  readonly chunks: AsyncGenerator<Buffer>;
}

const END = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;

/** Longest comment that can follow the end record of a ZIP file, in bytes. */
const COMMENT = 0xffff;

const CHUNK = 256 * 1024;

/**
 * Largest central directory in bytes. The directory is held in memory, and takes about eighty bytes for each member.
 */
const LIST = 256 * 1024 * 1024;

interface ArchiveEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

/** True if the bytes begin a ZIP archive with at least one member. Its header must be complete and contain a name. */
export function isZip(head: Buffer): boolean {
  return head.length >= 30 && head.readUInt32LE(0) === LOCAL && head.readUInt16LE(4) <= 63 && head.readUInt16LE(26) > 0;
}

/**
 * Yields the members of a ZIP archive in the order of its central directory. Leaves out folders.
 * @throws DamagedStream
 */
export async function* zipMembers(path: string): AsyncGenerator<Member> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    for (const entry of entriesIn(await readCentralDirectory(file, size))) {
      if (!entry.name.endsWith("/")) yield { name: entry.name, chunks: readMember(file, entry) };
    }
  } finally {
    await file.close();
  }
}

/** Reads the central directory. Its position is in a record at the end of the file. */
async function readCentralDirectory(file: FileHandle, size: number): Promise<Buffer> {
  const tail = await read(file, Math.max(0, size - COMMENT - 22), Math.min(size, COMMENT + 22));
  const at = findEndRecord(tail);
  let [length, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (at >= 20 && tail.readUInt32LE(at - 20) === END64_LOCATOR) {
    const end = await read(file, Number(tail.readBigUInt64LE(at - 12)), 56);
    if (end.readUInt32LE(0) !== END64)
      throw new DamagedStream("the ZIP64 end record of the archive is not at the position that its locator gives");
    [length, start] = [Number(end.readBigUInt64LE(40)), Number(end.readBigUInt64LE(48))];
  }
  if (start + length > size || length > LIST)
    throw new DamagedStream("the archive's list of members lies beyond the end of the file, or is too long");
  return read(file, start, length);
}

/**
 * Finds the end record of a ZIP archive. A comment after it can contain bytes that look like another end record, so the
 * right one is the last whose comment ends exactly at the end of the file.
 */
function findEndRecord(tail: Buffer): number {
  for (let at = tail.length - 22; at >= 0; at--) {
    const ends = tail.readUInt32LE(at) === END && at + 22 + tail.readUInt16LE(at + 20) === tail.length;
    if (ends) return at;
  }
  throw new DamagedStream("the archive has no end record");
}

function* entriesIn(list: Buffer): Generator<ArchiveEntry> {
  for (let at = 0; at + 46 <= list.length; ) {
    if (list.readUInt32LE(at) !== ENTRY) throw new DamagedStream("the archive's list of members is damaged");
    const [nameLength, extraLength] = [list.readUInt16LE(at + 28), list.readUInt16LE(at + 30)];
    const nameEnd = at + 46 + nameLength;
    const extra = list.subarray(nameEnd, nameEnd + extraLength);
    yield {
      name: list.toString("utf8", at + 46, nameEnd),
      method: list.readUInt16LE(at + 10),
      encrypted: (list.readUInt16LE(at + 8) & 1) === 1,
      crc: list.readUInt32LE(at + 16),
      ...readSizes(list, at, extra),
    };
    at = nameEnd + extraLength + list.readUInt16LE(at + 32);
  }
}

/**
 * Returns the size and the offset of a member. A value that needs more than 32 bits is in an extra field, in which the
 * values have the order uncompressed size, compressed size, offset.
 */
function readSizes(list: Buffer, at: number, extra: Buffer): Pick<ArchiveEntry, "size" | "offset"> {
  const large = extraField(extra, 0x0001);
  let next = 0;
  const wide = (value: number): number => {
    if (value !== 0xffffffff || large === null || next + 8 > large.length) return value;
    next += 8;
    return Number(large.readBigUInt64LE(next - 8));
  };
  wide(list.readUInt32LE(at + 24));
  const size = wide(list.readUInt32LE(at + 20));
  return { size, offset: wide(list.readUInt32LE(at + 42)) };
}

function extraField(extra: Buffer, id: number): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  }
  return null;
}

/**
 * Decompresses a member, and compares its checksum at the end.
 * @throws DamagedStream
 */
async function* readMember(file: FileHandle, entry: ArchiveEntry): AsyncGenerator<Buffer> {
  const { name, method } = entry;
  if (entry.encrypted) throw new DamagedStream(`${name} is encrypted`);
  if (method !== 0 && method !== 8) throw new DamagedStream(`${name} has an unsupported compression (${method})`);
  const stored = readStoredBytes(file, entry);
  let sum = 0;
  for await (const chunk of method === 0 ? stored : inflate(stored, "deflate-raw")) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc) throw new DamagedStream(`${name} does not have the checksum in the archive`);
}

async function* readStoredBytes(file: FileHandle, { name, offset, size }: ArchiveEntry): AsyncGenerator<Buffer> {
  const head = await read(file, offset, 30);
  if (head.readUInt32LE(0) !== LOCAL)
    throw new DamagedStream(`${name} is not where the archive's list of members says`);
  let at = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  for (let left = size; left > 0; ) {
    const chunk = await read(file, at, Math.min(left, CHUNK));
    yield chunk;
    at += chunk.length;
    left -= chunk.length;
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  // A position of 64 bits can be larger than any file.
  if (!Number.isSafeInteger(position)) throw new DamagedStream("the archive has an offset beyond any file");
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead < length) throw new DamagedStream("the archive is cut off");
  return buffer;
}

const BLOCK = 512;

/** Longest file name in bytes. A tar archive stores a long name as a separate member before the file. */
const NAME_BYTES = 64 * 1024;

export function isTar(head: Buffer): boolean {
  return head.length >= BLOCK && head.toString("latin1", 257, 262) === "ustar";
}

/**
 * Yields the files of a tar archive in order.
 * @throws DamagedStream if the archive is cut off
 */
export async function* tarMembers(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Member> {
  try {
    yield* membersIn(new Blocks(chunks));
  } finally {
    await chunks.return(undefined);
  }
}

async function* membersIn(bytes: Blocks): AsyncGenerator<Member> {
  let longName: string | null = null;
  for (;;) {
    const head = await bytes.take(BLOCK);
    // The end of an archive is an empty block, or the end of the file.
    if (head === null || head.every((byte) => byte === 0)) return;
    const size = readSize(head);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === "L" || type === "x") {
      longName = (await longNameIn(bytes, type, size, padding)) ?? longName;
      continue;
    }
    const end = bytes.position + size + padding;
    if (type === "0" || type === "\0") yield { name: longName ?? readName(head), chunks: bytes.stream(size) };
    longName = null;
    // Skips bytes that the caller did not read, and the padding.
    for await (const _rest of bytes.stream(end - bytes.position));
  }
}

async function longNameIn(bytes: Blocks, type: "L" | "x", size: number, padding: number): Promise<string | null> {
  if (size > NAME_BYTES) throw new DamagedStream("the archive has a name that is too long");
  const text = (await bytes.take(size + padding))?.toString("utf8", 0, size) ?? "";
  return type === "L" ? withoutEnd(text, "\0") : (/(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? null);
}

function readName(head: Buffer): string {
  const text = (from: number, to: number) => head.toString("utf8", from, to).split("\0")[0] ?? "";
  const prefix = text(345, 500);
  return prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
}

/** Reads the size of a member from its tar header: octal digits, or a binary number if the first bit is set. */
function readSize(head: Buffer): number {
  const field = head.subarray(124, 136);
  const digits = field.toString("latin1").replace(/[\0 ]+/g, "");
  const size = ((field[0] ?? 0) & 0x80) === 0 ? Number.parseInt(digits || "0", 8) : field.readUIntBE(6, 6);
  if (!Number.isSafeInteger(size) || size < 0) throw new DamagedStream("the archive has a member without a size");
  return size;
}

class Blocks {
  /** Number of bytes read so far. */
  position = 0;
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.source = source;
  }

  /** Returns exactly `length` bytes; null at the end of the archive. */
  async take(length: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for await (const piece of this.stream(length, true)) pieces.push(piece);
    return pieces.length === 0 && length > 0 ? null : Buffer.concat(pieces);
  }

  /**
   * Yields the next `length` bytes in pieces. If the archive has already ended, yields nothing if `mayEnd` is true, and
   * throws otherwise.
   */
  async *stream(length: number, mayEnd = false): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.rest.length === 0) {
        const next = await this.source.next();
        if (next.done === true) {
          if (mayEnd && left === length) return;
          throw new DamagedStream("the archive is cut off");
        }
        // The reader reuses its buffer.
        this.rest = Buffer.from(next.value);
      }
      const piece = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(piece.length);
      left -= piece.length;
      this.position += piece.length;
      yield piece;
    }
  }
}
