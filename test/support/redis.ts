/** Starts a Redis server for one test, on loopback and without persistence. It can be stopped, frozen and started again. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis as Client } from "ioredis";
import { freePort } from "./free-port.ts";
import { endProcess } from "./killing.ts";

const PROGRAM = "redis-server";

export const HAS_REDIS = spawnSync(PROGRAM, ["--version"]).status === 0;
if (!HAS_REDIS) console.warn(`suites on Redis skipped: there is no ${PROGRAM} in the path`);

export interface StartedRedis {
  readonly url: string;
  /** Returns the names of all keys. */
  keys(): Promise<string[]>;
  /** Returns the names of keys that never expire. */
  lasting(): Promise<string[]>;
  /** Ends the server. `start` starts it again on the same port, without the keys. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server's responses until `thaw` is called. The server still accepts connections. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<StartedRedis> {
  const folder = mkdtempSync(join(tmpdir(), "share-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await launch(folder, port);
  const kill = async () => {
    await endProcess(server, "SIGKILL");
  };
  return {
    url,
    keys: () => withClient(url, (client) => client.keys("*")),
    lasting: () =>
      withClient(url, async (client) => {
        const names = await client.keys("*");
        const left = await Promise.all(names.map((name) => client.pttl(name)));
        return names.filter((_name, i) => (left[i] ?? -1) < 0);
      }),
    kill,
    async start() {
      server = await launch(folder, port);
    },
    freeze: () => void server.kill("SIGSTOP"),
    thaw: () => void server.kill("SIGCONT"),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launch(folder: string, port: number): Promise<ChildProcess> {
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const server = spawn(PROGRAM, settings, { stdio: "ignore" });
  for (;;) {
    if (server.exitCode !== null) throw new Error(`${PROGRAM} ended with ${server.exitCode}`);
    try {
      await withClient(`redis://127.0.0.1:${port}`, (client) => client.ping());
      return server;
    } catch {
      await sleep(20);
    }
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url, { lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}
