/** The receipt: what a release says of itself (`release.json`, written last), and its manifest of files. */

import { z } from "zod";
import { instant, isoDate, refusalReason, sha256Hex } from "./envelope.ts";
import { contractId, publicVersion } from "./rubric.ts";

/** `sha256:<64 hex digits>`. */
export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const count = z.int().min(0);

/** Every harvested payload, counted once: harvested is the sum of the rest. */
export const coverage = z
  .object({
    harvested: count,
    superseded: count,
    duplicates: count,
    tombstones: count,
    notDataset: count,
    failed: count,
    scored: count,
  })
  .refine(reconciles, { error: "harvested must be the sum of the other counts" });
export type Coverage = z.infer<typeof coverage>;

function reconciles(counts: Record<string, number>): boolean {
  const { harvested, ...rest } = counts;
  return harvested === Object.values(rest).reduce((sum, value) => sum + value, 0);
}

export const sourceReceipt = z.object({
  source: z.string(),
  /** sha256 over the names and digests of the raw parts read. */
  rawDigest: digest,
  parts: count,
  coverage,
  refused: z.partialRecord(refusalReason, count),
  oldestRetrieval: z.string().nullable(),
  newestRetrieval: z.string().nullable(),
  /** What the service says it holds against what was got, from the last finished harvest; null where it says nothing. */
  completeness: z.object({ expected: count.nullable(), got: count, complete: z.boolean() }).nullable(),
});
export type SourceReceipt = z.infer<typeof sourceReceipt>;

export const rubricReceipt = z.object({ version: publicVersion, contract: contractId, digest });

export const attributionReceipt = z
  .object({ complete: z.boolean(), records: count, attributed: count, unattributed: count })
  .refine((value) => value.complete === (value.attributed + value.unattributed === value.records));

export const receipt = z.object({
  scoreReleaseVersion: z.string().regex(/^\d{4}\.\d{2}\.\d{2}(\.\d+)?$/),
  releaseDigest: digest,
  manifestDigest: digest,
  publishedAt: instant,
  asOf: isoDate,
  previousReleaseDigest: digest.nullable(),
  rubrics: z.array(rubricReceipt),
  tool: z.object({ name: z.string(), version: z.string(), engine: z.string() }),
  sources: z.array(sourceReceipt),
  coverage,
  refused: z.partialRecord(refusalReason, count),
  /** Null where the release was built without attribution. */
  attribution: attributionReceipt.nullable(),
  /** False where the release was built without history. */
  history: z.boolean(),
  withheld: z.object({ count, digest }),
  /** What the digest is made of: the inputs and the Merkle root of every table. */
  content: z.object({ inputs: z.record(z.string(), z.string()), tables: z.record(z.string(), digest) }),
  signature: z.string().nullable(),
});
export type Receipt = z.infer<typeof receipt>;

/** One line of manifest.ndjson. */
export const manifestLine = z.strictObject({ path: z.string(), bytes: count, sha256: sha256Hex });
export type ManifestLine = z.infer<typeof manifestLine>;

/** The part of a receipt that lists and metrics carry. */
export const scoreRelease = z.object({
  scoreReleaseVersion: receipt.shape.scoreReleaseVersion,
  releaseDigest: digest,
});
export type ScoreRelease = z.infer<typeof scoreRelease>;

/** The part of a receipt that live metrics carry. */
export const releaseExcerpt = scoreRelease.extend({
  publishedAt: instant,
  asOf: isoDate,
  rubric: rubricReceipt,
  coverage,
});
export type ReleaseExcerpt = z.infer<typeof releaseExcerpt>;
