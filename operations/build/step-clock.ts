/** How long each step of a build took. */

/** A step that was run, in seconds. */
export interface TimedStep {
  readonly step: string;
  readonly seconds: number;
}

export class StepClock {
  readonly #now: () => Date;
  readonly #began: number;
  readonly #steps: TimedStep[] = [];

  constructor(now: () => Date) {
    this.#now = now;
    this.#began = now().getTime();
  }

  /** Runs a step and notes how long it took. */
  async time<T>(step: string, work: () => Promise<T>): Promise<T> {
    const began = this.#now().getTime();
    const result = await work();
    this.#steps.push({ step, seconds: this.#since(began) });
    return result;
  }

  /** The steps so far, in order, and the seconds since the clock began, which are also of what lies between steps. */
  taken(): { readonly steps: readonly TimedStep[]; readonly seconds: number } {
    return { steps: [...this.#steps], seconds: this.#since(this.#began) };
  }

  /** The clock of a machine may be set back meanwhile. */
  #since(began: number): number {
    return Math.max(0, this.#now().getTime() - began) / 1000;
  }
}
