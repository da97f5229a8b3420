/** Answers that are shared: by all who ask at the same time, and for a short while after. A failure is never remembered. */

/** Answers remembered at once. */
const MOST = 500;

interface Remembered<T> {
  readonly answer: T;
  readonly until: number;
}

export class SharedAnswers<T> {
  readonly #underWay = new Map<string, Promise<T>>();
  readonly #remembered = new Map<string, Remembered<T>>();
  readonly #milliseconds: number;
  readonly #now: () => Date;

  constructor(milliseconds: number, now: () => Date) {
    this.#milliseconds = milliseconds;
    this.#now = now;
  }

  /** The answer under `key`: one that is remembered or under way, else what `make` gives. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#remembered.get(key);
    if (known !== undefined && this.#now().getTime() < known.until) return Promise.resolve(known.answer);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const making = make().then((answer) => {
      this.#remember(key, answer);
      return answer;
    });
    this.#underWay.set(key, making);
    const done = () => this.#underWay.delete(key);
    making.then(done, done);
    return making;
  }

  /** The oldest answers go first, whether or not their time has come. */
  #remember(key: string, answer: T): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, { answer, until: this.#now().getTime() + this.#milliseconds });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MOST && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
