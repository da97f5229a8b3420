/** Numbers of rows by filter: a release never changes, so that one count serves all pages of a list. */

/** A total is a few hundred bytes with its key. */
const MOST = 10_000;

export class Totals {
  readonly #totals = new Map<string, Promise<number>>();
  readonly #most: number;

  /** `most`: filters remembered. */
  constructor(most = MOST) {
    this.#most = most;
  }

  /** The total under a key, counted the first time. Requests at the same time share one count; a failed one is forgotten. */
  of(key: string, count: () => Promise<number>): Promise<number> {
    const total = this.#totals.get(key) ?? this.#begin(key, count);
    // A map keeps the order of insertion: the last used goes to its end, and the first is the oldest.
    this.#totals.delete(key);
    this.#totals.set(key, total);
    for (const oldest of this.#totals.keys()) {
      if (this.#totals.size <= this.#most) break;
      this.#totals.delete(oldest);
    }
    return total;
  }

  #begin(key: string, count: () => Promise<number>): Promise<number> {
    const total = count();
    total.catch(() => this.#totals.delete(key));
    return total;
  }
}
