/** Reads the members of a tar archive as a stream (POSIX.1-2008, pax; the older forms are read too). */

import { withoutEnd } from "../vocabularies/ends.ts";
import { DamagedStream } from "./inflate.ts";
import type { Member } from "./zip.ts";

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
