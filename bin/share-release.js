#!/usr/bin/env node
/** Starts the command line on the pinned Node: `npx` and npm scripts find it first; a direct call may not. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LEAST = 24;

if (Number(process.versions.node.split(".")[0]) >= LEAST) {
  // Node keeps what it compiles, types stripped, in the system's temporary folder: the next start is twice as fast.
  // Imported here: an older Node has no such function, and would not even read this file.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  const { main } = await import("../cli/main.ts");
  await main(process.argv);
} else {
  const pinned = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (!existsSync(pinned)) {
    console.error(`share-release needs Node ${LEAST} or later; run \`npm ci\`, which brings it.`);
    process.exit(1);
  }
  const run = spawnSync(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  if (run.signal !== null) process.kill(process.pid, run.signal);
  process.exit(run.status ?? 1);
}
