/** Merge joins over ordered streams: rows of several tables, key by key, never more than a batch of each in memory. */

import type { Cell } from "../engine/open.ts";

/** Hands out the rows of a stream that is ordered by its first column, group by group. */
export class Cursor {
  readonly #batches: AsyncGenerator<Cell[][]>;
  #batch: Cell[][] = [];
  #next = 0;
  #ended = false;

  constructor(batches: AsyncGenerator<Cell[][]>) {
    this.#batches = batches;
  }

  /** The rows whose first column is `key`; keys must be asked for in the order of the stream. Skips smaller keys. */
  async take(key: string): Promise<Cell[][]> {
    const rows: Cell[][] = [];
    for (;;) {
      // A batch is worked off without waiting; only its end needs the next one.
      while (this.#next < this.#batch.length) {
        const row = this.#batch[this.#next];
        const rowKey = row?.[0];
        if (row === undefined || typeof rowKey !== "string" || rowKey > key) return rows;
        if (rowKey === key) rows.push(row);
        this.#next += 1;
      }
      if (this.#ended) return rows;
      const more = await this.#batches.next();
      this.#ended = more.done === true;
      this.#batch = more.done === true ? [] : more.value;
      this.#next = 0;
    }
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}
