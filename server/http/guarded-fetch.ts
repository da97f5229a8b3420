/**
 * A fetch for URLs that users supply. It only connects to public addresses. For each connection, it resolves the name
 * once, checks every address, and connects to a checked one, so that the address cannot change after the check. The
 * caller must limit the hosts, also those of redirects.
 */

import { type LookupAddress, type LookupOptions, lookup as systemLookup } from "node:dns";
import { BlockList, isIP } from "node:net";
import { Agent, buildConnector, fetch as undiciFetch } from "undici";
import type { Effects } from "../../pipeline/stage/effects.ts";

/**
 * The error for a host that is not public, or that resolves to an address that is not public. No connection was made.
 */
export class ForbiddenAddress extends Error {
  readonly code = "forbidden-address";
  constructor(host: string) {
    super(`${host} is, or resolves to, an address that is not public; no connection was made`);
    this.name = "ForbiddenAddress";
  }
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export interface GuardOptions {
  /** Origins that are exempt from the check, such as http://127.0.0.1:4000 in tests. */
  readonly allow?: readonly string[];
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: (host: string, options: LookupOptions & { all: true }, done: Resolved) => void;
  /** Decides which addresses may be contacted; by default, public ones. */
  readonly isAllowed?: (address: string) => boolean;
}

export interface GuardedFetch {
  readonly fetch: Effects["fetch"];
  close(): Promise<void>;
}

/**
 * Creates a fetch that stores no cookies and sends no credentials. Every request has exactly the headers of its caller.
 */
export function guardedFetch(options: GuardOptions = {}): GuardedFetch {
  const agent = new Agent({ connect: guardedConnector(options) });
  return {
    fetch: async (input, init) => {
      if (input instanceof Request)
        throw new TypeError("the guarded fetch of the server accepts a URL and options, not a Request object");
      return undiciFetch(input, { ...passedOptions(init), dispatcher: agent, credentials: "omit" });
    },
    close: () => agent.close(),
  };
}

/**
 * Returns only those options of a request that the pipeline uses.
 * @throws TypeError for a body that is not text, because it would be lost
 */
function passedOptions({ method, headers, body, redirect, signal }: RequestInit = {}) {
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("the guarded fetch of the server accepts only text as a body");
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
    lookup: (host, lookupOptions, done) => {
      resolve(host, { ...lookupOptions, all: true }, (error, addresses) => {
        if (error !== null) return done(error, "");
        // If one address is private, the host is rejected, because its owner could choose which one is used.
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
          return done(new ForbiddenAddress(host), "");
        }
        if (lookupOptions.all) return done(null, addresses);
        return done(null, first.address, first.family);
      });
    },
  });
  return (target, done) => {
    if (allow.includes(`${target.protocol}//${target.host}`)) return anywhere(target, done);
    // The resolver is not called for an IP address.
    const bare = target.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(bare) !== 0 && !isAllowed(bare)) return done(new ForbiddenAddress(bare), null);
    return guarded(target, done);
  };
}

/**
 * IPv4 blocks that are not public: the Special-Purpose Address Registry (RFC 6890 and its successors), multicast and
 * reserved blocks.
 */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * IPv6 blocks within 2000::/3 that are not public. Among them are 6to4 and Teredo, because they embed IPv4 addresses.
 * All addresses outside 2000::/3, such as those of NAT64, are rejected anyway.
 */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, "ipv6");

const givenOut = new BlockList();
givenOut.addSubnet("2000::", 3, "ipv6");

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, "ipv4");
    case 6:
      return !address.includes("%") && givenOut.check(address, "ipv6") && !special.check(address, "ipv6");
    default:
      return false;
  }
}

/** The error for a service that cannot be reached, is too slow, or sends too many bytes. */
export class ServiceUnavailable extends Error {
  readonly code = "service-unavailable";
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "ServiceUnavailable";
  }
}

interface ServiceBounds {
  readonly milliseconds: number;
  readonly bytes: number;
}

export interface OneOriginFetch {
  readonly fetch: Effects["fetch"];
  close(): Promise<void>;
}

/**
 * Creates a fetch for one origin, such as https://orcid.org. The origin may be in a private network, because the
 * operator configured it.
 */
export function oneOriginFetch(origin: string, { milliseconds, bytes }: ServiceBounds): OneOriginFetch {
  const guarded = guardedFetch({ allow: [origin] });
  return {
    close: () => guarded.close(),
    async fetch(input, init = {}) {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== origin)
        throw new ServiceUnavailable(
          `no request was sent to ${url.origin}, because ORCID_ISSUER allows only ${origin}`,
        );
      try {
        const signals = [AbortSignal.timeout(milliseconds), init.signal].filter(
          (signal) => signal instanceof AbortSignal,
        );
        const response = await guarded.fetch(url, { ...init, redirect: "manual", signal: AbortSignal.any(signals) });
        const { status, headers } = response;
        return new Response(await boundedText(response, bytes), { status, headers: [...headers] });
      } catch (cause) {
        throw cause instanceof ServiceUnavailable
          ? cause
          : new ServiceUnavailable(`${origin} did not respond; check ORCID_ISSUER, and that this server can reach it`, {
              cause,
            });
      }
    },
  };
}

async function boundedText({ body }: Response, most: number): Promise<string | null> {
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > most)
      throw new ServiceUnavailable(
        `the response of the identity provider has more than ${most} bytes; check ORCID_ISSUER`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
