/**
 * Program that runs a complete server in a separate process with the real clock. It prints its port, and closes when its input
 * ends.
 */

import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { openStore } from "../../pipeline/store/store.ts";
import { createServer } from "../../server/index.ts";

const options = z.strictObject({
  store: z.string(),
  target: z.union([z.strictObject({ sqlite: z.string() }), z.strictObject({ postgres: z.string() })]),
  upstreams: z.record(z.string(), z.string()),
  leaseMilliseconds: z.int(),
});

const { store, target, upstreams, leaseMilliseconds } = options.parse(JSON.parse(process.argv[2] ?? ""));
const unlimited = { requests: 1_000_000, seconds: 60 };
const server = await createServer(
  openStore(store),
  {
    logger: false,
    accounts: target,
    quotas: { anonymous: unlimited, evaluation: unlimited },
    evaluations: { upstreams, leaseMilliseconds, pollMilliseconds: 50, timeoutMs: 3000 },
    graceMilliseconds: 500,
  },
  {
    now: () => new Date(),
    sleep: async (milliseconds, signal) => {
      await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
    },
  },
);
const url = await server.app.listen({ port: 0, host: "127.0.0.1" });
process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port) })}\n`);
process.stdin.resume().once("end", () => {
  void server.close().then(() => process.exit(0));
});
