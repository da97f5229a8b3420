/** Runs a test server in a separate process. It prints its port, and stops when its input ends. */

import { z } from "zod";
import { startTestApp } from "./test-app.ts";

const options = z.object({
  target: z.union([z.strictObject({ sqlite: z.string() }), z.strictObject({ postgres: z.string() })]),
  redisUrl: z.string().nullable().default(null),
  /** Addresses of proxies that may state the client of a request, separated by commas. */
  trustProxy: z.string().default(""),
});

const app = await startTestApp(options.parse(JSON.parse(process.argv[2] ?? "")));
process.stdout.write(`${JSON.stringify({ port: app.port })}\n`);
process.stdin.resume().once("end", () => {
  void app.close().then(() => process.exit(0));
});
