/** Two ordered streams of manifest lines to one, without holding either. */

/**
 * Batches of lines in, each stream ordered by path; text in order out. A line begins with its path: as long as no path
 * of one stream goes on where one of the other ends, which folders of their own see to, lines compare as paths do.
 */
export async function* mergeLines(
  one: AsyncGenerator<string[]>,
  other: AsyncGenerator<string[]>,
): AsyncGenerator<string> {
  const left = new Lines(one);
  const right = new Lines(other);
  for (;;) {
    await left.fill();
    await right.fill();
    if (left.first === undefined) {
      if (right.first === undefined) return;
      yield right.all();
    } else if (right.first === undefined) yield left.all();
    else if (left.first < right.first) yield left.before(right.first);
    else yield right.before(left.first);
  }
}

/** The lines of a stream that were not handed out yet, a batch at a time. */
class Lines {
  readonly #batches: AsyncGenerator<string[]>;
  #batch: string[] = [];
  #next = 0;
  #ended = false;

  constructor(batches: AsyncGenerator<string[]>) {
    this.#batches = batches;
  }

  /** Undefined at the end of the stream; call {@link fill} before. */
  get first(): string | undefined {
    return this.#batch[this.#next];
  }

  async fill(): Promise<void> {
    while (!this.#ended && this.#next >= this.#batch.length) {
      const { done, value } = await this.#batches.next();
      this.#ended = done === true;
      this.#batch = value ?? [];
      this.#next = 0;
    }
  }

  all(): string {
    const text = this.#batch.slice(this.#next).join("");
    this.#next = this.#batch.length;
    return text;
  }

  /** Those of the batch that sort before `bound`: found by halving, since most stretches are long. */
  before(bound: string): string {
    let [from, to] = [this.#next, this.#batch.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#batch[middle] ?? "") < bound) from = middle + 1;
      else to = middle;
    }
    const text = this.#batch.slice(this.#next, from).join("");
    this.#next = from;
    return text;
  }
}
