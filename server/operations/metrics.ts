/** Figures for Prometheus, on a port of their own: what was asked, how it was answered and how long it took. */

import { createServer as createHttpServer, type Server, type ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Standings } from "../people/hidden/standings.ts";
import type { ActiveRelease } from "../read/release/active-release.ts";
import { RequestFigures } from "./request-figures.ts";

/** All figures, as Prometheus reads them. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Counts the app's requests. Labels are routes, methods and statuses: nothing a client can make up. */
export function addMetrics(app: FastifyInstance, active: ActiveRelease, standings: Standings): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const figures = new RequestFigures();
  collectDefaultMetrics({ register: registry });
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
  new Gauge({
    name: "share_hidden_researchers_stale",
    help: "1 while it cannot be read who asked to be hidden.",
    registers,
    collect() {
      this.set(standings.stale ? 1 : 0);
    },
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    figures.count(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  return {
    contentType: registry.contentType,
    text: async () => `${figures.text()}\n${await registry.metrics()}`,
  };
}

/** The figures that the operator's probes are told. */
export interface Standing {
  /** Whether the server is about to stop. */
  draining(): boolean;
  /** Digest of the release that is served; null where there is none yet. */
  release(): string | null;
}

/**
 * A server of three addresses for the operator alone: `/metrics`, and for probes that should not count against a quota
 * `/health` (does it run, and shall it go on?) and `/ready` (shall it be sent requests?).
 */
export function operationsServer(metrics: Metrics, { draining, release }: Standing): Server {
  return createHttpServer((request, response) => {
    switch (request.url) {
      case "/metrics":
        metrics.text().then(
          (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
          (error: unknown) => response.writeHead(500, { "content-type": "text/plain" }).end(String(error)),
        );
        return;
      case "/health":
        return tell(response, draining() ? "draining" : "ok", !draining());
      case "/ready":
        if (draining()) return tell(response, "draining", false);
        return release() === null ? tell(response, "no-release", false) : tell(response, "ready", true);
      default:
        response.writeHead(404).end();
    }
  });
}

function tell(response: ServerResponse, status: string, good: boolean): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  response.writeHead(good ? 200 : 503, headers).end(`${JSON.stringify({ status })}\n`);
}
