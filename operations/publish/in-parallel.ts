/** Many pieces of work, so many at once, as they come. */

import pLimit from "p-limit";

/**
 * Does `work` on every item of every batch, at most `most` at a time; no more than one batch is in memory. After a
 * failure nothing new is begun, and the first failure is thrown once the rest has ended.
 */
export async function inParallel<T>(
  batches: AsyncIterable<readonly T[]>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(most);
  let failed = false;
  const one = async (item: T) => {
    if (failed) return;
    await work(item).catch((error: unknown) => {
      failed = true;
      throw error;
    });
  };
  for await (const batch of batches) {
    const results = await Promise.allSettled(batch.map((item) => limit(one, item)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }
}

/** Items in batches of so many. */
export async function* batched<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
