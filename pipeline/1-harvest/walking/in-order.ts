/** Runs work on many items, some at once, and hands the results over in the order of the items. */

/** At most `ahead` items are begun before the first unfinished one is handed over; the first failure ends it. */
export async function* inOrder<T, R>(
  items: readonly T[],
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  let next = 0;
  for (;;) {
    while (next < items.length && begun.length < ahead) {
      const [item] = items.slice(next, next + 1);
      next += 1;
      if (item === undefined) continue;
      const result = work(item);
      // Waited for in its turn; until then its failure is not unheard.
      result.catch(() => {});
      begun.push(result);
    }
    const first = begun.shift();
    if (first === undefined) return;
    yield await first;
  }
}
