/** Reads the members of a ZIP archive one by one, however many and large (APPNOTE.TXT 6.3, ZIP64 included). */

import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { withoutEnd } from "../vocabularies/ends.ts";
import { DamagedStream, inflate } from "./inflate.ts";

/** A file within an archive; its chunks are to be read before the next member is asked for. */
export interface Member {
  readonly name: string;
  readonly chunks: AsyncGenerator<Buffer>;
}

const END = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;

/** The end record may be followed by a comment of this length at most. */
const COMMENT = 0xffff;

const CHUNK = 256 * 1024;

/** The list of members is held in memory: some eighty bytes for each of them. */
const LIST = 256 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

/** True where a file begins as an archive that has members does: with a whole header, and a member that has a name. */
export function isZip(head: Buffer): boolean {
  return head.length >= 30 && head.readUInt32LE(0) === LOCAL && head.readUInt16LE(4) <= 63 && head.readUInt16LE(26) > 0;
}

/** The members in the order of the archive's list, folders left out; throws {@link DamagedStream}. */
export async function* zipMembers(path: string): AsyncGenerator<Member> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    for (const entry of entriesIn(await listOf(file, size))) {
      if (!entry.name.endsWith("/")) yield { name: entry.name, chunks: contentOf(file, entry) };
    }
  } finally {
    await file.close();
  }
}

/** The central directory: the end of the file says where it stands. */
async function listOf(file: FileHandle, size: number): Promise<Buffer> {
  const tail = await read(file, Math.max(0, size - COMMENT - 22), Math.min(size, COMMENT + 22));
  const at = endOf(tail);
  let [length, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (at >= 20 && tail.readUInt32LE(at - 20) === END64_LOCATOR) {
    const end = await read(file, Number(tail.readBigUInt64LE(at - 12)), 56);
    if (end.readUInt32LE(0) !== END64)
      throw new DamagedStream("the archive's large end record is not where it should be");
    [length, start] = [Number(end.readBigUInt64LE(40)), Number(end.readBigUInt64LE(48))];
  }
  if (start + length > size || length > LIST) throw new DamagedStream("the archive's list lies beyond its end");
  return read(file, start, length);
}

/** The end record is the last one whose comment ends with the file: the comment may look like one itself. */
function endOf(tail: Buffer): number {
  for (let at = tail.length - 22; at >= 0; at--) {
    const ends = tail.readUInt32LE(at) === END && at + 22 + tail.readUInt16LE(at + 20) === tail.length;
    if (ends) return at;
  }
  throw new DamagedStream("the archive has no end record");
}

function* entriesIn(list: Buffer): Generator<Entry> {
  for (let at = 0; at + 46 <= list.length; ) {
    if (list.readUInt32LE(at) !== ENTRY) throw new DamagedStream("the archive's list is damaged");
    const [nameLength, extraLength] = [list.readUInt16LE(at + 28), list.readUInt16LE(at + 30)];
    const nameEnd = at + 46 + nameLength;
    const extra = list.subarray(nameEnd, nameEnd + extraLength);
    yield {
      name: list.toString("utf8", at + 46, nameEnd),
      method: list.readUInt16LE(at + 10),
      encrypted: (list.readUInt16LE(at + 8) & 1) === 1,
      crc: list.readUInt32LE(at + 16),
      ...sizesOf(list, at, extra),
    };
    at = nameEnd + extraLength + list.readUInt16LE(at + 32);
  }
}

/** Where 32 bits do not hold a number, it stands in an extra field, in this order: plain size, size, offset. */
function sizesOf(list: Buffer, at: number, extra: Buffer): Pick<Entry, "size" | "offset"> {
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

/** The plain bytes of a member, checked at their end. */
async function* contentOf(file: FileHandle, entry: Entry): AsyncGenerator<Buffer> {
  const { name, method } = entry;
  if (entry.encrypted) throw new DamagedStream(`${name} is encrypted`);
  if (method !== 0 && method !== 8)
    throw new DamagedStream(`${name} is compressed in a way we do not read (${method})`);
  const stored = storedOf(file, entry);
  let sum = 0;
  for await (const chunk of method === 0 ? stored : inflate(stored, "deflate-raw")) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc) throw new DamagedStream(`${name} does not have the checksum the archive gives for it`);
}

async function* storedOf(file: FileHandle, { name, offset, size }: Entry): AsyncGenerator<Buffer> {
  const head = await read(file, offset, 30);
  if (head.readUInt32LE(0) !== LOCAL) throw new DamagedStream(`${name} is not where the archive's list says`);
  let at = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  for (let left = size; left > 0; ) {
    const chunk = await read(file, at, Math.min(left, CHUNK));
    yield chunk;
    at += chunk.length;
    left -= chunk.length;
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  // 64 bits hold places that no file has.
  if (!Number.isSafeInteger(position)) throw new DamagedStream("the archive names a place beyond any file's end");
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead < length) throw new DamagedStream("the archive is cut off");
  return buffer;
}

const BLOCK = 512;

/** Long names stand in members of their own, which are never long themselves. */
const NAME_BYTES = 64 * 1024;

/** True where the plain bytes of a file begin as a tar archive does. */
export function isTar(head: Buffer): boolean {
  return head.length >= BLOCK && head.toString("latin1", 257, 262) === "ustar";
}

/** The files of an archive in their order; throws {@link DamagedStream} where it is cut. */
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
    // An empty block ends the archive; so does its end.
    if (head === null || head.every((byte) => byte === 0)) return;
    const size = sizeOf(head);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === "L" || type === "x") {
      longName = (await longNameIn(bytes, type, size, padding)) ?? longName;
      continue;
    }
    const end = bytes.position + size + padding;
    if (type === "0" || type === "\0") yield { name: longName ?? nameOf(head), chunks: bytes.stream(size) };
    longName = null;
    // The reader may have left some of it, and nobody reads the padding.
    for await (const _rest of bytes.stream(end - bytes.position));
  }
}

/** GNU's form is the name itself, pax has it among other things of the member to come. */
async function longNameIn(bytes: Blocks, type: "L" | "x", size: number, padding: number): Promise<string | null> {
  if (size > NAME_BYTES) throw new DamagedStream("the archive has a name longer than any file's");
  const text = (await bytes.take(size + padding))?.toString("utf8", 0, size) ?? "";
  return type === "L" ? withoutEnd(text, "\0") : (/(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? null);
}

function nameOf(head: Buffer): string {
  const text = (from: number, to: number) => head.toString("utf8", from, to).split("\0")[0] ?? "";
  const prefix = text(345, 500);
  return prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
}

/** Octal digits; or, with the first bit set, a binary number. */
function sizeOf(head: Buffer): number {
  const field = head.subarray(124, 136);
  const digits = field.toString("latin1").replace(/[\0 ]+/g, "");
  const size = ((field[0] ?? 0) & 0x80) === 0 ? Number.parseInt(digits || "0", 8) : field.readUIntBE(6, 6);
  if (!Number.isSafeInteger(size) || size < 0) throw new DamagedStream("the archive has a member of no size");
  return size;
}

/** Takes given numbers of bytes from chunks of any size. */
class Blocks {
  /** Bytes handed over so far. */
  position = 0;
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.source = source;
  }

  /** Exactly so many bytes; null at the very end. */
  async take(length: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for await (const piece of this.stream(length, true)) pieces.push(piece);
    return pieces.length === 0 && length > 0 ? null : Buffer.concat(pieces);
  }

  /** So many bytes in pieces; at the end of the archive none, where that may be. */
  async *stream(length: number, mayEnd = false): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.rest.length === 0) {
        const next = await this.source.next();
        if (next.done === true) {
          if (mayEnd && left === length) return;
          throw new DamagedStream("the archive is cut off");
        }
        // Copied: the reader uses its buffer again.
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
