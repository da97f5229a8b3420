/** Counts of one process for the rate-limit plugin, by a clock that nobody sets: the plugin's own keeps limits for as long as the system's clock goes back. */

interface Window {
  count: number;
  /** By the clock that only goes forward, in milliseconds. */
  readonly began: number;
}

/** Callers remembered; those unseen for longest give way. About 20 MB. */
const MOST_CALLERS = 100_000;

type Counted = (error: Error | null, result?: { readonly current: number; readonly ttl: number }) => void;

export class MemoryStore {
  /** In the order in which they were last seen. */
  readonly #windows = new Map<string, Window>();

  incr(key: string, counted: Counted, milliseconds: number): void {
    // Whole milliseconds: what is left would be a hair more than the window otherwise, and a second more in seconds.
    const now = Math.floor(performance.now());
    const known = this.#windows.get(key);
    const window = known !== undefined && now < known.began + milliseconds ? known : { count: 0, began: now };
    window.count += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_CALLERS && oldest !== undefined) this.#windows.delete(oldest);
    counted(null, { current: window.count, ttl: window.began + milliseconds - now });
  }

  child(): MemoryStore {
    return this;
  }
}
