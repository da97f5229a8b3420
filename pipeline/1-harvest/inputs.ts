/** Reads the files of a harvest, in a fixed order, as lines, documents or members of archives. */

import type { Stats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isTar, isZip, type Member, tarMembers, zipMembers } from "../files/archives.ts";
import { DamagedStream, detectCodec, inflate } from "../files/inflate.ts";
import { readChunks } from "../files/line-batches.ts";
import type { Source } from "../sources/adapter/source.ts";
import { isBlank, measureJson, skipBlank } from "./json-text.ts";
import { DOCUMENT_BYTES } from "./limits.ts";
import type { Objection } from "./objection.ts";
import { isJsonLinesName, type Opening, openDocument } from "./opening.ts";
import { InputMissing } from "./session.ts";

export interface Input {
  readonly path: string;
  readonly size: number;
  /** Modification time in milliseconds. If it differs when an import resumes, the file has changed. */
  readonly mtime: number;
  /** Reason why the file is unreadable, or null. */
  readonly fault: string | null;
}

const SIDECAR = ".headers.json";

export async function listInputs(paths: readonly string[]): Promise<Input[]> {
  const found = new Map<string, Input>();
  for (const path of paths) {
    const entry = await statOrNull(path);
    if (entry === null) throw new InputMissing(`${path}: no such file or folder; check the path`);
    if (entry.isDirectory()) await listFolder(path, found);
    else found.set(path, makeInput(path, entry));
  }
  const inputs = [...found.values()].filter(({ path }) => !isSidecar(path, found));
  return inputs.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns the path of the file that contains the headers of a recorded response. */
export function getSidecarPath(path: string): string {
  return `${path}${SIDECAR}`;
}

function isSidecar(path: string, found: ReadonlyMap<string, Input>): boolean {
  return path.endsWith(SIDECAR) && found.has(path.slice(0, -SIDECAR.length));
}

async function listFolder(folder: string, found: Map<string, Input>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await listFolder(path, found);
      continue;
    }
    const target = await statOrNull(path);
    if (target?.isDirectory()) continue;
    found.set(
      path,
      target === null
        ? {
            path,
            size: 0,
            mtime: 0,
            fault: "a symbolic link whose target is missing; restore the target, or remove the link",
          }
        : makeInput(path, target),
    );
  }
}

function makeInput(path: string, entry: Stats): Input {
  // Pipes and devices can block for ever and cannot be resumed.
  return {
    path,
    size: entry.size,
    mtime: entry.mtimeMs,
    fault: entry.isFile()
      ? null
      : "a pipe, device or socket instead of a regular file; write the content to a file first",
  };
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ELOOP")) return null;
    throw error;
  }
}

/** Returns the decompressed members of an archive. Returns null if the file is not an archive. */
export async function readArchiveMembers(path: string, size: number): Promise<AsyncGenerator<Member> | null> {
  const chunks = plainBytes(path, 0, new Allowance(size));
  const first = await chunks.next();
  await chunks.return(undefined);
  if (first.done === true) return null;
  const allowance = new Allowance(size);
  if (isZip(first.value)) return decompressMembers(zipMembers(path), allowance);
  return isTar(first.value) ? decompressMembers(tarMembers(plainBytes(path, 0, allowance)), allowance) : null;
}

/** Decompresses the members of an archive. The limit on the decompressed size applies to all members together. */
async function* decompressMembers(members: AsyncGenerator<Member>, allowance: Allowance): AsyncGenerator<Member> {
  for await (const { name, chunks } of members) yield { name, chunks: allowance.of(decompressMember(chunks)) };
}

/** Decompresses one member of an archive if it is compressed, because many dumps are archives of compressed files. */
async function* decompressMember(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  if (first.done === true) return;
  const allChunks = withFirst(Buffer.from(first.value), chunks);
  const codec = detectCodec(first.value);
  yield* codec === null ? allChunks : inflate(allChunks, codec);
}

async function* withFirst(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

const NEWLINE = 0x0a;

/** True if the bytes are white space. The range may include a newline. */
function isBlankLine(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (!isBlank(bytes[i])) return false;
  return true;
}

/** Splits chunks into lines of limited length, with at most one line in memory. */
export class LineCutter {
  /** Number of finished lines, and the byte offset after the last one. */
  private line: number;
  private offset: number;
  private readonly limit: number;
  private carried: Buffer[] = [];
  private carriedSize = 0;
  private tooLong = false;

  constructor(start: Position, limit: number) {
    this.line = start.line;
    this.offset = start.offset;
    this.limit = limit;
  }

  get lines(): number {
    return this.line;
  }

  /**
   * Returns the lines that end in `chunk`. Use the lines before the next chunk arrives, because that chunk overwrites
   * them.
   */
  cut(chunk: Buffer): Unit[] {
    const units: Unit[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      // A file can have a hundred million blank lines.
      if (this.carriedSize === 0 && isBlankLine(chunk, start, end)) this.skipLine(end - start + 1);
      else this.endLine(chunk.subarray(start, end), 1, units);
      start = end + 1;
    }
    this.carry(chunk.subarray(start));
    return units;
  }

  end(): Unit[] {
    const units: Unit[] = [];
    if (this.carriedSize > 0) this.endLine(Buffer.alloc(0), 0, units);
    return units;
  }

  private skipLine(bytes: number): void {
    this.line += 1;
    this.offset += bytes;
  }

  private endLine(tail: Buffer, newline: number, units: Unit[]): void {
    const length = this.carriedSize + tail.length;
    const start = this.offset;
    this.line += 1;
    this.offset += length + newline;
    const after = { line: this.line, offset: this.offset };
    if (this.tooLong || length > this.limit) {
      const detail = `a line of ${length} bytes; the limit is ${this.limit}`;
      units.push({ line: this.line, start, after, objection: { reason: "too-large", detail } });
    } else {
      const bytes = this.carriedSize === 0 ? tail : Buffer.concat([...this.carried, tail]);
      // A blank line is a separator.
      if (skipBlank(bytes, 0) < bytes.length) units.push({ line: this.line, start, after, bytes });
    }
    this.carried = [];
    this.carriedSize = 0;
    this.tooLong = false;
  }

  private carry(rest: Buffer): void {
    if (rest.length === 0) return;
    this.carriedSize += rest.length;
    if (this.carriedSize > this.limit) {
      // The rest of the line is only counted.
      this.tooLong = true;
      this.carried = [];
    } else {
      // The next chunk overwrites this one.
      this.carried.push(Buffer.from(rest));
    }
  }
}

/**
 * Size in bytes of the chunks in which compressed files are read. The chunks are small, because each of them can grow a
 * thousandfold when it is decompressed.
 */
const COMPRESSED_CHUNK = 64 * 1024;

/** Reads a file in decompressed chunks. Use each chunk before the next one is requested, because its buffer is reused. */
export async function* plainBytes(path: string, start: number, allowance: Allowance): AsyncGenerator<Buffer> {
  const codec = detectCodec(await readHead(path, 4));
  if (codec === null) yield* readChunks(path, { start });
  else yield* skipBytes(allowance.of(inflate(readChunks(path, { size: COMPRESSED_CHUNK }), codec)), start);
}

async function* skipBytes(chunks: AsyncIterable<Buffer>, start: number): AsyncGenerator<Buffer> {
  let left = start;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

async function readHead(path: string, length: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(length);
    const { bytesRead } = await file.read(head, 0, length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const MEBIBYTE = 1024 * 1024;

/** Decompressed input may have at most 200 times the size of the file, plus 256 MiB. */
export const TIMES = 200;
export const MIN_INFLATED_BYTES = 256 * MEBIBYTE;

/** The decompressed input is larger than allowed. */
export class InflatesTooFar extends Error {
  readonly code = "inflates-too-far";
}

export class Allowance {
  readonly #limit: number;
  #taken = 0;

  /** Takes the size of the input file on the disk, in bytes, from which the limit after decompression is computed. */
  constructor(size: number) {
    this.#limit = MIN_INFLATED_BYTES + TIMES * size;
  }

  /**
   * Passes chunks through and adds up their sizes.
   * @throws InflatesTooFar if the sum exceeds the limit
   */
  async *of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#taken += chunk.length;
      if (this.#taken > this.#limit) {
        throw new InflatesTooFar(`the file decompresses to more than ${Math.floor(this.#limit / MEBIBYTE)} MiB`);
      }
      yield chunk;
    }
  }
}

/** A position between two lines of a decompressed file: the number of lines and of bytes before it. */
export interface Position {
  readonly line: number;
  readonly offset: number;
}

/**
 * One document of a file, or the reason why it was rejected. `line` is its line number; null if the whole file is one
 * document. `start` is the byte offset at which it begins. `after` is the position at which reading can resume after
 * this unit; null if reading can only resume after the whole file.
 */
export type Unit = {
  readonly line: number | null;
  readonly start: number;
  readonly after: Position | null;
  /** Name of the file in the archive, if the unit comes from one. */
  readonly member?: string;
} & (
  | { readonly bytes: Buffer; readonly objection?: undefined }
  | { readonly bytes?: undefined; readonly objection: Objection }
);

/**
 * Yields the documents of a file (its units) from the position `start`, in batches. `size` is the size of the file in
 * bytes. A damaged or unreadable file yields a unit with the reason.
 */
export async function* unitBatches(
  { path, size }: Pick<Input, "path" | "size">,
  start: Position,
  source: Source,
): AsyncGenerator<Unit[]> {
  let members: AsyncGenerator<Member> | null = null;
  try {
    members = await readArchiveMembers(path, size);
  } catch {
    // The reader below reports this fault.
  }
  if (members !== null) yield* archiveUnits(members, start, source);
  else yield* streamUnits(plainBytes(path, start.offset, new Allowance(size)), path, start, source);
}

/**
 * Yields the documents of all members of an archive. A position counts members instead of lines, so that reading can
 * resume between two members.
 */
async function* archiveUnits(members: AsyncGenerator<Member>, start: Position, source: Source): AsyncGenerator<Unit[]> {
  let count = 0;
  try {
    for await (const { name, chunks } of members) {
      count += 1;
      if (count <= start.line) continue;
      const after = { line: count, offset: 0 };
      yield* resumeAfterLast(after, streamUnits(chunks, name, BEGINNING, source), name);
    }
  } catch (error) {
    yield [{ line: null, start: 0, after: null, objection: toObjection(error, count, "members") }];
  } finally {
    await members.return(undefined);
  }
}

/**
 * Sets `after`, the position at which reading can resume, only on the last unit of a member, because reading cannot
 * resume within a member.
 */
async function* resumeAfterLast(
  after: Position,
  batches: AsyncGenerator<Unit[]>,
  member: string,
): AsyncGenerator<Unit[]> {
  let pending: Unit | null = null;
  for await (const units of batches) {
    const named = units.map((unit): Unit => ({ ...unit, after: null, member }));
    const last = named.pop() ?? null;
    if (last === null) continue;
    // The next chunk may overwrite the bytes of this unit.
    if (pending !== null) yield [pending];
    yield named;
    pending = last.objection === undefined ? { ...last, bytes: Buffer.from(last.bytes) } : last;
  }
  if (pending !== null) yield [{ ...pending, after }];
}

const BEGINNING: Position = { line: 0, offset: 0 };

async function* streamUnits(
  chunks: AsyncGenerator<Buffer>,
  name: string,
  start: Position,
  source: Source,
): AsyncGenerator<Unit[]> {
  const cutter = new LineCutter(start, DOCUMENT_BYTES);
  try {
    if (start.offset > 0) yield* cutChunks(Buffer.alloc(0), chunks, cutter);
    else yield* unitsOfOpening(await openDocument(chunks, isJsonLinesName(name), source), chunks, cutter);
  } catch (error) {
    yield [{ line: cutter.lines + 1, start: 0, after: null, objection: toObjection(error, cutter.lines) }];
  } finally {
    await chunks.return(undefined);
  }
}

async function* unitsOfOpening(
  opening: Opening,
  chunks: AsyncGenerator<Buffer>,
  cutter: LineCutter,
): AsyncGenerator<Unit[]> {
  const wholeFile = { line: null, start: 0, after: null };
  switch (opening.kind) {
    case "lines":
      yield* lineUnits(opening.head, chunks, cutter);
      return;
    case "rejected":
      yield [{ ...wholeFile, objection: opening.objection }];
      return;
    case "document":
      // If only the checksum is missing, the document is complete.
      if (opening.damage === null || measureJson(opening.bytes).closed) yield [{ ...wholeFile, bytes: opening.bytes }];
      if (opening.damage !== null) yield [{ ...wholeFile, objection: toObjection(opening.damage, 0) }];
      return;
    default:
      opening satisfies never;
  }
}

async function* lineUnits(head: Buffer, chunks: AsyncGenerator<Buffer>, cutter: LineCutter): AsyncGenerator<Unit[]> {
  let found = 0;
  for await (const units of cutChunks(head, chunks, cutter)) {
    found += units.length;
    yield units;
  }
  const objection: Objection = { reason: "empty", detail: "a file with only blank lines" };
  if (found === 0) yield [{ line: null, start: 0, after: null, objection }];
}

async function* cutChunks(head: Buffer, chunks: AsyncGenerator<Buffer>, cutter: LineCutter): AsyncGenerator<Unit[]> {
  yield cutter.cut(head);
  for await (const chunk of chunks) yield cutter.cut(chunk);
  yield cutter.end();
}

/**
 * Returns why a damaged or unreadable file is rejected. `before` is the number of lines or members that were read.
 * Throws any other error again.
 */
function toObjection(error: unknown, before: number, what = "lines"): Objection {
  if (error instanceof DamagedStream) {
    return {
      reason: "truncated",
      detail: `${error.message}, after ${before} complete ${what}. Copy or download the file again`,
    };
  }
  if (error instanceof InflatesTooFar) {
    return {
      reason: "too-large",
      detail: `${error.message}, after ${before} complete ${what}. Decompress the file, and harvest the result`,
    };
  }
  if (error instanceof Error && "syscall" in error && "code" in error) {
    return {
      reason: "unreadable",
      detail: `a file that cannot be read (${error.code}) after ${before} complete ${what}; check its permissions and its disk`,
    };
  }
  throw error;
}
