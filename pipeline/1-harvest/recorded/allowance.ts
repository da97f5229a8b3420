/** A bound on what may come out of a compressed input: bombs within bombs give a million times their size, and dumps some ten times. */

const MEBIBYTE = 1024 * 1024;

/** Beyond any dump's ratio; small files may be as repetitive as they like. */
export const TIMES = 200;
export const LEAST = 256 * MEBIBYTE;

/** More came out than is read of it. */
export class InflatesTooFar extends Error {
  readonly code = "inflates-too-far";
}

export class Allowance {
  readonly #limit: number;
  #taken = 0;

  /** For an input of `size` bytes as it lies there. */
  constructor(size: number) {
    this.#limit = LEAST + TIMES * size;
  }

  /** The same chunks, which all count; throws {@link InflatesTooFar}. */
  async *of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#taken += chunk.length;
      if (this.#taken > this.#limit) {
        throw new InflatesTooFar(`it holds more than ${Math.floor(this.#limit / MEBIBYTE)} MiB once decompressed`);
      }
      yield chunk;
    }
  }
}
