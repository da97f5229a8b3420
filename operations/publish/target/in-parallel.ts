/** Many pieces of work, so many at once, as they come. */

/**
 * Does `work` on every item, at most `most` at a time; no more items than that are in memory. After a failure nothing new is
 * begun, and the first failure is thrown once the rest has ended.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = inTurn(items);
  let stopped = false;
  const one = async () => {
    for (let next = await iterator.next(); next.done !== true && !stopped; next = await iterator.next()) {
      await work(next.value).catch((error: unknown) => {
        stopped = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.max(1, most) }, one));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function* inTurn<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
