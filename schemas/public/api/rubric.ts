/** Rubrics as the API shows them. */

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
      contract: contractId.describe("The contract that the version resolves to."),
      digest,
      status: rubricStatus,
      available: z.boolean().describe("True where the active release has scores under it."),
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
      version: z.string().describe("The public version, or the contract's own identifier where it has none."),
      contract: contractId,
      digest,
      status: rubricStatus,
      title: z.string(),
      summary: z.string(),
      comparability: z
        .string()
        .nullable()
        .describe(
          "The scores that those under this contract must not be compared with, and the reason; null where there is nothing to say.",
        ),
      signals: z.array(signal).length(25),
      buckets: z.array(bucket).length(5),
      masks: z
        .object({ names: z.array(z.string()), bitOrder: z.array(z.string()).length(25) })
        .describe("The five masks, and which signal each bit is."),
      states: z.array(z.object({ state: z.enum(STATES), meaning: z.string() })).length(STATES.length),
    })
    .describe("One contract with its 25 signals: the questions, and the rules they are judged by."),
);
export type RubricDescriptor = z.infer<typeof rubricDescriptor>;
