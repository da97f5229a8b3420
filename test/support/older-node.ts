/** The Node that users of an older one start the command line with. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The first Node of the path that is older than the pinned one, or null; where there is none, whoever asks says so. */
export function olderNode(): string | null {
  const nodes = (process.env.PATH ?? "").split(":").map((folder) => join(folder, "node"));
  return nodes.find((path) => existsSync(path) && majorOf(path) < majorOf(process.execPath)) ?? null;
}

function majorOf(node: string): number {
  return Number(execFileSync(node, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }));
}
