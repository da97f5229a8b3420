/** The steps of a stage's SQL: each is told when it begins, and where the engine knows how far it is within it. */

import type { Effects } from "./effects.ts";

export class StepProgress {
  readonly #stage: string;
  readonly #total: number;
  readonly #effects: Effects;
  #begun = 0;
  #step = "";

  constructor(stage: string, total: number, effects: Effects) {
    this.#stage = stage;
    this.#total = total;
    this.#effects = effects;
  }

  begin(step: string): void {
    this.#step = step;
    this.#begun += 1;
    this.share(0);
  }

  /** Tells that so much of the step is done, 0 to 1; a function of its own, to be handed on. */
  readonly share = (share: number): void => {
    const done = Math.max(0, this.#begun - 1 + share);
    this.#effects.progress({ stage: this.#stage, step: this.#step, done, total: this.#total, unit: "steps" });
  };
}
