/** Pieces of an answer that let something go when they end, however they end: read out, failed, or left before the first of them. */

import type { Pieces } from "./answer.ts";

/** `end` is called once. A generator of its own would not hear of a reader who never began. */
export function endingWith(pieces: Pieces, end: () => void): Pieces {
  let ended = false;
  const over = () => {
    if (!ended) end();
    ended = true;
  };
  const asked = async (answer: Promise<IteratorResult<string | Uint8Array, void>>) => {
    try {
      const result = await answer;
      if (result.done) over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  };
  const left = async (leave: () => Promise<IteratorResult<string | Uint8Array, void>>) => {
    // First: it ends what the pieces are waiting for.
    over();
    return leave();
  };
  return {
    next: () => asked(pieces.next()),
    return: () => left(() => pieces.return()),
    throw: (error: unknown) => left(() => pieces.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: () => left(() => pieces.return()).then(() => {}),
  };
}
