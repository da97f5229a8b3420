/** Cuts one input file into documents: its lines where it is JSON Lines, else the whole of it. */

import { DamagedStream } from "../../files/inflate.ts";
import type { Member } from "../../files/zip.ts";
import type { Source } from "../../sources/adapter/source.ts";
import { measureJson } from "../documents/json-measure.ts";
import { DOCUMENT_BYTES } from "../documents/limits.ts";
import type { Objection } from "../documents/not-json.ts";
import { isNamedLines, type Opening, openDocument } from "../documents/opening.ts";
import { Allowance, InflatesTooFar } from "./allowance.ts";
import { membersOf } from "./archive.ts";
import type { Input } from "./inputs.ts";
import { LineCutter } from "./line-cutter.ts";
import { plainBytes } from "./plain-bytes.ts";

/** A place between two lines of the decompressed file: how many came before, and how many bytes. */
export interface Position {
  readonly line: number;
  readonly offset: number;
}

/**
 * One document, or why there is none. `line` is null where the file is one document; `start` is its first byte;
 * `after` is where reading can go on, null where only the end of the file will do.
 */
export type Unit = {
  readonly line: number | null;
  readonly start: number;
  readonly after: Position | null;
  /** Name of the file within an archive. */
  readonly member?: string;
} & ({ readonly bytes: Buffer; readonly objection?: undefined } | { readonly objection: Objection });

/** Batches of units of a file of `size` bytes from `start` on. Faults of the file itself come as units too. */
export async function* unitBatches(
  { path, size }: Pick<Input, "path" | "size">,
  start: Position,
  source: Source,
): AsyncGenerator<Unit[]> {
  let members: AsyncGenerator<Member> | null = null;
  try {
    members = await membersOf(path, size);
  } catch {
    // What is wrong with it is said where it is read.
  }
  if (members !== null) yield* archived(members, start, source);
  else yield* streamed(plainBytes(path, start.offset, new Allowance(size)), path, start, source);
}

/** Of an archive, a place between two members is where reading can go on: `line` counts members. */
async function* archived(members: AsyncGenerator<Member>, start: Position, source: Source): AsyncGenerator<Unit[]> {
  let count = 0;
  try {
    for await (const { name, chunks } of members) {
      count += 1;
      if (count <= start.line) continue;
      const after = { line: count, offset: 0 };
      yield* endingAt(after, streamed(chunks, name, BEGINNING, source), name);
    }
  } catch (error) {
    yield [{ line: null, start: 0, after: null, objection: faultOf(error, count, "members") }];
  } finally {
    await members.return(undefined);
  }
}

/** Only the last unit of a member is a place to go on from. */
async function* endingAt(after: Position, batches: AsyncGenerator<Unit[]>, member: string): AsyncGenerator<Unit[]> {
  let held: Unit | null = null;
  for await (const units of batches) {
    const named = units.map((unit): Unit => ({ ...unit, after: null, member }));
    const last = named.pop() ?? null;
    if (last === null) continue;
    // Its bytes may be gone with the next chunk.
    if (held !== null) yield [held];
    yield named;
    held = last.objection === undefined ? { ...last, bytes: Buffer.from(last.bytes) } : last;
  }
  if (held !== null) yield [{ ...held, after }];
}

const BEGINNING: Position = { line: 0, offset: 0 };

async function* streamed(
  chunks: AsyncGenerator<Buffer>,
  name: string,
  start: Position,
  source: Source,
): AsyncGenerator<Unit[]> {
  const cutter = new LineCutter(start, DOCUMENT_BYTES);
  try {
    if (start.offset > 0) yield* batches(Buffer.alloc(0), chunks, cutter);
    else yield* opened(await openDocument(chunks, isNamedLines(name), source), chunks, cutter);
  } catch (error) {
    yield [{ line: cutter.lines + 1, start: 0, after: null, objection: faultOf(error, cutter.lines) }];
  } finally {
    await chunks.return(undefined);
  }
}

async function* opened(opening: Opening, chunks: AsyncGenerator<Buffer>, cutter: LineCutter): AsyncGenerator<Unit[]> {
  const whole = { line: null, start: 0, after: null };
  switch (opening.kind) {
    case "lines":
      yield* lines(opening.head, chunks, cutter);
      return;
    case "refused":
      yield [{ ...whole, objection: opening.objection }];
      return;
    case "document":
      // Only the checksum may have been cut off: then the document itself is whole.
      if (opening.damage === null || measureJson(opening.bytes).closed) yield [{ ...whole, bytes: opening.bytes }];
      if (opening.damage !== null) yield [{ ...whole, objection: faultOf(opening.damage, 0) }];
      return;
    default:
      opening satisfies never;
  }
}

async function* lines(head: Buffer, chunks: AsyncGenerator<Buffer>, cutter: LineCutter): AsyncGenerator<Unit[]> {
  let found = 0;
  for await (const units of batches(head, chunks, cutter)) {
    found += units.length;
    yield units;
  }
  const objection: Objection = { reason: "empty", detail: "nothing but blank lines" };
  if (found === 0) yield [{ line: null, start: 0, after: null, objection }];
}

async function* batches(head: Buffer, chunks: AsyncGenerator<Buffer>, cutter: LineCutter): AsyncGenerator<Unit[]> {
  yield cutter.cut(head);
  for await (const chunk of chunks) yield cutter.cut(chunk);
  yield cutter.end();
}

/** A cut archive or a file that cannot be read is recorded; anything else is our own fault and must be seen. */
function faultOf(error: unknown, before: number, what = "lines"): Objection {
  if (error instanceof DamagedStream) {
    return { reason: "truncated", detail: `${error.message}; ${before} whole ${what} came before` };
  }
  if (error instanceof InflatesTooFar) {
    return { reason: "too-large", detail: `${error.message}; ${before} whole ${what} came before` };
  }
  if (error instanceof Error && "syscall" in error && "code" in error) {
    return { reason: "unreadable", detail: `${error.code} after ${before} ${what}` };
  }
  throw error;
}
