#!/usr/bin/env node
/**
 * Starts the command line. Uses another Node if the running one is too old, or if a package brought it and the user's
 * own Node is recent enough.
 */

import { betterNode, endWithParent, handOver } from "./hand-over.js";

const MIN_NODE = 24;

// This file must also run on older versions of Node, so modules that need a recent one are only imported below.
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
