/**
 * fetch for addresses that others name: it connects to public addresses only. A name is resolved once for a connection,
 * every address it has is judged, and those very addresses are connected to: between check and connection nothing can
 * change. Which hosts may be asked at all, redirects included, is decided by whoever fetches.
 */

import { type LookupAddress, type LookupOptions, lookup as systemLookup } from "node:dns";
import { isIP } from "node:net";
import { Agent, buildConnector, fetch as undiciFetch } from "undici";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { isPublicAddress } from "./public-address.ts";

/** A name, or an address, that is none of the public internet; nothing was connected to. */
export class ForbiddenAddress extends Error {
  readonly code = "forbidden-address";
  constructor(host: string) {
    super(`${host} is, or resolves to, an address that is not public; it was not connected to`);
    this.name = "ForbiddenAddress";
  }
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export interface GuardOptions {
  /** Origins that may be anywhere, such as http://127.0.0.1:4000: for tests on loopback. */
  readonly allow?: readonly string[];
  /** The system's resolver unless a test has its own. */
  readonly resolve?: (host: string, options: LookupOptions & { all: true }, done: Resolved) => void;
  /** What may be connected to; public addresses unless a test has others. */
  readonly isAllowed?: (address: string) => boolean;
}

export interface GuardedFetch {
  readonly fetch: Effects["fetch"];
  close(): Promise<void>;
}

/** No cookies are kept and no credentials sent: every request carries what its caller put into it, and no more. */
export function guardedFetch(options: GuardOptions = {}): GuardedFetch {
  const agent = new Agent({ connect: guardedConnector(options) });
  return {
    fetch: async (input, init) => {
      if (input instanceof Request) throw new TypeError("give an address and what to send, not a Request");
      return undiciFetch(input, { ...sent(init), dispatcher: agent, credentials: "omit" });
    },
    close: () => agent.close(),
  };
}

/** What the pipeline's requests have; anything else would be lost unseen, and is refused by its type. */
function sent({ method, headers, body, redirect, signal }: RequestInit = {}) {
  if (body !== undefined && body !== null && typeof body !== "string") throw new TypeError("give a body as text");
  return {
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers: [...new Headers(headers)] }),
    ...(body === undefined ? {} : { body }),
    ...(redirect === undefined ? {} : { redirect }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function guardedConnector(options: GuardOptions): buildConnector.connector {
  const { allow = [], resolve = systemLookup, isAllowed = isPublicAddress } = options;
  const anywhere = buildConnector({});
  const guarded = buildConnector({
    lookup: (host, wanted, done) => {
      resolve(host, { ...wanted, all: true }, (error, addresses) => {
        if (error !== null) return done(error, "");
        // One address that is not public is enough: whoever runs the name would choose which one is taken.
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
          return done(new ForbiddenAddress(host), "");
        }
        if (wanted.all) return done(null, addresses);
        return done(null, first.address, first.family);
      });
    },
  });
  return (target, done) => {
    if (allow.includes(`${target.protocol}//${target.host}`)) return anywhere(target, done);
    // The resolver is not asked about what is an address already.
    const bare = target.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(bare) !== 0 && !isAllowed(bare)) return done(new ForbiddenAddress(bare), null);
    return guarded(target, done);
  };
}
