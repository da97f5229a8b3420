/** The cookies of a request. */

import cookie from "@fastify/cookie";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Cookies by name, as they were sent. */
export type SentCookies = Readonly<Record<string, string | undefined>>;

/** Reads no cookie by itself: most requests need none. */
export async function addCookies(app: FastifyInstance): Promise<void> {
  await app.register(cookie, { hook: false });
  app.decorateRequest("signed", null);
}

/** The cookies of a request; of several of one name the first. */
export function sentCookies({ headers, server }: FastifyRequest): SentCookies {
  return headers.cookie === undefined ? {} : server.parseCookie(headers.cookie);
}
