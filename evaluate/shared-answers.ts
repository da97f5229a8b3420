/** Answers that are shared: by all who ask at the same time, and for a short while after. A failure is never remembered. */

/** Answers remembered at once. */
const MOST = 500;

/** How much of answers is remembered at once, where they differ in size. */
interface Room<T> {
  readonly most: number;
  sizeOf(answer: T): number;
}

interface Remembered<T> {
  readonly answer: T;
  readonly until: number;
}

export class SharedAnswers<T> {
  readonly #underWay = new Map<string, Promise<T>>();
  readonly #remembered = new Map<string, Remembered<T>>();
  readonly #milliseconds: number;
  readonly #now: () => Date;
  readonly #room: Room<T>;
  #size = 0;

  constructor(milliseconds: number, now: () => Date, room: Room<T>) {
    this.#milliseconds = milliseconds;
    this.#now = now;
    this.#room = room;
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
    this.#forget(key);
    this.#remembered.set(key, { answer, until: this.#now().getTime() + this.#milliseconds });
    this.#size += this.#room.sizeOf(answer);
    while (this.#remembered.size > MOST || this.#size > this.#room.most) {
      const [oldest] = this.#remembered.keys();
      if (oldest === undefined) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#remembered.get(key);
    if (known === undefined) return;
    this.#remembered.delete(key);
    this.#size -= this.#room.sizeOf(known.answer);
  }
}
