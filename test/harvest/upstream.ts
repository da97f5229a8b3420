/** Simulates the service of a source on loopback, with faults if a test wants them. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/**
 * A fault of the service: it responds to the request and returns true, or returns false so that the dialect responds. `n` is
 * the number of the request, from 1.
 */
export type Fault = (request: IncomingMessage, response: ServerResponse, n: number) => boolean;

/** The responses of a service in the format of one source: its records and their pages. */
export interface Dialect {
  answer(url: URL, base: string): unknown;
}

export interface Upstream extends AsyncDisposable {
  readonly base: string;
  readonly urls: URL[];
  readonly agents: (string | undefined)[];
  fault: Fault;
}

export async function upstream(dialect: Dialect, fault: Fault = () => false): Promise<Upstream> {
  const urls: URL[] = [];
  const agents: (string | undefined)[] = [];
  const service = { urls, agents, fault, base: "" };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", service.base);
    urls.push(url);
    agents.push(request.headers["user-agent"]);
    if (service.fault(request, response, urls.length)) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(dialect.answer(url, service.base)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the simulated service has no port");
  service.base = `http://127.0.0.1:${address.port}`;
  return Object.assign(service, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

/** Simulates DataCite with pages of ten records and a cursor. The requested page size is ignored. */
export function makeDataciteDialect(
  count: number,
  change: (page: Record<string, unknown>, n: number) => unknown = (page) => page,
): Dialect {
  return {
    answer(url, base) {
      const cursor = url.searchParams.get("page[cursor]") ?? "";
      const n = cursor === "1" ? 1 : Number(Buffer.from(cursor, "base64url").toString() || Number.NaN);
      const data = Array.from({ length: Math.max(0, Math.min(10, count - (n - 1) * 10)) }, (_, i) =>
        dataciteItem((n - 1) * 10 + i),
      );
      const next = new URL(url.pathname, base);
      next.searchParams.set("page[cursor]", makeCursor(n + 1));
      const links = n * 10 < count ? { self: url.href, next: next.href } : { self: url.href };
      return change({ data, meta: { total: count, totalPages: Math.ceil(count / 10) }, links }, n);
    },
  };
}

export function dataciteItem(i: number): unknown {
  return { id: `10.5555/${i}`, type: "dois", attributes: { doi: `10.5555/${i}`, titles: [{ title: `Title ${i}` }] } };
}

export function makeCursor(page: number): string {
  return Buffer.from(String(page)).toString("base64url");
}

/**
 * Simulates Zenodo with at most 10,000 hits for each query. Queries can have ranges of `created` and `updated`, and three
 * records share each second.
 */
export function makeZenodoDialect(count: number): Dialect {
  const instant = (i: number) => new Date(Date.UTC(2020, 0, 1) + Math.floor(i / 3) * 1000).toISOString();
  const all = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    created: instant(i),
    modified: instant(i),
    metadata: {},
  }));
  return {
    answer(url, base) {
      const [page, size] = [Number(url.searchParams.get("page")), Number(url.searchParams.get("size"))];
      const from = /:\["([^"]+)" TO \*\]$/.exec(url.searchParams.get("q") ?? "")?.[1] ?? "";
      const matching = all.filter(({ created }) => created >= from);
      if (page * size > 10_000) return { status: 400, message: "Maximum number of 10000 results have been reached." };
      const next = new URL(url.href.replace(/^https?:\/\/[^/]+/, base));
      next.searchParams.set("page", String(page + 1));
      const more = page * size < Math.min(matching.length, 10_000);
      const hits = matching.slice((page - 1) * size, page * size);
      return { hits: { hits, total: matching.length }, links: more ? { next: next.href } : {} };
    },
  };
}

/**
 * Simulates ClinicalTrials.gov with pages of ten studies and a token. Every third page is empty, although a next page follows.
 */
export function makeTrialsDialect(count: number): Dialect {
  return {
    answer(url) {
      const token = url.searchParams.get("pageToken");
      const [start, empty] = (token ?? "0:").split(":");
      const first = Number(start);
      const total = url.searchParams.has("countTotal") ? { totalCount: count } : {};
      if (first > 0 && first % 20 === 0 && empty === "") return { studies: [], nextPageToken: `${first}:passed` };
      const studies = Array.from({ length: Math.min(10, count - first) }, (_, i) => trial(first + i));
      return { ...total, studies, ...(first + 10 < count ? { nextPageToken: `${first + 10}:` } : {}) };
    },
  };
}

function trial(i: number): unknown {
  return { protocolSection: { identificationModule: { nctId: `NCT${String(i).padStart(8, "0")}` } } };
}
