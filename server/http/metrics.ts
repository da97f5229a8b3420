/** Metrics for Prometheus, on a separate port: requests, responses and durations. */

import { createServer as createHttpServer, type Server, type ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { addStateMetrics, type StateSources } from "./state-metrics.ts";

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Counts the app's requests. The labels are routes, methods and statuses, so a client cannot create new labels. */
export function addMetrics(
  app: FastifyInstance,
  active: { readonly digest: string | null },
  standings: { readonly isStale: boolean },
  state: StateSources | null,
): Metrics {
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
    help: "1 while the server cannot read which researchers are hidden.",
    registers,
    collect() {
      this.set(standings.isStale ? 1 : 0);
    },
  });
  const readState = addStateMetrics(registry, state);
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    figures.count(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  return {
    contentType: registry.contentType,
    text: async () => {
      await readState();
      return `${figures.text()}\n${await registry.metrics()}`;
    },
  };
}

export interface MetricsState {
  draining(): boolean;
  release(): string | null;
}

/**
 * Creates a server for the operator with `/metrics`, `/health` (does it run?) and `/ready` (can it respond?). Its requests
 * do not count towards quotas.
 */
export function operationsServer(metrics: Metrics, { draining, release }: MetricsState): Server {
  return createHttpServer((request, response) => {
    switch (request.url) {
      case "/metrics":
        metrics.text().then(
          (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
          (error: unknown) => response.writeHead(500, { "content-type": "text/plain" }).end(String(error)),
        );
        return;
      case "/health":
        return sendStatus(response, draining() ? "draining" : "ok", !draining());
      case "/ready":
        if (draining()) return sendStatus(response, "draining", false);
        return release() === null ? sendStatus(response, "no-release", false) : sendStatus(response, "ready", true);
      default:
        response.writeHead(404).end();
    }
  });
}

function sendStatus(response: ServerResponse, status: string, good: boolean): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  response.writeHead(good ? 200 : 503, headers).end(`${JSON.stringify({ status })}\n`);
}

/** Upper bounds of the buckets of durations, in seconds: from the time of a cached page to that of a full search. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface RouteFigures {
  readonly answers: Map<string, Map<number, number>>;
  /** Numbers of responses by bucket. The last bucket is for durations above all bounds. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * Counts requests, statuses and durations, and writes them in the text format of Prometheus. It replaces the counters
 * of prom-client, which would add a tenth to the cost of a page.
 */
class RequestFigures {
  readonly #routes = new Map<string, RouteFigures>();

  /** Counts a response. `route` and `method` come from the table of routes, so a client cannot create new ones. */
  count(route: string, method: string, status: number, seconds: number): void {
    let figures = this.#routes.get(route);
    if (figures === undefined) {
      figures = { answers: new Map(), buckets: new Array<number>(BOUNDS.length + 1).fill(0), seconds: 0 };
      this.#routes.set(route, figures);
    }
    let responses = figures.answers.get(method);
    if (responses === undefined) {
      responses = new Map();
      figures.answers.set(method, responses);
    }
    responses.set(status, (responses.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    figures.buckets[bucket] = (figures.buckets[bucket] ?? 0) + 1;
    figures.seconds += seconds;
  }

  text(): string {
    const requests: string[] = [];
    const durations: string[] = [];
    for (const [name, { answers: responses, buckets, seconds }] of this.#routes) {
      const route = `route="${name}"`;
      for (const [method, statuses] of responses) {
        for (const [status, count] of statuses) {
          requests.push(`share_requests_total{method="${method}",${route},status="${status}"} ${count}`);
        }
      }
      let sum = 0;
      for (const [i, count] of buckets.entries()) {
        sum += count;
        durations.push(`share_request_duration_seconds_bucket{le="${BOUNDS[i] ?? "+Inf"}",${route}} ${sum}`);
      }
      durations.push(`share_request_duration_seconds_sum{${route}} ${seconds}`);
      durations.push(`share_request_duration_seconds_count{${route}} ${sum}`);
    }
    return [
      "# HELP share_requests_total Requests that the server answered.",
      "# TYPE share_requests_total counter",
      ...requests,
      "",
      "# HELP share_request_duration_seconds Seconds from the headers of a request to the end of its response.",
      "# TYPE share_request_duration_seconds histogram",
      ...durations,
      "",
    ].join("\n");
  }
}
