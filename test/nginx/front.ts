/** A server that counts what reaches it, and nginx in front of it. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { readlink } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nginxConfiguration } from "../../api-static/nginx/index.ts";
import type { GivenNginxOptions } from "../../api-static/nginx/options.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
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

/** The server moves the link that nginx reads a moment after it listens, where it can be moved. */
async function served(store: Store): Promise<void> {
  const active = await currentDigest(store);
  for (let tries = 0; active !== null && tries < 250; tries += 1) {
    const leads = await readlink(store.serving).catch(() => "");
    if (basename(leads) === basename(store.release(active))) return;
    await sleep(20);
  }
}

export async function front(store: Store, options: Partial<GivenNginxOptions> = {}, user = "root"): Promise<Front> {
  const server = await serve(store, { trustProxy: ["127.0.0.1"], quotas: { anonymous: PLENTY } });
  await served(store);
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
