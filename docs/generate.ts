/**
 * Fills the generated parts of the documents from the code they describe.
 * `node docs/generate.ts` writes them; with `--check` it writes nothing and fails where a document is out of date.
 */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillRegions } from "./generator/regions.ts";
import { SECTIONS } from "./generator/sections.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Documents by path from the root: those at the root and everything below docs/. */
async function documents(): Promise<string[]> {
  const root = await readdir(ROOT);
  const below = await readdir(join(ROOT, "docs"), { recursive: true });
  return [...root, ...below.map((name) => join("docs", name))].filter((name) => name.endsWith(".md")).sort();
}

/** Paths of the documents whose generated parts are not what the code says. */
async function outdated(write: boolean): Promise<string[]> {
  const changed: string[] = [];
  for (const document of await documents()) {
    const path = join(ROOT, document);
    const before = await readFile(path, "utf8");
    const after = await fillRegions(document, before, SECTIONS);
    if (after === before) continue;
    changed.push(document);
    if (write) await writeFile(path, after);
  }
  return changed;
}

const [option, ...rest] = process.argv.slice(2);
if ((option !== undefined && option !== "--check") || rest.length > 0) {
  process.stderr.write("usage: node docs/generate.ts [--check]\n");
  process.exitCode = 2;
} else {
  const check = option === "--check";
  const changed = await outdated(!check);
  for (const document of changed) process.stdout.write(`${document} ${check ? "is out of date" : "written"}\n`);
  if (check && changed.length > 0) {
    process.stderr.write("Run `node docs/generate.ts` and commit what it writes.\n");
    process.exitCode = 1;
  }
}
