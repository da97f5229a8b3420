/** The name of a build's work folder: equal for equal inputs and code, so that an interrupted build can go on. */

import { hash } from "node:crypto";
import { join } from "node:path";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { STAGES } from "../../pipeline/stages.ts";
import { listParts } from "../../pipeline/store/raw/parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { BuildOptions } from "./index.ts";
import { buildCodeDigest } from "./program-digest.ts";

/** What a build is given beside the harvest, by name and digest. */
export async function enrichmentDigests({
  ror,
  citations,
}: Pick<BuildOptions, "ror" | "citations">): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [name, file] of Object.entries({ ror, citations })) {
    if (file !== null) digests[name] = `sha256:${await fileDigest(file)}`;
  }
  return digests;
}

/** 16 hex digits over options, raw parts and code. What is left out changes nothing that the stages write. */
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
    // Limits may be fractions, which no key is made of.
    gates: _gates,
    force: _force,
    named: _named,
    licence: _licence,
    label: _label,
    verify: _verify,
    spark: _spark,
    ...inputs
  } = options;
  const parts = [];
  for (const source of options.sources) {
    for (const { name, bytes } of await listParts(store.raw(source))) parts.push(`${source}/${name} ${bytes}`);
  }
  const key = { inputs, enrichments, parts, code: await buildCodeDigest() };
  return hash("sha256", canonicalJson(key)).slice(0, 16);
}

/** Where a stage of a run has its folder, which is there once the stage is whole. */
export function stageFolder(store: Store, run: string, stage: keyof typeof STAGES): string {
  return join(store.work(run), `${STAGES[stage].number}-${stage}`);
}
