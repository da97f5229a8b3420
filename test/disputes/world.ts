/** A store of two releases: a dataset that names no keywords in the first, and does in the second, which is not active. */

import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { partName } from "../../pipeline/store/raw/parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { buildRelease, idOf, RETRIEVED, rawStore } from "../server/test-store.ts";

export const DEPOSITOR = { orcid: "0000-0005-1200-0216", name: "Vance, Mirela" } as const;
/** A creator of the other dataset alone. */
export const STRANGER = { orcid: "0000-0005-1200-0224", name: "Ostrava, Jan" } as const;

export const DISPUTED = idOf("zenodo/99100001");
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
  remove(): void;
}

export async function disputedStore(): Promise<DisputedStore> {
  const { store, remove } = rawStore({});
  const disputed = { id: 99_100_001, creators: [DEPOSITOR] };
  const other = { id: 99_100_002, creators: [STRANGER], keywords: ["one", "two", "three"] };
  write(store, 1, RETRIEVED, [disputed, other]);
  const options = { sources: ["zenodo"], rubrics: ["2.0"], attribution: false, history: false } as const;
  const before = await buildRelease(store, options);
  write(store, 2, "2026-11-01T18:00:00.000Z", [{ ...disputed, keywords: ["footfall", "market", "infrared"] }]);
  const after = await buildRelease(store, { ...options, activate: false });
  return { store, before, after, remove };
}
