/** Starts servers in processes of their own. */

import { once } from "node:events";
import { z } from "zod";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { startChild } from "../accounts/child.ts";

export interface ServerProcess {
  readonly port: number;
  /** Waits until what it has is written. */
  close(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

export interface ServerProcessOptions {
  readonly target: AccountTarget;
  readonly redisUrl?: string;
  /** Who may say whose request it is; nobody without it. */
  readonly trustProxy?: string;
}

export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const file = new URL("./server-child.ts", import.meta.url);
  const child = startChild(file, { redisUrl: null, trustProxy: "", ...options });
  const { port } = z.object({ port: z.int() }).parse(await child.heard());
  const closed = once(child.process, "close");
  return {
    port,
    async close() {
      child.process.stdin?.end();
      await closed;
    },
    async kill() {
      child.process.kill("SIGKILL");
      await closed;
    },
  };
}
