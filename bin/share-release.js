#!/usr/bin/env node
/** Starts the command line, on the user's own Node if it is recent enough, and otherwise on the pinned one. */

import { betterNode, endWithParent, handOver } from "./hand-over.js";

const MIN_NODE = 24;

// Written for an older Node too: what it lacks is imported by the newer one only.
const node = betterNode(MIN_NODE);
if (node === null) {
  endWithParent();
  const { enablePrivateCompileCache } = await import("./compile-cache.js");
  await enablePrivateCompileCache();
  const { main } = await import("../cli/main.ts");
  await main(process.argv);
} else {
  handOver(node, MIN_NODE);
}
