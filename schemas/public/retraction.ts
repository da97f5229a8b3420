/**
 * A retraction (`retractions/sha256-<hex>.json`): a signed statement that withdraws a release. Once written, it never
 * changes.
 */

import { z } from "zod";
import { digest } from "./release.ts";
import { instant } from "./scalars.ts";
import { signature } from "./signature.ts";

/** Longest reason in characters. */
export const MAX_REASON_LENGTH = 500;

const ONE_LINE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

/** The reason of a retraction: one line of plain text, so that terminals and pages can show it. */
export const retractionReason = z
  .string()
  .min(1)
  .max(MAX_REASON_LENGTH)
  .refine((text) => ONE_LINE.test(text), "must be one line without control characters");

export const retraction = z
  .strictObject({
    releaseDigest: digest.describe("The retracted release. It does not change, and can be verified."),
    reason: retractionReason.describe("The publisher's reason, in one line."),
    retractedAt: instant,
    signature: signature.describe("A signature like that of a receipt, with the type `share-release-retraction`."),
  })
  .describe("A signed statement that withdraws a release.");
export type Retraction = z.infer<typeof retraction>;
