/** One measure of the whole command, from what stages say one after the other: how far it is, how fast, how long it takes yet. */

import type { Progress } from "../../pipeline/stage/effects.ts";
import type { BarState } from "./bar-line.ts";

/** The stages of a command with the part of its time each takes, as measured; the parts add up to 1. */
export type Plan = Readonly<Record<string, number>>;

/** The plan of a build, measured on ten thousand generated records. */
export const BUILD_PLAN: Plan = { normalise: 0.3, score: 0.05, aggregate: 0.2, render: 0.3, release: 0.15 };

/** The plan of `verify --rescore`: what comes before it takes about as long. */
export const RESCORE_PLAN: Plan = { verify: 0.25, tables: 0.25, rescore: 0.5 };

/** Before this many seconds a rate, or a time left, would be a guess from a moment. */
const SETTLED = 2;

interface Stage {
  readonly name: string;
  readonly began: number;
  /** What it had done when it was first heard of: work taken over is no work of this run. */
  readonly first: number;
}

export class WholeProgress {
  readonly #plan: Plan | null;
  readonly #began: number;
  #stage: Stage | null = null;
  #fraction = 0;

  /** `now` in seconds; without a plan each stage is a whole of its own. */
  constructor(plan: Plan | null, now: number) {
    this.#plan = plan;
    this.#began = now;
  }

  /** How it stands after a stage said this. */
  next(progress: Progress, now: number): BarState {
    const { stage: name, step, done, total, unit } = progress;
    if (this.#stage?.name !== `${name} ${unit}`) this.#stage = { name: `${name} ${unit}`, began: now, first: done };
    const { began, first } = this.#stage;
    const fraction = this.#fractionOf(progress);
    const elapsed = now - this.#began;
    const rate = now - began >= SETTLED && done > first ? (done - first) / (now - began) : null;
    const left = this.#leftAt({ fraction, elapsed, rate, done, total });
    return { label: this.#label(name, step), fraction, done, total, unit, rate, elapsed, left };
  }

  /** Never goes back: stages tell of themselves in their own ways. */
  #fractionOf({ stage, done, total }: Progress): number | null {
    const share = total === null ? null : Math.min(1, done / Math.max(total, 1));
    if (this.#plan === null) return share;
    const names = Object.keys(this.#plan);
    const before = names.slice(0, Math.max(0, names.indexOf(stage))).reduce((sum, each) => sum + this.#part(each), 0);
    this.#fraction = Math.max(this.#fraction, before + this.#part(stage) * (share ?? 0));
    return this.#fraction;
  }

  #part(stage: string): number {
    return this.#plan?.[stage] ?? 0;
  }

  #leftAt({
    fraction,
    elapsed,
    rate,
    done,
    total,
  }: Pick<BarState, "fraction" | "elapsed" | "rate" | "done" | "total">) {
    if (fraction === null || elapsed < SETTLED) return null;
    if (this.#plan === null) return rate === null || total === null ? null : (total - done) / rate;
    return fraction < 0.02 ? null : (elapsed * (1 - fraction)) / fraction;
  }

  #label(stage: string, step: string): string {
    if (this.#plan === null) return `${stage} ${step}`;
    const names = Object.keys(this.#plan);
    const index = names.indexOf(stage);
    return index < 0 ? stage : `${index + 1}/${names.length} ${stage}`;
  }
}
