/** The name of a build's work folder: equal for equal inputs and code, so that an interrupted build can go on. */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { listParts } from "../../pipeline/store/raw/parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { BuildOptions } from "./index.ts";

const CODE = ["schemas", "pipeline", "api-static", "package-lock.json"];

/** 16 hex digits over options, raw parts and code. Threads, memory and the signing key do not matter: they change no result. */
export async function runKey(
  store: Store,
  options: BuildOptions,
  enrichments: Record<string, string>,
): Promise<string> {
  const {
    threads: _threads,
    memory: _memory,
    activate: _activate,
    signer: _signer,
    ror: _ror,
    citations: _citations,
    ...inputs
  } = options;
  const parts = [];
  for (const source of options.sources) {
    for (const { name, bytes } of await listParts(store.raw(source))) parts.push(`${source}/${name} ${bytes}`);
  }
  const key = { inputs, enrichments, parts, code: await codeDigest() };
  return hash("sha256", canonicalJson(key)).slice(0, 16);
}

/** Changed code must not go on with what other code left behind. */
function codeDigest(): Promise<string> {
  return digestOfFiles(() => true);
}

let program: Promise<string> | undefined;

/**
 * Digest of the code that reads payloads and writes pages, with its word lists and packages. Contracts and pledges are
 * left out: they are data with digests of their own, and a change of one need not make everything anew.
 */
export function programDigest(): Promise<string> {
  program ??= digestOfFiles((name) => !/^pipeline\/(?:rubrics\/[^/]+|sources\/[^/]+\/pledge)\.json$/.test(name));
  return program;
}

async function digestOfFiles(wanted: (name: string) => boolean): Promise<string> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const digests: string[] = [];
  for (const top of CODE) {
    const names = top.includes(".")
      ? [top]
      : (await readdir(join(root, top), { recursive: true })).map((name) => join(top, name));
    for (const name of names.sort()) {
      if (/\.(ts|sql|json|csv)$/.test(name) && wanted(name))
        digests.push(`${name} ${hash("sha256", await readFile(join(root, name)))}`);
    }
  }
  return hash("sha256", digests.join("\n"));
}
