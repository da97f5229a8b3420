/** A mirror that may lie: a loopback server of one release folder, and what it was asked with. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Mirror extends AsyncDisposable {
  readonly origin: string;
  /** Address of the release. */
  readonly url: string;
  /** Paths below the release, with the headers each came with, in order. */
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

/** Answers a request itself and says true, or leaves it to the files. */
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
