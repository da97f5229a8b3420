/** A loopback service that responds in the format of a source, with faults on demand. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** One request to the service, as it is passed to the dialect of a source. */
export interface Asked {
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** URL of the service, for the links in its responses. */
  readonly base: string;
}

/** A response of a service. It has either `json`, which is sent as JSON, or `body`, which is sent unchanged. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string;
  readonly type?: string;
}

/** Returns the response of a service to a request, in the format of one source. */
export type Dialect = (asked: Asked) => Reply;

/**
 * Responds to a request in place of the dialect and returns true, or returns false. `n` is the number of the request, from 1.
 */
export type Fault = (response: ServerResponse, n: number, asked: Asked) => boolean;

export interface Service extends AsyncDisposable {
  readonly base: string;
  readonly asked: Asked[];
  fault: Fault;
}

/** Starts the service on a free port. */
export async function serve(dialect: Dialect, fault: Fault = () => false): Promise<Service> {
  const asked: Asked[] = [];
  const service = { asked, fault, base: "" };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", service.base);
    const here = { url, headers: request.headers, body: await text(request), base: service.base };
    asked.push(here);
    if (!service.fault(response, asked.length, here)) send(response, dialect(here));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the service has no port");
  service.base = `http://127.0.0.1:${address.port}`;
  return Object.assign(service, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

export function send(response: ServerResponse, { status = 200, headers = {}, json, body, type }: Reply): void {
  const content = body ?? JSON.stringify(json);
  response.writeHead(status, { "content-type": type ?? "application/json", ...headers });
  response.end(content);
}

/** Returns the elements of a list on a page of `size` elements. Pages are numbered from 1. */
export function slicePage<T>(all: readonly T[], page: number, size: number): readonly T[] {
  return all.slice((page - 1) * size, page * size);
}
