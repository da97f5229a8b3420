/** A mirror that can lie: a loopback server of one release folder, which records its requests. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Mirror extends AsyncDisposable {
  readonly origin: string;
  /** URL of the release. */
  readonly url: string;
  /** Requests so far, in order: the path below the release, and the headers. */
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

/** Either responds to a request and returns true, or returns false, so that the mirror sends the true file. */
export type Lie = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

export async function startMirror(folder: string, digest: string, lie: Lie = () => false): Promise<Mirror> {
  const base = `/releases/${digest.replace(":", "-")}`;
  const asked: Mirror["asked"] = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? "").replace(`${base}/`, ""));
    asked.push({ path, headers: request.headers });
    if (lie(path, request, response)) return;
    const body = await readFile(join(folder, path)).catch(() => null);
    response.writeHead(body === null ? 404 : 200).end(body ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: origin + base,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
