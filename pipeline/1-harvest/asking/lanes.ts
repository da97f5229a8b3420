/** One lane to each host: its rate, and how many requests may be under way at once. */

import pLimit, { type LimitFunction } from "p-limit";
import type { Source } from "../../sources/adapter/source.ts";
import type { Effects } from "../../stage/effects.ts";
import { RateLimit } from "./rate.ts";

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
