/** A request without a body has no content type, whatever its headers say: many clients send theirs with every request. */

import type { FastifyReply, FastifyRequest } from "fastify";

/** For addresses that read no body, before the framework looks for one. */
export function ignoreTypeOfNothing({ headers }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { "content-length": length = "0", "transfer-encoding": transfer } = headers;
  if (length === "0" && transfer === undefined) delete headers["content-type"];
  done();
}
