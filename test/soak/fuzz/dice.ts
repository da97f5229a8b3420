/** Random numbers from a seed (mulberry32). The same seed gives the same numbers. */

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to 1 (exclusive). All numbers are equally probable. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to `limit` (exclusive). */
  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  of<T>(things: readonly T[]): T {
    const thing = things[this.below(things.length)];
    if (thing === undefined) throw new Error("the list to choose from is empty");
    return thing;
  }

  /** Returns true once in `times` calls on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
}
