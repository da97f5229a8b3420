/**
 * Keeps docs/conformance.md up to date.
 * `node test/contract/write-conformance.ts` asks every statement, writes the page with the figure found, and fails where one
 * does not hold; with `--check` it asks and writes nothing, and fails where the page is not that of statements which all hold.
 */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { broken, conformancePage } from "./conformance-page.ts";
import { World } from "./world.ts";

const PAGE = "docs/conformance.md";
const path = join(REPOSITORY, PAGE);

async function check(): Promise<void> {
  const written = await readFile(path, "utf8").catch(() => "");
  if (written === conformancePage(new Set())) return;
  process.stdout.write(`${PAGE} is out of date\n`);
  process.stderr.write("Run `npm run conformance` and commit what it writes.\n");
  process.exitCode = 1;
}

async function write(): Promise<void> {
  const world = await World.make();
  try {
    const faults = await broken(world);
    await writeFile(path, conformancePage(new Set(faults.keys())));
    process.stdout.write(`${PAGE} written\n`);
    for (const [{ clause, says }, found] of faults) process.stderr.write(`${clause}: ${says}: ${found.join("; ")}\n`);
    if (faults.size > 0) process.exitCode = 1;
  } finally {
    await world.end();
  }
}

const [option, ...rest] = process.argv.slice(2);
if ((option !== undefined && option !== "--check") || rest.length > 0) {
  process.stderr.write("usage: node test/contract/write-conformance.ts [--check]\n");
  process.exitCode = 2;
} else {
  await (option === "--check" ? check() : write());
}
