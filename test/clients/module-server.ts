/**
 * Serves the files of the packed client to pages of any origin. The files are unchanged, as in an installed project, and not
 * bundled.
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";

export interface ModuleServer extends AsyncDisposable {
  /** URL of an empty page. */
  readonly url: string;
  /** Adds an import map to a page, so that the page can import the package by its name. */
  addTo(page: Page): Promise<void>;
}

export async function serveModules(project: string): Promise<ModuleServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("access-control-allow-origin", "*");
    if (pathname === "/") {
      response.setHeader("content-type", "text/html");
      response.end('<!doctype html><title>Empty</title><link rel="icon" href="data:,">');
    } else {
      response.setHeader("content-type", "text/javascript");
      response.end(readFileSync(join(project, "node_modules", pathname)));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const imports = {
    fzstd: `${url}/fzstd/esm/index.mjs`,
    "openapi-fetch": `${url}/openapi-fetch/dist/index.mjs`,
    "share-release-client": `${url}/share-release-client/dist/index.js`,
    "share-release-client/release": `${url}/share-release-client/dist/release/index.js`,
  };
  return {
    url: `${url}/`,
    addTo: async (page) => {
      const map = JSON.stringify(JSON.stringify({ imports }));
      await page.evaluate(
        `document.documentElement.append(Object.assign(document.createElement("script"), { type: "importmap", textContent: ${map} }))`,
      );
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
