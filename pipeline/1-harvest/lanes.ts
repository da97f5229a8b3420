/** One lane to each host: its rate, and how many requests may be under way at once. */

import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import type { Rate, Source } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";

export interface Lane {
  readonly rate: RateLimit;
  readonly run: LimitFunction;
}

export class Lanes {
  private readonly source: Source;
  private readonly effects: Effects;
  private readonly stopped: AbortSignal;
  private readonly lanes = new Map<string, Lane>();

  constructor(source: Source, effects: Effects, stopped: AbortSignal) {
    this.source = source;
    this.effects = effects;
    this.stopped = stopped;
  }

  /** The lane of a host, such as api.figshare.com. */
  of(host: string): Lane {
    const known = this.lanes.get(host);
    if (known !== undefined) return known;
    const rate = new RateLimit(this.source.rate, this.effects, this.stopped);
    const lane = { rate, run: pLimit(this.source.concurrency ?? 1) };
    this.lanes.set(host, lane);
    return lane;
  }
}

/** Keeps requests below a service's documented rate: a token bucket whose burst is small and counted in. */
class RateLimit {
  private readonly burst: number;
  /** Tokens a millisecond; the burst is taken off, so that no window of the rate ever holds more than it allows. */
  private readonly refill: number;
  private readonly effects: Effects;
  /** Ends every wait. */
  private readonly stopped: AbortSignal;
  private tokens: number;
  private last: number;
  /** Who comes waits for those before: turns are taken one after the other. */
  private tail: Promise<void> = Promise.resolve();

  constructor(rate: Rate, effects: Effects, stopped: AbortSignal) {
    this.stopped = stopped;
    this.burst = Math.max(1, Math.floor(rate.requests / 10));
    this.refill = Math.max(1, rate.requests - this.burst) / (rate.seconds * 1000);
    this.effects = effects;
    this.tokens = this.burst;
    this.last = effects.now().getTime();
  }

  /** Resolves when the next request may go out. */
  take(): Promise<void> {
    return this.queue(() => this.takeOne());
  }

  /** Holds back every request to come for so many milliseconds; resolves when they have passed. */
  pause(milliseconds: number): Promise<void> {
    return this.queue(() => this.effects.sleep(milliseconds, this.stopped));
  }

  private queue(turn: () => Promise<void>): Promise<void> {
    const taken = this.tail.then(turn);
    // A turn that failed has told whoever waited for it.
    this.tail = taken.catch(() => {});
    return taken;
  }

  private async takeOne(): Promise<void> {
    const now = this.effects.now().getTime();
    const elapsed = Math.max(0, now - this.last);
    this.tokens = Math.min(this.burst, this.tokens + elapsed * this.refill);
    this.last = Math.max(this.last, now);
    if (this.tokens < 1) {
      const wait = (1 - this.tokens) / this.refill;
      await this.effects.sleep(wait, this.stopped);
      this.last += wait;
      this.tokens = 1;
    }
    this.tokens -= 1;
  }
}
