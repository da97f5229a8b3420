/** Counts requests in windows, with the rate-limit plugin: in this process, or in Redis for all processes. */

import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Redis } from "ioredis";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Quota } from "../running/quotas.ts";
import { MemoryStore } from "./memory-store.ts";
import { connectRedis, giveUp, isReady } from "./redis.ts";

/** One more request of somebody, against one quota. */
export interface Charge {
  /** Who, and for what. */
  readonly key: string;
  readonly quota: Quota;
}

declare module "fastify" {
  interface FastifyRequest {
    /** What it is being charged: the plugin asks with the request in its hand. */
    charge: Charge | null;
  }
}

/** How a quota stands after a request was charged to it. */
export interface Standing {
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Below this name lie our keys in a Redis that others may use too; each goes when its window ends. */
const NAME_SPACE = "share:limit:";

type Limiter = ReturnType<FastifyInstance["createRateLimit"]>;

export class Counters {
  readonly #log: Effects["log"];
  #memory: Limiter | null = null;
  #shared: Limiter | null = null;
  #redis: Redis | null = null;
  #lost = false;

  private constructor(log: Effects["log"]) {
    this.#log = log;
  }

  /** Call before the app is ready. */
  static async open(app: FastifyInstance, redisUrl: string | null, log: Effects["log"]): Promise<Counters> {
    const counters = new Counters(log);
    app.decorateRequest("charge", null);
    counters.#memory = await counters.#limiter(app, { store: MemoryStore });
    if (redisUrl !== null) {
      const redis = await connectRedis(redisUrl, (error) => counters.#complain(error));
      counters.#redis = redis;
      counters.#shared = await counters.#limiter(app, { redis, nameSpace: NAME_SPACE });
    }
    return counters;
  }

  /** Counts, in Redis where one is configured and answers, in memory otherwise. */
  async count(request: FastifyRequest, charge: Charge): Promise<Standing> {
    request.charge = charge;
    if (this.#memory === null) throw new Error("the counters are not open");
    return (await this.#countShared(request)) ?? standingOf(await this.#memory(request));
  }

  close(): void {
    this.#redis?.disconnect();
  }

  async #countShared(request: FastifyRequest): Promise<Standing | null> {
    if (this.#shared === null || this.#redis === null) return null;
    if (!isReady(this.#redis)) {
      this.#complain(new Error(`the connection is not ready: ${this.#redis.status}`));
      return null;
    }
    try {
      const standing = standingOf(await this.#shared(request));
      if (this.#lost) this.#log({ level: "info", event: "redis-back" });
      this.#lost = false;
      return standing;
    } catch (error) {
      this.#complain(error);
      giveUp(this.#redis, error);
      return null;
    }
  }

  /** An instance of the plugin in a scope of its own, so that two of them do not share a store. */
  async #limiter(app: FastifyInstance, store: object): Promise<Limiter> {
    const { promise, resolve } = Promise.withResolvers<Limiter>();
    await app.register(async (scope) => {
      await scope.register(rateLimit, {
        ...store,
        global: false,
        keyGenerator: (request) => chargeOf(request).key,
        max: (request) => chargeOf(request).quota.requests,
        timeWindow: (request) => chargeOf(request).quota.seconds * 1000,
      });
      resolve(scope.createRateLimit());
    });
    return promise;
  }

  /** One line an outage, however many requests fall into it. */
  #complain(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    const message = error instanceof Error ? error.message : String(error);
    this.#log({ level: "error", event: "redis-lost", message, counting: "in the memory of this process" });
  }
}

function chargeOf({ charge }: FastifyRequest): Charge {
  if (charge === null) throw new Error("a request was counted that nothing is charged to");
  return charge;
}

function standingOf(counted: Awaited<ReturnType<Limiter>>): Standing {
  if (counted.isAllowed) throw new Error("the rate-limit plugin let a request pass uncounted");
  const { remaining, ttlInSeconds, isExceeded } = counted;
  return { remaining, resetSeconds: Math.max(1, ttlInSeconds), exceeded: isExceeded };
}
