/**
 * Simulates Zenodo, DataCite, figshare and doi.org with one server on this machine, which records requests and can have faults.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** Handles a request in place of the service and returns true, or returns false so that the service responds. */
export type Fault = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export interface Services extends AsyncDisposable {
  readonly base: string;
  /** Decoded paths of all requests, in order. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
  /** Values that are sent as JSON, by path, such as `/api/records/1`. Other paths return 404. */
  readonly answers: Map<string, unknown>;
  /** The URLs of the services by source, as the option `upstreams` of an evaluator needs them. */
  readonly upstreams: Readonly<Record<string, string>>;
  fault: Fault;
}

export async function services(answers: Readonly<Record<string, unknown>> = {}): Promise<Services> {
  const state = {
    base: "",
    asked: [] as string[],
    requests: [] as IncomingMessage[],
    answers: new Map(Object.entries(answers)),
    upstreams: {},
    fault: (() => false) as Fault,
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", state.base).pathname);
    state.asked.push(path);
    state.requests.push(request);
    if (state.fault(request, response, path)) return;
    const answer = state.answers.get(path);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { status: 404, message: "not here" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the simulated service has no port");
  state.base = `http://127.0.0.1:${address.port}`;
  state.upstreams = { zenodo: state.base, datacite: state.base, figshare: state.base, "doi.org": state.base };
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

export function zenodoRecord(id: number, more: Readonly<Record<string, unknown>> = {}): unknown {
  const metadata = {
    title: `Record ${id}`,
    resource_type: { type: "dataset" },
    access_right: "open",
    keywords: ["one"],
  };
  return { id, doi: `10.5281/zenodo.${id}`, metadata, files: [{ key: "README.md", size: 1 }], stats: {}, ...more };
}

/** Returns the response of DataCite for a DOI that the client (account) `client` registered with the landing page `url`. */
export function dataciteRecord(
  doi: string,
  client: string | null,
  url: string | null = null,
  state = "findable",
): unknown {
  const types = { resourceTypeGeneral: "Dataset" };
  const attributes = { doi, url, state, types, titles: [{ title: `DOI ${doi}` }], publisher: "Somewhere" };
  const data = client === null ? null : { id: client, type: "clients" };
  return { data: { id: doi, type: "dois", attributes, relationships: { client: { data } } } };
}
