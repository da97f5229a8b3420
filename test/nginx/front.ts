/** A server that counts what reaches it, and nginx in front of it. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nginxConfiguration } from "../../api-static/nginx/index.ts";
import type { GivenNginxOptions } from "../../api-static/nginx/options.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { serve } from "../server/test-store.ts";
import { freePort } from "../support/free-port.ts";
import { startNginx } from "../support/nginx.ts";

/** What the server was asked. */
export interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Front extends AsyncDisposable {
  /** nginx. */
  readonly port: number;
  /** The server, for who passes nginx by. */
  readonly server: number;
  /** What nginx passed on, in order; what came straight to the server is here too. */
  readonly seen: Seen[];
  errors(): string;
  /** Stops the server alone. */
  stopServer(): Promise<void>;
}

/** No test comes near this guard but those about it. */
const OPEN = { rate: 100_000, burst: 100_000 } as const;

/** Everything comes from one address here, and most of it is no matter of the server's quota. */
const PLENTY = { requests: 1_000_000, seconds: 60 };

export async function front(store: Store, options: Partial<GivenNginxOptions> = {}, user = "root"): Promise<Front> {
  const server = await serve(store, { trustProxy: ["127.0.0.1"], quotas: { anonymous: PLENTY } });
  const seen: Seen[] = [];
  server.app.server.on("request", ({ method = "", url = "", headers }) => seen.push({ method, target: url, headers }));
  const folder = mkdtempSync(join(tmpdir(), "share-front-"));
  // For workers of whatever user.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const configuration = nginxConfiguration({
    ...OPEN,
    store: store.root,
    listen: [`127.0.0.1:${port}`],
    upstream: [`127.0.0.1:${server.port}`],
    serverNames: [],
    cache: join(folder, "cache"),
    realIpFrom: [],
    ...options,
  });
  const nginx = await startNginx(configuration, port, user);
  return {
    port,
    server: server.port,
    seen,
    errors: nginx.errors,
    stopServer: () => server.close(),
    async [Symbol.asyncDispose]() {
      await nginx.stop();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
