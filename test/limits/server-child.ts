/** Program that runs the server of `test-app.ts` in a separate process. It prints its port, and stops when its input ends. */

import { z } from "zod";
import { startTestApp } from "./test-app.ts";

const options = z.object({
  target: z.union([z.strictObject({ sqlite: z.string() }), z.strictObject({ postgres: z.string() })]),
  redisUrl: z.string().nullable().default(null),
  /** Addresses of proxies whose X-Forwarded-For is trusted, separated by commas. */
  trustProxy: z.string().default(""),
});

const app = await startTestApp(options.parse(JSON.parse(process.argv[2] ?? "")));
process.stdout.write(`${JSON.stringify({ port: app.port })}\n`);
process.stdin.resume().once("end", () => {
  void app.close().then(() => process.exit(0));
});
