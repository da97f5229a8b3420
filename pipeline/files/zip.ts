/** Reads the members of a ZIP archive one by one, however many and large (APPNOTE.TXT 6.3, ZIP64 included). */

import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
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
