/** An npm registry on loopback that has one package, share-release-score. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import manifest from "../../score/package.json" with { type: "json" };
import type { PackedScore } from "../clients/packed-score.ts";

export interface Registry extends AsyncDisposable {
  /** Returns environment variables with which npm uses this registry, and stores its cache below `folder`. */
  environment(folder: string): Record<string, string>;
}

export async function startRegistry(packed: PackedScore): Promise<Registry> {
  const archive = await readFile(packed.archive);
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path.endsWith(".tgz")) return response.end(archive);
    if (path !== `/${manifest.name}`) return response.writeHead(404).end("{}");
    const dist = { tarball: `${url}/${basename(packed.archive)}`, integrity };
    const versions = { [manifest.version]: { ...manifest, scripts: {}, dist } };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ name: manifest.name, "dist-tags": { latest: manifest.version }, versions }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: (folder) => ({
      npm_config_registry: url,
      npm_config_cache: join(folder, ".npm-cache"),
      npm_config_update_notifier: "false",
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await packed[Symbol.asyncDispose]();
    },
  };
}
