/** Two servers behind nginx are restarted by turns under load, and nobody notices. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { nginxConfiguration } from "../../api-static/nginx/index.ts";
import { ask } from "../server/ask.ts";
import { releasedStore } from "../server/test-store.ts";
import { freePort } from "../support/free-port.ts";
import { HAS_NGINX, startNginx } from "../support/nginx.ts";
import { type Serving, startServing } from "../support/serving.ts";

const ROUNDS = 2;

/** Nothing of these is answered from a file: each comes to one of the servers. What is sent is refused, and so not counted. */
const QUESTIONS = [
  { path: "/authors?limit=3", expected: 200 },
  { path: "/records?search=data", expected: 200 },
  { path: "/health", expected: 200 },
  { path: "/api-keys/register", expected: 400, method: "POST", body: "{}" },
] as const;

test.skipIf(!HAS_NGINX)(
  "two servers are restarted by turns under load without a failed request",
  async () => {
    const { store, remove } = await releasedStore();
    const folder = mkdtempSync(join(tmpdir(), "share-rolling-"));
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const start = (port: number): Promise<Serving> =>
      startServing(["--store", store.root, "--rate", "1000000", "--trust-proxy", "127.0.0.1", "--port", String(port)], {
        DATABASE_URL: "",
        SHARE_SITE: "",
        SHARE_LOG_LEVEL: "silent",
      });
    const servers = [await start(ports[0]), await start(ports[1])];
    const upstream = [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`];
    const options = { store: store.root, upstream, cache: join(folder, "cache"), serverNames: [], realIpFrom: [] };
    const listen = [`127.0.0.1:${ports[2]}`];
    const nginx = await startNginx(nginxConfiguration({ ...options, listen, rate: 100_000, burst: 100_000 }), ports[2]);
    const failed: string[] = [];
    let asked = 0;
    let over = false;
    const load = async (question: (typeof QUESTIONS)[number]) => {
      while (!over) {
        const { path, expected, ...rest } = question;
        const reply = await ask(nginx.port, `${path}${path.includes("?") ? `&_=${asked}` : ""}`, {
          ...rest,
          ...("body" in rest ? { headers: { "content-type": "application/json" } } : {}),
        }).catch((error: Error) => ({ status: error.message, text: "" }));
        asked += 1;
        if (reply.status !== expected) failed.push(`${path}: ${reply.status} ${reply.text.slice(0, 200)}`);
        await sleep(5);
      }
    };
    const loads = [...QUESTIONS, ...QUESTIONS].map(load);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [i, port] of ports.slice(0, 2).entries()) {
          await servers[i]?.end();
          servers[i] = await start(port);
          await sleep(300);
        }
      }
      over = true;
      await Promise.all(loads);
      expect(failed).toEqual([]);
      expect(asked).toBeGreaterThan(100);
    } finally {
      over = true;
      await Promise.all(servers.map((server) => server.end()));
      await nginx.stop();
      rmSync(folder, { recursive: true, force: true });
      await remove();
    }
  },
  10 * 60_000,
);
