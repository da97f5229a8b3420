/** Rubrics as the API shows them. */

import { z } from "zod";
import { digest } from "../release.ts";
import { bucket, contractId, publicVersion, rubricStatus, signal } from "../rubric.ts";
import { STATES } from "../signal.ts";
import { count } from "./common.ts";

export const rubricListEntry = z.object({
  version: publicVersion,
  contract: contractId,
  digest,
  status: rubricStatus,
  /** Whether the active release has scores under it. */
  available: z.boolean(),
  scoredRecords: count,
});
export const rubricList = z.array(rubricListEntry);

export const rubricDescriptor = z.object({
  /** The public version, or the contract's own identifier where it has none. */
  version: z.string(),
  contract: contractId,
  digest,
  status: rubricStatus,
  title: z.string(),
  summary: z.string(),
  signals: z.array(signal).length(25),
  buckets: z.array(bucket).length(5),
  masks: z.object({ names: z.array(z.string()), bitOrder: z.array(z.string()).length(25) }),
  states: z.array(z.object({ state: z.enum(STATES), meaning: z.string() })).length(STATES.length),
});
export type RubricDescriptor = z.infer<typeof rubricDescriptor>;
