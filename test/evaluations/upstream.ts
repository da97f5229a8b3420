/**
 * Simulates the services that evaluations request (DataCite, Zenodo and doi.org) on this machine, with the faults that real
 * services have.
 */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { generatePayloads } from "../../fixtures/generate/index.ts";

/** The fault of a service: a 503, a closed connection, a response that is not JSON, or no response. "none" is the default. */
export type Fault = "none" | "rejects" | "resets" | "garbage" | "silent";

export interface Upstream {
  /** The URLs of the services by source, as the option `upstreams` of evaluations needs them. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** Decoded paths of all requests, in order. */
  readonly asked: string[];
  /** Responses that replace or add to the generated ones, by path. */
  readonly edited: Map<string, string>;
  /** Delay of every response in milliseconds. */
  delayMilliseconds: number;
  fault: Fault;
  close(): Promise<void>;
}

/** Options for generated records that no test release has, because releases use records with lower numbers. */
const BEYOND = { seed: 4711, start: 10_000 };

/** Generated DataCite records, without those that are withdrawn, are not datasets, or belong to Zenodo. */
const datacite = [...generatePayloads({ source: "datacite", records: 400, ...BEYOND })].filter(
  ({ sourceId, payload }) =>
    sourceId.startsWith("10.5072/") &&
    payload.includes('"resourceTypeGeneral":"Dataset"') &&
    payload.includes('"state":"findable"'),
);
const zenodo = [...generatePayloads({ source: "zenodo", records: 20, ...BEYOND })].filter(({ payload }) =>
  payload.includes('"type":"dataset"'),
);

/** DOIs of datasets that only DataCite has. */
export const REGISTERED: readonly string[] = datacite.map(({ sourceId }) => sourceId);
/** Record numbers of datasets on Zenodo, for example for `zenodo/<number>`. */
export const DEPOSITED: readonly string[] = zenodo.map(({ sourceId }) => sourceId);

/**
 * DOIs for which no dataset can be fetched: of Crossref, not registered (`UNKNOWN_DOI`), and of DataCite but not public
 * (`HIDDEN_DOI`).
 */
export const CROSSREF_DOI = "10.1000/182";
export const UNKNOWN_DOI = "10.9999/nothing";
export const HIDDEN_DOI = "10.5072/hidden";
/** DOIs for which DataCite always fails: with status 503, and without a response (`SILENT_DOI`). */
export const REJECTED_DOI = "10.5072/rejected";
export const SILENT_DOI = "10.5072/silent";
export const WITHDRAWN = "88000001";
export const SOFTWARE = "88000002";
export const MISSING = "88000003";

const FAULTY: ReadonlyMap<string, Fault> = new Map([
  [`/dois/${REJECTED_DOI}`, "rejects"],
  [`/dois/${SILENT_DOI}`, "silent"],
]);

const AGENCIES: Readonly<Record<string, string>> = { [CROSSREF_DOI]: "Crossref", [HIDDEN_DOI]: "DataCite" };

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ...datacite.map(({ sourceId, payload }) => [`/dois/${sourceId}`, `{"data":${payload}}`] as const),
  ...zenodo.map(({ sourceId, payload }) => [`/api/records/${sourceId}`, payload] as const),
  [`/api/records/${SOFTWARE}`, softwareLike(zenodo[0]?.payload ?? "")],
]);

function softwareLike(payload: string): string {
  const { metadata, ...record } = JSON.parse(payload);
  const kind = { title: "Software", type: "software" };
  return JSON.stringify({
    ...record,
    id: Number(SOFTWARE),
    recid: SOFTWARE,
    metadata: { ...metadata, resource_type: kind },
  });
}

export async function startUpstream(): Promise<Upstream> {
  const asked: string[] = [];
  const edited = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    asked.push(path);
    void answer(path, response);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const base = `http://127.0.0.1:${getPort(server.address())}`;
  const upstream: Upstream = {
    upstreams: { datacite: base, zenodo: base, "doi.org": base },
    asked,
    edited,
    delayMilliseconds: 0,
    fault: "none",
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  async function answer(path: string, response: ServerResponse): Promise<void> {
    if (upstream.delayMilliseconds > 0) await sleep(upstream.delayMilliseconds);
    switch (FAULTY.get(path) ?? upstream.fault) {
      case "rejects":
        return send(response, 503, '{"message":"maintenance"}');
      case "resets":
        response.socket?.resetAndDestroy();
        return;
      case "garbage":
        return send(response, 200, "<html>Please log in");
      case "silent":
        return;
      case "none":
        return send(response, ...found(path, edited));
      default:
        return;
    }
  }
  return upstream;
}

function found(path: string, edited: ReadonlyMap<string, string>): [status: number, body: string] {
  const doi = /^\/doiRA\/(.*)$/.exec(path)?.[1];
  if (doi !== undefined) {
    const agency = AGENCIES[doi];
    return [200, JSON.stringify([agency ? { DOI: doi, RA: agency } : { DOI: doi, status: "DOI does not exist" }])];
  }
  if (path.endsWith(WITHDRAWN)) return [410, '{"status":410,"message":"The record has been deleted."}'];
  const body = edited.get(path) ?? ANSWERS.get(path);
  return body === undefined ? [404, '{"status":404,"message":"PID does not exist."}'] : [200, body];
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function getPort(address: string | AddressInfo | null): number {
  if (address === null || typeof address === "string") throw new Error("the simulated service has no port");
  return address.port;
}
