/** Things that were read, until too many others were: nothing of a release ever changes. */

export class Kept<Value> {
  readonly #values = new Map<string, Promise<Value>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reads it if it is not here; a failure is not kept. */
  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const found = this.#values.get(key) ?? read();
    // The one that was asked for last comes last.
    this.#values.delete(key);
    this.#values.set(key, found);
    found.catch(() => this.#values.delete(key));
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > this.#most) this.#values.delete(oldest);
    return found;
  }
}
