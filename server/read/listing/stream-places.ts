/** Places for streams of whole lists: each reads a list from end to end, so that only a few go on at a time, and fewer for one caller. */

import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Caller } from "../../frame/reading/caller.ts";

/** Streams at a time, of all callers and of one. */
export const STREAM_PLACES = { all: 16, each: 2 } as const;

export class StreamPlaces {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * Takes a place; what it gives lets the place go.
   * @throws ProblemError `rate-limited` for a caller who has as many as there are for one, `overloaded` where all are taken
   */
  take({ kind, id }: Caller): () => void {
    const caller = `${kind} ${id}`;
    const own = this.#taken.get(caller) ?? 0;
    if (own >= STREAM_PLACES.each) {
      throw new ProblemError(
        "rate-limited",
        `A caller may read ${STREAM_PLACES.each} whole lists at a time; try again when one is read.`,
        { headers: { "retry-after": "10" } },
      );
    }
    if (this.#all >= STREAM_PLACES.all) {
      throw new ProblemError("overloaded", "As many whole lists as may be read at a time are being read; try again.", {
        headers: { "retry-after": "10" },
      });
    }
    this.#all += 1;
    this.#taken.set(caller, own + 1);
    return () => this.#leave(caller);
  }

  #leave(caller: string): void {
    this.#all -= 1;
    const left = (this.#taken.get(caller) ?? 1) - 1;
    if (left > 0) this.#taken.set(caller, left);
    else this.#taken.delete(caller);
  }
}
