/** Two servers behind nginx are restarted and killed in turn under load, without a failed request. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ask } from "../server/ask.ts";
import { releasedStore } from "../server/test-store.ts";
import { freePort } from "../support/free-port.ts";
import { HAS_NGINX, sampleConfiguration, startNginx } from "../support/nginx.ts";
import { type Serving, startServing } from "../support/serving.ts";

/** The signal that ends the servers in each round. nginx repeats a request that a killed server did not answer. */
const ROUNDS = ["SIGTERM", "SIGTERM", "SIGKILL"] as const;

/** Requests that nginx always passes to a server. The POST has an invalid body, so that it does not count against a limit. */
const QUESTIONS = [
  { path: "/authors?limit=3", expected: 200 },
  { path: "/records?search=data", expected: 200 },
  { path: "/health", expected: 200 },
  { path: "/api-keys/register", expected: 400, method: "POST", body: "{}" },
] as const;

test.skipIf(!HAS_NGINX)(
  "two servers are restarted and killed in turn under load without a failed request",
  async () => {
    await using released = await releasedStore();
    const { store } = released;
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const start = (port: number): Promise<Serving> =>
      startServing(["--store", store.root, "--rate", "1000000", "--trust-proxy", "127.0.0.1", "--port", String(port)], {
        DATABASE_URL: "",
        SHARE_SITE: "",
        SHARE_LOG_LEVEL: "silent",
      });
    const servers = [await start(ports[0]), await start(ports[1])];
    const [one, other, port] = ports;
    const nginx = await startNginx(sampleConfiguration({ store: store.root, port, servers: [one, other] }), port);
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
      for (const signal of ROUNDS) {
        for (const [i, port] of ports.slice(0, 2).entries()) {
          await servers[i]?.end(signal);
          await sleep(300);
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
    }
  },
  10 * 60_000,
);
