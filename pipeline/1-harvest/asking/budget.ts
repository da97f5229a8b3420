/** The budget of one run at a service: requests and minutes, where the operator set bounds. */

import { plural } from "../../../pipeline/reading/plural.ts";
import type { Effects } from "../../stage/effects.ts";
import { BudgetSpent } from "../session/errors.ts";

export interface Bounds {
  /** Requests of this run, further tries and redirects included; null for no bound. */
  readonly requests: number | null;
  readonly minutes: number | null;
}

export const NO_BOUNDS: Bounds = { requests: null, minutes: null };

export class Budget {
  private readonly bounds: Bounds;
  private readonly effects: Effects;
  private readonly began: number;

  constructor(bounds: Bounds, effects: Effects) {
    this.bounds = bounds;
    this.effects = effects;
    this.began = effects.now().getTime();
  }

  /** Throws {@link BudgetSpent} where one more request than `sent` would be too much. */
  check(sent: number): void {
    const { requests, minutes } = this.bounds;
    if (requests !== null && sent >= requests) {
      throw new BudgetSpent(
        `stopped after ${plural(requests, "request")}, as asked; the same command goes on from there`,
      );
    }
    if (minutes !== null && this.effects.now().getTime() - this.began >= minutes * 60_000) {
      throw new BudgetSpent(
        `stopped after ${plural(minutes, "minute")}, as asked; the same command goes on from there`,
      );
    }
  }
}
