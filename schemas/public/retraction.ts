/** A retraction (`retractions/sha256-<hex>.json`): a signed statement that a release was withdrawn, which never changes. */

import { z } from "zod";
import { signature } from "./key-set.ts";
import { digest } from "./release.ts";
import { instant } from "./scalars.ts";

/** Characters of a reason: a paragraph, that fits into a banner. */
export const LONGEST_REASON = 500;

const ONE_LINE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

/** One line of plain words: it is shown in terminals, in pages and beside releases. */
export const retractionReason = z
  .string()
  .min(1)
  .max(LONGEST_REASON)
  .refine((text) => ONE_LINE.test(text), "must be one line without control characters");

export const retraction = z
  .strictObject({
    releaseDigest: digest.describe("The release that was withdrawn. It stays as it is, and can be verified."),
    reason: retractionReason.describe("The publisher's reason, in one line."),
    retractedAt: instant,
    signature: signature.describe("A signature as that of a receipt, of the type `share-release-retraction`."),
  })
  .describe("A signed statement that a release was withdrawn.");
export type Retraction = z.infer<typeof retraction>;
