/** The proxies that may say whose request they pass on: a configuration value, checked before it is believed. */

import { isIP } from "node:net";
import Fastify from "fastify";

export class ProxyListError extends Error {
  readonly code = "ERR_PROXY_LIST";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProxyListError";
  }
}

/** A mask of nothing: everybody could write a header and be believed. */
const EVERYBODY = /\/0*(?:\.0+)*$/;

/** Of these the reader knows some, and refuses the others. */
const RANGE_NAME = /^[a-z]+$/;

/**
 * Addresses and CIDR ranges, separated by commas (also `loopback`, `linklocal`, `uniquelocal`), as Fastify's option
 * `trustProxy`; false for none: X-Forwarded-For is not read then.
 * @throws ProxyListError naming the entry at fault
 */
export function trustedProxies(list: string): string[] | false {
  const entries = list.split(",").map((entry) => entry.trim());
  if (entries.every((entry) => entry === "")) return false;
  for (const entry of entries) requireProxy(entry);
  return entries;
}

function requireProxy(entry: string): void {
  if (EVERYBODY.test(entry)) {
    throw new ProxyListError(`"${entry}" would trust everybody; name the proxies, such as 10.0.0.7 or 10.1.0.0/16`);
  }
  try {
    // The reader that will use it takes shortened addresses too: `1` would be 0.0.0.1.
    const [address = ""] = entry.split("/");
    if (!RANGE_NAME.test(entry) && isIP(address) === 0) throw new TypeError(`no IP address: ${address}`);
    Fastify({ trustProxy: [entry] });
  } catch (cause) {
    throw new ProxyListError(`"${entry}" is no address or range of a proxy; write 10.0.0.7, 10.1.0.0/16 or loopback`, {
      cause,
    });
  }
}
