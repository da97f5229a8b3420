/** A stream of bytes cut where lines end, the bytes as they are. */

const LINE_FEED = 0x0a;

/** Whole lines with their line feeds, as many as each chunk completes; every line ends with one. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const lines = Buffer.concat([rest, chunk]);
    const end = lines.lastIndexOf(LINE_FEED) + 1;
    rest = lines.subarray(end);
    yield lines.subarray(0, end);
  }
}
