/** A real release of records that a test describes in a few words, opened for queries. */

import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { partName } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { OpenRelease } from "../../server/read/open-release.ts";
import { DEFAULT_QUERY_OPTIONS, type QueryOptions } from "../../server/read/query-engine.ts";
import { buildRelease } from "../support/build-release.ts";
import { RETRIEVED_AT } from "../support/bundled-corpus.ts";

/** A registry record: its DOI, and attributes beside the least that one has. */
export interface Described {
  readonly doi: string;
  readonly title?: string | null;
  readonly creators?: readonly { readonly name: string; readonly affiliation?: readonly string[] }[];
  readonly attributes?: object;
}

function payloadOf({ doi, title = null, creators = [], attributes = {} }: Described): string {
  return JSON.stringify({
    id: doi,
    type: "dois",
    attributes: {
      doi,
      titles: title === null ? [] : [{ title }],
      creators: creators.map((creator) => ({ nameType: "Personal", affiliation: [], ...creator })),
      publisher: "Norvale Data Archive",
      publicationYear: 2024,
      types: { resourceTypeGeneral: "Dataset" },
      state: "findable",
      isActive: true,
      ...attributes,
    },
  });
}

/** Writes payloads as if harvested: from the registry, or texts of another source by their source id. */
export function writeCaptured(store: Store, source: string, payloads: Readonly<Record<string, string>>): void {
  const lines = Object.entries(payloads).map(([sourceId, payload]) => ({
    source,
    sourceId,
    retrievedAt: RETRIEVED_AT,
    url: null,
    status: 200,
    payloadDigest: hash("sha256", payload),
    payload,
  }));
  mkdirSync(store.raw(source), { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(store.raw(source), partName(1)), zstdCompressSync(text));
}

export function writeDescribed(store: Store, records: readonly Described[]): void {
  writeCaptured(store, "datacite", Object.fromEntries(records.map((record) => [record.doi, payloadOf(record)])));
}

/** Builds what is in `raw/` and opens it. */
export async function openBuilt(store: Store): Promise<OpenRelease> {
  const { receipt } = await buildRelease(store);
  return openRelease(store, receipt.releaseDigest);
}

export function openRelease(store: Store, digest: string, options: Partial<QueryOptions> = {}): Promise<OpenRelease> {
  const all = { ...DEFAULT_QUERY_OPTIONS, queryMemory: "256MB", queryThreads: 2, ...options };
  return OpenRelease.open(store, digest, all, new AbortController().signal);
}
