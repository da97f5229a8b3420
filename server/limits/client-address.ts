/** The address of the client, as far as the network tells. */

import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";

/** What was made of an address before: taking one apart costs as much as reading the header it came in. */
const known = new Map<string, string>();
const MOST_KNOWN = 10_000;

/**
 * The client's address: of the socket, or what a proxy named in the configuration says of it. IPv6 is cut to its /64,
 * since a household or a machine has all of one; IPv4 inside IPv6 is the IPv4; `unknown` where the socket is gone.
 */
export function clientAddress(request: FastifyRequest): string {
  // Even a trusted proxy may write `unknown`, or a port, where an address should be.
  const candidates: readonly (string | undefined)[] = [request.ip, request.socket.remoteAddress];
  const address = candidates.find((candidate) => candidate !== undefined && isIP(candidate) !== 0);
  return address === undefined ? "unknown" : networkOf(address);
}

function networkOf(address: string): string {
  const before = known.get(address);
  if (before !== undefined) return before;
  const network = normalizeIP(address, 64);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(address, network);
  return network;
}
