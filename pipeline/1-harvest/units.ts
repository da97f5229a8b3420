/** Cuts one input file into documents: its lines where it is JSON Lines, else the whole of it. */

import { DamagedStream } from "../raw/inflate.ts";
import type { Source } from "../sources/source.ts";
import { measureJson } from "./json-measure.ts";
import { DOCUMENT_BYTES } from "./limits.ts";
import { LineCutter } from "./line-cutter.ts";
import type { Objection } from "./not-json.ts";
import { isNamedLines, type Opening, openDocument } from "./opening.ts";
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
export type Unit = { readonly line: number | null; readonly start: number; readonly after: Position | null } & (
  | { readonly bytes: Buffer; readonly objection?: undefined }
  | { readonly objection: Objection }
);

/** Batches of units from `start` on. Faults of the file itself come as units too. */
export async function* unitBatches(path: string, start: Position, source: Source): AsyncGenerator<Unit[]> {
  const chunks = plainBytes(path, start.offset);
  const cutter = new LineCutter(start, DOCUMENT_BYTES);
  try {
    if (start.offset > 0) yield* batches(Buffer.alloc(0), chunks, cutter);
    else yield* opened(await openDocument(chunks, isNamedLines(path), source), chunks, cutter);
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
function faultOf(error: unknown, linesBefore: number): Objection {
  if (error instanceof DamagedStream) {
    return { reason: "truncated", detail: `${error.message}; ${linesBefore} whole lines came before` };
  }
  if (error instanceof Error && "syscall" in error && "code" in error) {
    return { reason: "unreadable", detail: `${error.code} after ${linesBefore} lines` };
  }
  throw error;
}
