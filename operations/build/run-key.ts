/** The name of a build's work folder: equal for equal inputs and code, so that an interrupted build can go on. */

import { hash } from "node:crypto";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { listParts } from "../../pipeline/store/raw/parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { BuildOptions } from "./index.ts";
import { buildCodeDigest } from "./program-digest.ts";

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
  const key = { inputs, enrichments, parts, code: await buildCodeDigest() };
  return hash("sha256", canonicalJson(key)).slice(0, 16);
}
