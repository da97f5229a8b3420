/** GET /records/{id}/disputes: how disputes of a record were answered, without who made them and what they wrote. */

import { z } from "zod";
import { answeredState, correctedAt, disputedSignal, mendedIn } from "../dispute.ts";
import { named } from "../named.ts";
import { instant } from "../scalars.ts";
import { pagination } from "./common.ts";
import { authorListQuery } from "./queries.ts";
import { recordId } from "./record.ts";

/** The newest answer comes first, and there is no other order. */
export const recordDisputesQuery = z.object({ page: authorListQuery.shape.page, limit: authorListQuery.shape.limit });

export const answeredDispute = named(
  "AnsweredDispute",
  z
    .object({
      ...disputedSignal,
      state: answeredState,
      answer: z.string().describe("The sentence of the moderator."),
      answeredAt: instant.describe("The moment of the first answer: a correction leaves it as it is."),
      correctedAt,
      mendedIn,
    })
    .describe("A dispute that was answered."),
);
export type AnsweredDispute = z.infer<typeof answeredDispute>;

export const recordDisputes = named(
  "RecordDisputes",
  z
    .object({
      recordId: recordId.describe("The record, by the id that the active release lists it under."),
      data: z.array(answeredDispute).describe("The newest answer first."),
      pagination,
    })
    .describe("The answers to disputes of a record."),
);
export type RecordDisputes = z.infer<typeof recordDisputes>;
