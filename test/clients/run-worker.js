/**
 * Runs a worker in workerd, until it is killed: `run-worker.js WORKER.ts BINDINGS [FOLDER]`, where the folder's files become
 * the objects of the bucket that is bound as `BUCKET`. The first line it prints is the worker's address.
 */

import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { Miniflare } from "miniflare";

const [worker, bindings, folder] = process.argv.slice(2);
const miniflare = new Miniflare({
  modules: [{ type: "ESModule", path: "worker.js", contents: stripTypeScriptTypes(readFileSync(worker, "utf8")) }],
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["nodejs_compat"],
  bindings: JSON.parse(bindings),
  ...(folder === undefined ? {} : { r2Buckets: ["BUCKET"] }),
  host: "127.0.0.1",
  port: 0,
});
const address = await miniflare.ready;
if (folder !== undefined) {
  const bucket = await miniflare.getR2Bucket("BUCKET");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    await bucket.put(relative(folder, path), readFileSync(path));
  }
}
process.stdout.write(`${address.href}\n`);
process.on("SIGTERM", () => miniflare.dispose().then(() => process.exit(0)));
