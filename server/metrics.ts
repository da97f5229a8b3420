/** Figures for Prometheus, on a port of their own: what was asked, how it was answered and how long it took. */

import { createServer as createHttpServer, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ActiveRelease } from "./active-release.ts";

/** From a page in memory to a search through everything. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts the app's requests. Labels are routes, methods and statuses: nothing a client can make up. */
export function addMetrics(app: FastifyInstance, active: ActiveRelease): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "share_requests_total",
    help: "Requests answered.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "share_request_duration_seconds",
    help: "Time from a request's headers to the end of its answer.",
    labelNames: ["route"],
    buckets: SECONDS,
    registers,
  });
  new Gauge({
    name: "share_release_info",
    help: "1 for the release that is served.",
    labelNames: ["digest"],
    registers,
    collect() {
      this.reset();
      if (active.digest !== null) this.set({ digest: active.digest }, 1);
    },
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    requests.inc({ method: request.method, route, status: reply.statusCode });
    duration.observe({ route }, reply.elapsedTime / 1000);
  });
  return registry;
}

/**
 * A server of two addresses for the operator alone: `/metrics`, and `/health` for probes that should not count against a
 * quota.
 */
export function operationsServer(registry: Registry): Server {
  return createHttpServer((request, response) => {
    switch (request.url) {
      case "/metrics":
        registry.metrics().then(
          (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
          (error: unknown) => response.writeHead(500, { "content-type": "text/plain" }).end(String(error)),
        );
        return;
      case "/health":
        response.writeHead(200, { "content-type": "application/json" }).end('{"status":"ok"}\n');
        return;
      default:
        response.writeHead(404).end();
    }
  });
}
