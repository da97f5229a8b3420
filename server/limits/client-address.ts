/** Whose request it is, as far as the network tells. */

import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";

/**
 * The client's address: of the socket, or what a proxy named in the configuration says of it. IPv6 is cut to its /64,
 * since a household or a machine has all of one; IPv4 inside IPv6 is the IPv4; `unknown` where the socket is gone.
 */
export function clientAddress(request: FastifyRequest): string {
  // Even a trusted proxy may write `unknown`, or a port, where an address should be.
  const candidates: readonly (string | undefined)[] = [request.ip, request.socket.remoteAddress];
  const address = candidates.find((candidate) => candidate !== undefined && isIP(candidate) !== 0);
  return address === undefined ? "unknown" : normalizeIP(address, 64);
}
