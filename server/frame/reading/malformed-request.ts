/** Requests that Node's parser takes and HTTP does not: refused like all others, counted and in the words of a problem. */

import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ProblemError } from "../answering/problem-error.ts";

/** A host as RFC 3986 has it, and a port; empty where the address has no host. */
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%-]*(?:\[[0-9A-Fa-f:.]+\])?(?::\d*)?$/;

/** Adds the refusals to an app, behind the hooks it has. */
export function refuseMalformed(app: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>();
  // Without a listener Node answers by itself, and without a body.
  app.server.on("checkExpectation", (request, response) => {
    unmet.add(request);
    app.routing(request, response);
  });
  app.addHook("onRequest", (request, _reply, done) => {
    done(faultOf(request, unmet.has(request.raw)));
  });
}

function faultOf({ raw }: FastifyRequest, expects: boolean): ProblemError | undefined {
  if (!hasHost(raw)) {
    return new ProblemError(
      "invalid-request",
      "A request of HTTP/1.1 has one header Host, with a host and perhaps a port.",
    );
  }
  if (!expects) return undefined;
  return new ProblemError("expectation-failed", "This service meets no expectations but 100-continue.");
}

/** RFC 9112, 3.2. A second host is how one request is made to look like two to those it passes. */
function hasHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  // Names and values in turn; `headers` would have the first of several headers of this name alone.
  const [host, ...others] = rawHeaders.filter((_, i) => i % 2 === 1 && isHost(rawHeaders[i - 1] ?? ""));
  return host === undefined ? httpVersion === "1.0" : others.length === 0 && HOST.test(host);
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === "host";
}
