/** Contracts as the API shows them. */

import { z } from "zod";
import { named } from "../named.ts";
import { digest } from "../release.ts";
import { bucket, contractId, publicVersion, rubricStatus, signal } from "../rubric.ts";
import { STATES } from "../signal.ts";
import { count } from "./common.ts";

export const rubricListEntry = named(
  "RubricListEntry",
  z
    .object({
      version: publicVersion,
      contract: contractId.describe("The contract of the version."),
      digest,
      status: rubricStatus,
      available: z.boolean().describe("True if the active release has scores under it."),
      scoredRecords: count,
    })
    .describe("One public SHARE version."),
);
export const rubricList = named(
  "RubricList",
  z.array(rubricListEntry).describe("The public versions, the current one first."),
);

export const rubricDescriptor = named(
  "Rubric",
  z
    .object({
      version: z.string().describe("The public version, or the identifier of the contract if it has none."),
      contract: contractId,
      digest,
      status: rubricStatus,
      title: z.string(),
      summary: z.string(),
      comparability: z
        .string()
        .nullable()
        .describe("The scores with which scores under this contract are not comparable, and why; otherwise null."),
      signals: z.array(signal).length(25),
      buckets: z.array(bucket).length(5),
      masks: z
        .object({ names: z.array(z.string()), bitOrder: z.array(z.string()).length(25) })
        .describe("The five masks, and the signal of each bit."),
      states: z.array(z.object({ state: z.enum(STATES), meaning: z.string() })).length(STATES.length),
    })
    .describe("One contract with the questions and rules of its 25 signals."),
);
export type RubricDescriptor = z.infer<typeof rubricDescriptor>;
