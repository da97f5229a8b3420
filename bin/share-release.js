#!/usr/bin/env node
/** Starts the command line on the pinned Node: `npx` and npm scripts find it first; a direct call may not. */

import { endWithParent, handOver } from "./hand-over.js";

const LEAST = 24;

// Written for an older Node too: what it lacks is imported by the newer one only.
if (Number(process.versions.node.split(".")[0]) >= LEAST) {
  endWithParent();
  const { enablePrivateCompileCache } = await import("../cli/options/compile-cache.ts");
  await enablePrivateCompileCache();
  const { main } = await import("../cli/main.ts");
  await main(process.argv);
} else {
  handOver(LEAST);
}
