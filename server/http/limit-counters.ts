/** Counts requests in windows, with the rate-limit plugin: in this process, or in Redis for all processes. */

import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Redis, ReplyError } from "ioredis";
import { z } from "zod";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Quota } from "./poll.ts";

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

interface Window {
  count: number;
  /** By the clock that only goes forward, in milliseconds. */
  readonly began: number;
}

/** Callers remembered; those unseen for longest give way. About 20 MB. */
const MOST_CALLERS = 100_000;

type Counted = (error: Error | null, result?: { readonly current: number; readonly ttl: number }) => void;

/** Counts of one process for the rate-limit plugin, by a clock that nobody sets: the plugin's own keeps limits for as long as the system's clock goes back. */
export class MemoryStore {
  /** In the order in which they were last seen. */
  readonly #windows = new Map<string, Window>();

  incr(key: string, counted: Counted, milliseconds: number): void {
    // Whole milliseconds: what is left would be a hair more than the window otherwise, and a second more in seconds.
    const now = Math.floor(performance.now());
    const known = this.#windows.get(key);
    const window = known !== undefined && now < known.began + milliseconds ? known : { count: 0, began: now };
    window.count += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_CALLERS && oldest !== undefined) this.#windows.delete(oldest);
    counted(null, { current: window.count, ttl: window.began + milliseconds - now });
  }

  child(): MemoryStore {
    return this;
  }
}

const CONNECT_MILLISECONDS = 2000;
/** A command that took longer would be felt; memory answers instead. */
const COMMAND_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 2000;

class RedisUrlError extends Error {
  readonly code = "ERR_REDIS_URL";
  constructor() {
    super("REDIS_URL is no address of a Redis; write redis://host:6379, or rediss:// for TLS");
    this.name = "RedisUrlError";
  }
}

const redisUrl = z.url({ protocol: /^rediss?$/ });

/**
 * Connects, and goes on trying for as long as it takes; returns after the first try, whatever came of it.
 * @throws RedisUrlError for what is no address of a Redis; the value, which may hold a password, is not repeated
 */
async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
  if (!redisUrl.safeParse(url).success) throw new RedisUrlError();
  const client = new Redis(url, {
    lazyConnect: true,
    connectionName: "share-release",
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: COMMAND_MILLISECONDS,
    // While it is away commands fail at once, and none is sent again: it would count twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(100 * tries, LONGEST_PAUSE_MILLISECONDS),
  });
  client.on("error", onError);
  await client.connect().catch(onError);
  return client;
}

/** Those whose connection was given up and has not closed yet. They still call themselves ready. */
const leaving = new WeakSet<Redis>();

/** Whether asking is of use. */
function isReady(client: Redis): boolean {
  return client.status === "ready" && !leaving.has(client);
}

/**
 * A connection that does not answer is given up, so that the next requests do not wait for it too. However many waited for
 * it, it is closed once.
 */
function giveUp(client: Redis, error: unknown): void {
  if (!isReady(client) || error instanceof ReplyError) return;
  leaving.add(client);
  client.once("close", () => leaving.delete(client));
  client.disconnect(true);
}
