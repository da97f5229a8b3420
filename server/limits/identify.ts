/** Tells whose request it is: the key it was sent with, or else its address. */

import type { FastifyRequest } from "fastify";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Caller } from "../frame/reading/caller.ts";
import type { Accounts } from "../people/accounts/index.ts";
import { findKey } from "../people/api-keys/keys.ts";
import { clientAddress } from "./client-address.ts";

export interface Identified {
  readonly caller: Caller;
  /** True where a key was sent that is malformed, unknown or revoked. */
  readonly refused: boolean;
}

/** A caller without a key, or whose key is not looked at. */
export function anonymousCaller(request: FastifyRequest): Caller {
  const address = clientAddress(request);
  return { kind: "anonymous", id: address, address };
}

/** How long a look-up may take: what only reads must not wait for a store that hangs. */
const LOOK_UP_MILLISECONDS = 1000;

/** After a look-up that failed none is made for so long: one request in so much time waits, not all of them. */
const AWAY_MILLISECONDS = 5000;

async function inTime<T>(lookUp: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error("the account store does not answer")), LOOK_UP_MILLISECONDS);
  try {
    return await Promise.race([lookUp, promise]);
  } finally {
    clearTimeout(late);
  }
}

/** A key is looked up for every request: one that is revoked is refused from the next request on, on every server. */
export function identifier({ db }: Accounts, log: Effects["log"]): (request: FastifyRequest) => Promise<Identified> {
  // So that a database that stays away is logged once.
  let failing = false;
  /** Until when no key is looked up, by the clock that only goes forward. */
  let awayUntil = Number.NEGATIVE_INFINITY;
  return async (request) => {
    const anonymous = anonymousCaller(request);
    const { address } = anonymous;
    // Node joins repeated headers with a comma: two keys are no key.
    const sent = request.headers["x-api-key"]?.toString();
    if (sent === undefined || performance.now() < awayUntil) return { caller: anonymous, refused: false };
    try {
      const id = await inTime(findKey(db, sent));
      failing = false;
      return id === null
        ? { caller: anonymous, refused: true }
        : { caller: { kind: "key", id, address }, refused: false };
    } catch (error) {
      // Reading needs no account: while the store is away a key is neither refused nor worth more than an address.
      if (!failing) log({ level: "error", event: "api-keys-not-checked", message: String(error) });
      failing = true;
      awayUntil = performance.now() + AWAY_MILLISECONDS;
      return { caller: anonymous, refused: false };
    }
  };
}
