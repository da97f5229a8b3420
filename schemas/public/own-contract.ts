/**
 * A contract that a user writes: 1 to 25 signals in a file, for `share-release release score` (docs/method.md, "Your own
 * contract").
 */

import { z } from "zod";
import { evidenceName } from "./evidence.ts";
import { bucket, predicate, publicVersion, releasedContractId, rubricStatus, signal } from "./rubric.ts";
import { SIGNAL_IDS } from "./signal.ts";

const ownSignal = z.strictObject({
  ...signal.partial().shape,
  id: z.enum(SIGNAL_IDS, { error: "the ids are S1 to S5, H1 to H5, A1 to A5, R1 to R5 and E1 to E5" }),
  name: z.string().min(1),
  rule: predicate,
  /** Evidence columns that the signal needs; by default, those in its rule. */
  needs: z.array(evidenceName).min(1).optional(),
  notEvaluableWhen: predicate.nullable().default(null),
});

/**
 * A contract that a user writes. Other fields of a released contract are allowed too, so that the file of a released
 * contract is also valid here.
 */
export const ownContract = z.strictObject({
  $schema: z.string().optional(),
  contract: releasedContractId.optional(),
  publicVersion: publicVersion.nullable().optional(),
  status: rubricStatus.optional(),
  title: z.string().min(1),
  summary: z.string().optional(),
  buckets: z.array(bucket).optional(),
  signals: z.array(ownSignal).min(1).max(SIGNAL_IDS.length),
});
