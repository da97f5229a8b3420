/** A service asked for single records, now and then, and nothing kept: its rate holds over all of them. */

import type { AskOptions, Source } from "../../sources/adapter/source.ts";
import type { Effects } from "../../stage/effects.ts";
import { Caller, HTTP_LIMITS, type HttpLimits } from "../asking/ask.ts";
import { Budget, NO_BOUNDS } from "../asking/budget.ts";
import { AllowedHosts } from "../asking/hosts.ts";
import { userAgent } from "../asking/user-agent.ts";
import { type Fetched, RecordFetch } from "./fetch-record.ts";

export interface OneRecordOptions extends AskOptions {
  /** Allows `base` to be any address: for tests on loopback. */
  readonly allowPrivate: boolean;
  readonly limits: Partial<HttpLimits>;
}

/** People wait for these answers: more of them at once than of a walk, at the same rate. */
export const CONCURRENCY = 4;

export class OneRecordService {
  readonly #records: RecordFetch;
  readonly #caller: Caller;

  constructor(source: Source, { base, contact, allowPrivate, limits }: OneRecordOptions, effects: Effects) {
    const hosts = new AllowedHosts(source, { base, installations: [], allowPrivate });
    const asked = { ...source, concurrency: Math.max(CONCURRENCY, source.concurrency ?? 1) };
    const budget = new Budget(NO_BOUNDS, effects);
    const options = { hosts, agent: userAgent(contact), limits: { ...HTTP_LIMITS, ...limits }, budget };
    this.#caller = new Caller(asked, options, effects);
    this.#records = new RecordFetch(source, this.#caller, { base, contact }, effects.now);
  }

  /** The record with this id; a failure of the service itself is thrown. */
  byId(sourceId: string): Promise<Fetched> {
    return this.#records.byId(sourceId);
  }

  /** Ends what is under way. */
  stop(): void {
    this.#caller.stop();
  }
}
