/**
 * A store of three releases: a dataset that names no keywords in the first, does in the second, and names more in the
 * third. The first is active, the second was, the third never. A registry has the dataset too, which gives way to it.
 */

import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { partName } from "../../pipeline/store/raw/parts.ts";
import { activate } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { buildRelease, idOf, RETRIEVED, rawStore, registryRecord } from "../server/test-store.ts";

export const DEPOSITOR = { orcid: "0000-0005-1200-0216", name: "Vance, Mirela" } as const;
/** A creator of the other dataset alone. */
export const STRANGER = { orcid: "0000-0005-1200-0224", name: "Ostrava, Jan" } as const;

export const DISPUTED = idOf("zenodo/99100001");
/** The id of DISPUTED in the registry. */
export const GAVE_WAY = idOf("datacite/10.5281/zenodo.99100001");
export const OTHER = idOf("zenodo/99100002");

interface Deposit {
  readonly id: number;
  readonly creators: readonly { readonly name: string; readonly orcid: string }[];
  readonly keywords?: readonly string[];
}

function payload({ id, creators, keywords }: Deposit): string {
  const doi = `10.5281/zenodo.${id}`;
  const metadata = {
    title: `Invented counts ${id}`,
    doi,
    publication_date: "2024-05-17",
    description:
      "<p>Hourly counts of people crossing an invented market, from two gates, with the weather beside them.</p>",
    access_right: "open",
    creators,
    ...(keywords === undefined ? {} : { keywords }),
    resource_type: { title: "Dataset", type: "dataset" },
    license: { id: "cc-by-4.0" },
  };
  const files = [{ id: "0b1c2d3e-0000-4000-8000-000000000024", key: "counts.csv", size: 12 }];
  return JSON.stringify({ id, doi, metadata, files, links: { self_html: `https://zenodo.org/records/${id}` } });
}

function write(store: Store, part: number, retrievedAt: string, deposits: readonly Deposit[]): void {
  const lines = deposits.map((deposit) => {
    const text = payload(deposit);
    const envelope = { source: "zenodo", sourceId: String(deposit.id), retrievedAt, url: null, status: 200 };
    return `${JSON.stringify({ ...envelope, payloadDigest: hash("sha256", text), payload: text })}\n`;
  });
  mkdirSync(store.raw("zenodo"), { recursive: true });
  writeFileSync(join(store.raw("zenodo"), partName(part)), zstdCompressSync(lines.join("")));
}

export interface DisputedStore {
  readonly store: Store;
  readonly before: Receipt;
  readonly after: Receipt;
  readonly never: Receipt;
  remove(): void;
}

export async function disputedStore(): Promise<DisputedStore> {
  const [registered] = generatePayloads({ source: "datacite", records: 1, seed: 7 });
  const doi = "10.5281/zenodo.99100001";
  const { store, remove } = rawStore({
    datacite: [{ sourceId: doi, payload: registryRecord(registered, doi, {}) }],
  });
  const disputed = { id: 99_100_001, creators: [DEPOSITOR] };
  const other = { id: 99_100_002, creators: [STRANGER], keywords: ["one", "two", "three"] };
  const keywords = ["footfall", "market", "infrared"];
  write(store, 1, RETRIEVED, [disputed, other]);
  const options = {
    sources: ["datacite", "zenodo"],
    rubrics: ["2.0"],
    attribution: false,
    history: false,
  } as const;
  const before = await buildRelease(store, options);
  write(store, 2, "2026-11-01T18:00:00.000Z", [{ ...disputed, keywords }]);
  const after = await buildRelease(store, options);
  write(store, 3, "2026-11-01T20:00:00.000Z", [{ ...disputed, keywords: [...keywords, "weather"] }]);
  const never = await buildRelease(store, { ...options, activate: false });
  await activate(store, before.releaseDigest);
  return { store, before, after, never, remove };
}
