/** Two ordered streams of manifest lines to one, without holding either. */

/**
 * Whole lines in, each stream ordered by path; the same in order out. A line begins with its path: as long as no path of
 * one stream goes on where one of the other ends, which folders of their own see to, lines compare as paths do. The
 * stretches between the lines of the other stream leave as they came: most are long.
 */
export async function* mergeLines(one: AsyncGenerator<Buffer>, other: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const [left, right] = [new Lines(one), new Lines(other)];
  let held: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    await left.fill();
    await right.fill();
    if (left.isEmpty && right.isEmpty) break;
    const stretch = nextStretch(left, right);
    held.push(stretch);
    bytes += stretch.length;
    if (bytes < ENOUGH) continue;
    yield Buffer.concat(held);
    [held, bytes] = [[], 0];
  }
  yield Buffer.concat(held);
}

/** Bytes worth handing on. */
const ENOUGH = 1 << 20;

function nextStretch(left: Lines, right: Lines): Buffer {
  if (left.isEmpty) return right.all();
  if (right.isEmpty) return left.all();
  return left.first.compare(right.first) < 0 ? left.before(right.first) : right.before(left.first);
}

const LINE_FEED = 10;

/** The lines of a stream that were not handed out yet, a batch at a time. */
class Lines {
  readonly #batches: AsyncGenerator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(batches: AsyncGenerator<Buffer>) {
    this.#batches = batches;
  }

  /** True at the end of the stream, once {@link fill} was called. */
  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  get first(): Buffer {
    return this.#rest.subarray(0, this.#rest.indexOf(LINE_FEED) + 1);
  }

  async fill(): Promise<void> {
    while (!this.#ended && this.isEmpty) {
      const { done, value } = await this.#batches.next();
      this.#ended = done === true;
      this.#rest = value ?? this.#rest;
    }
  }

  all(): Buffer {
    return this.#take(this.#rest.length);
  }

  /** Those of the batch that sort before `bound`, found by halving. */
  before(bound: Buffer): Buffer {
    let [from, to] = [0, this.#rest.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const begin = middle === 0 ? 0 : this.#rest.lastIndexOf(LINE_FEED, middle - 1) + 1;
      const end = this.#rest.indexOf(LINE_FEED, begin) + 1;
      if (this.#rest.subarray(begin, end).compare(bound) < 0) from = end;
      else to = begin;
    }
    return this.#take(from);
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }
}
