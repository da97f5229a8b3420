/** A connection to Redis that never makes a request wait: either it answers at once, or it is said to be away. */

import { Redis, ReplyError } from "ioredis";
import { z } from "zod";

const CONNECT_MILLISECONDS = 2000;
/** A command that took longer would be felt; memory answers instead. */
const COMMAND_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 2000;

export class RedisUrlError extends Error {
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
export async function connectRedis(url: string, onError: (error: unknown) => void): Promise<Redis> {
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
export function isReady(client: Redis): boolean {
  return client.status === "ready" && !leaving.has(client);
}

/**
 * A connection that does not answer is given up, so that the next requests do not wait for it too. However many waited for
 * it, it is closed once.
 */
export function giveUp(client: Redis, error: unknown): void {
  if (!isReady(client) || error instanceof ReplyError) return;
  leaving.add(client);
  client.once("close", () => leaving.delete(client));
  client.disconnect(true);
}
