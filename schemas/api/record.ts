/** Records as the API shows them. */

import { z } from "zod";
import { publicVersion } from "../rubric.ts";
import { bucketId, masks, signalId, signalState } from "../signal.ts";
import { count, listOf, percentage, points } from "./common.ts";

export const recordId = z.string().regex(/^r[0-9a-f]{24}$/);
export const scoreStatus = z.enum(["scored", "failed"]);

const score = z.object({
  total: percentage,
  bucketScores: z.object({ S: points, H: points, A: points, R: points, E: points }),
  status: z.literal("scored"),
});

export const recordRow = z.object({
  id: recordId,
  doi: z.string().nullable(),
  repository: z.string().nullable(),
  title: z.string().nullable(),
  pubDate: z.string().nullable(),
  scoreStatus,
  score: score.nullable(),
  shareScore: percentage.nullable(),
  stewardshipScore: points.nullable(),
  harmonizationScore: points.nullable(),
  accessScore: points.nullable(),
  engagementScore: points.nullable(),
  /** The R bucket of 1.0 (post-deposit reuse); null under 2.0. */
  reuseScore: points.nullable(),
  /** The R bucket of 2.0 (deposit-time reusability); null under 1.0. */
  reusabilityScore: points.nullable(),
});
export type RecordRow = z.infer<typeof recordRow>;
export const recordList = listOf(recordRow);

export const author = z.object({
  id: z.string().nullable(),
  name: z.string(),
  affiliation: z.string().nullable(),
  slug: z.string().nullable(),
  orcid: z.string().nullable(),
});

export const signalResult = z.object({
  id: signalId,
  name: z.string(),
  bucket: bucketId,
  bit: z.int().min(0).max(24),
  state: signalState,
  points: z.union([z.literal(0), z.literal(4)]),
  /** Where in the source's own payload the evidence stands; null for an unsupported signal. */
  field: z.string().nullable(),
  /** The evidence columns the rule reads, as seen; null = not carried. */
  evidence: z.record(z.string(), z.union([z.int(), z.boolean(), z.string(), z.null()])),
  /** What the depositor can do; null where passed or unsupported. */
  advice: z.string().nullable(),
});

export const recordDetail = recordRow.extend({
  score: score.extend(masks.shape).nullable(),
  identifier: z.string(),
  url: z.string().nullable(),
  recordKind: z.string().nullable(),
  accessStatus: z.string().nullable(),
  diseases: z.array(z.string()),
  ageGroups: z.array(z.string()),
  dataTypes: z.array(z.string()),
  license: z.string().nullable(),
  version: z.string().nullable(),
  authors: z.array(author),
  signals: z.array(signalResult),
  /** The highest total this source's payloads can reach. */
  cap: percentage,
  observedUse: z.object({ views: count.nullable(), downloads: count.nullable(), citations: count.nullable() }),
  source: z.object({
    name: z.string(),
    identifier: z.string(),
    retrievedAt: z.string().nullable(),
    payloadDigest: z.string(),
    pledgeStatus: z.string(),
  }),
  aliases: z.array(z.object({ id: recordId, identifier: z.string() })),
});
export type RecordDetail = z.infer<typeof recordDetail>;

const outcome = z.object({ value: count.nullable(), state: z.enum(["known", "source_missing", "unsupported"]) });

export const recordImpact = z.object({
  id: recordId,
  rubric: publicVersion,
  /** Bucket points; R is there under 2.0 only, as reusability. Null for a failed record. */
  stewardship: z.object({ S: points, H: points, A: points, R: points.optional(), E: points }).nullable(),
  /** Observed use, reported apart: outcomes never enter the total. */
  outcomes: z.object({
    views: outcome,
    downloads: outcome,
    citations: outcome,
    derivatives: outcome,
    mentions: outcome,
  }),
});
export type RecordImpact = z.infer<typeof recordImpact>;
