/** The entries of a receipt on its sources: raw digests, counts, refusals, retrieval times, completeness. */

import { createHash } from "node:crypto";
import { z } from "zod";
import { type Coverage, type SourceReceipt, sourceReceipt } from "../schemas/public/release.ts";
import { type PublicVersion, publicVersion } from "../schemas/public/rubric.ts";
import { readerOf } from "./sources/reader-of.ts";
import { readHarvests, readRefused } from "./store/raw/harvest-log.ts";
import { digestPart, listParts } from "./store/raw/parts.ts";
import type { Store } from "./store/store.ts";

const NOTHING: Coverage = {
  harvested: 0,
  superseded: 0,
  duplicates: 0,
  tombstones: 0,
  notDataset: 0,
  failed: 0,
  insufficient: 0,
  scored: 0,
};

/** Stage 2's row about a source. */
const coverageRow = z.object({
  source: z.string(),
  harvested: z.int(),
  superseded: z.int(),
  duplicates: z.int(),
  tombstones: z.int(),
  not_dataset: z.int(),
  failed: z.int(),
  scored: z.int(),
  oldest_retrieval: z.string().nullable(),
  newest_retrieval: z.string().nullable(),
});

/** What stage 3 says of records without a total. */
const scoreFacts = z.object({
  insufficient: z.array(z.object({ source: z.string(), rubric: publicVersion, records: z.int() })),
});

/** Records without a total, by source under one version; `facts` of stage 3. */
export function insufficientBy(facts: unknown, version: PublicVersion | null): ReadonlyMap<string, number> {
  const rows = scoreFacts.parse(facts).insufficient.filter(({ rubric }) => rubric === version);
  return new Map(rows.map(({ source, records }) => [source, records]));
}

/** Stage 2 counts what could be read as scored; what has no total is counted apart. */
export function withInsufficient(coverage: Omit<Coverage, "insufficient">, insufficient: number): Coverage {
  return { ...coverage, insufficient, scored: coverage.scored - insufficient };
}

/** What stage 2 says of its input: rows by source, and the raw parts it read as `<source>/<name>`. */
const normaliseFacts = z.object({ sources: z.array(coverageRow), parts: z.array(z.string()) });

/** One receipt a source, in the order given, from the facts of stage 2 and the records without a total by source. */
export async function sourceReceipts(
  store: Store,
  sources: readonly string[],
  facts: unknown,
  insufficient: ReadonlyMap<string, number>,
): Promise<SourceReceipt[]> {
  const { sources: rows, parts } = normaliseFacts.parse(facts);
  const counted = new Map(rows.map((row) => [row.source, row]));
  const read = new Set(parts);
  const receipts: SourceReceipt[] = [];
  for (const source of sources) {
    const folder = store.raw(source);
    const row = counted.get(source);
    receipts.push(
      sourceReceipt.parse({
        source,
        reader: await readerOf(source),
        ...(await rawReceipt(folder, (name) => read.has(`${source}/${name}`))),
        coverage:
          row === undefined
            ? NOTHING
            : withInsufficient({ ...row, notDataset: row.not_dataset }, insufficient.get(source) ?? 0),
        refused: await refusedCounts(folder),
        oldestRetrieval: row?.oldest_retrieval ?? null,
        newestRetrieval: row?.newest_retrieval ?? null,
        completeness: await completeness(folder),
      }),
    );
  }
  return receipts;
}

/** Of the parts that were read: a harvest may have added others since. */
async function rawReceipt(
  folder: string,
  wasRead: (name: string) => boolean,
): Promise<{ rawDigest: string; parts: number }> {
  const parts = (await listParts(folder)).filter(({ name }) => wasRead(name));
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${part.name} ${await digestPart(part)}\n`);
  return { rawDigest: `sha256:${digest.digest("hex")}`, parts: parts.length };
}

async function refusedCounts(folder: string): Promise<SourceReceipt["refused"]> {
  const counts: SourceReceipt["refused"] = {};
  for await (const { reason, count = 1 } of readRefused(folder)) counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

/**
 * Of the last harvest that asked for everything, and null where there is none: neither what changed since a day nor one
 * of many imports of files says how much there is. Where a source does not say how much it holds nothing is expected,
 * and nothing is complete.
 */
async function completeness(folder: string): Promise<SourceReceipt["completeness"]> {
  const harvests = await readHarvests(folder);
  const whole = harvests.findLastIndex(({ mode, since }) => mode === "http" && since === null);
  const last = harvests[whole];
  if (last === undefined) return null;
  if (last.expected === null) return { expected: null, got: last.got, complete: null };
  // An update that broke off leaves gaps in what was whole.
  const complete = harvests.slice(whole).every((harvest) => harvest.complete);
  return { expected: last.expected, got: last.got, complete };
}
