/** Dataset submissions: users ask for datasets to be harvested. */

import { z } from "zod";
import { rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

export const SUBMISSION_STATES = ["queued", "accepted", "rejected"] as const;
export const submissionState = z
  .enum(SUBMISSION_STATES)
  .describe("`queued` until a moderator decides. The next harvest of the source includes `accepted` ones.");

export const submissionId = z.string().regex(/^d[0-9a-f]{24}$/);
export const EXAMPLE_SUBMISSION = "d08e6a3f72c9b14d5fa0e63b1";

/** The same fields as for an evaluation, with an optional version (interface.md, "Request body shapes"). */
export const datasetSubmissionRequest = unversionedRequest;

export const datasetSubmission = shape(
  "DatasetSubmission",
  z
    .object({
      id: submissionId,
      identifier: z.string().describe("The identifier as sent, trimmed."),
      source: z.string().describe("The source of the dataset."),
      sourceId: z.string().describe("Its id at the source."),
      rubricVersion: rubricVersion.describe(
        "The requested version. A release scores a dataset under all versions it publishes.",
      ),
      state: submissionState,
      decisionReason: z.string().nullable().describe("The moderator's reason, or null."),
      createdAt: instant,
      decidedAt: instant.nullable().describe("Null while queued."),
      harvestedAt: instant.nullable().describe("The time of its harvest; null before."),
      harvestOutcome: z
        .string()
        .nullable()
        .describe(
          "The outcome of the harvest: `kept` (stored for the next release), `gone` (the source does not have it), `refused` (unreadable) or `known` (already harvested); null before.",
        ),
    })
    .describe("A submitted dataset."),
  () => ({
    id: EXAMPLE_SUBMISSION,
    identifier: "https://zenodo.org/records/99000075",
    source: "zenodo",
    sourceId: "99000075",
    rubricVersion: "2.0" as const,
    state: "queued" as const,
    decisionReason: null,
    createdAt: EXAMPLE_MOMENTS.later,
    decidedAt: null,
    harvestedAt: null,
    harvestOutcome: null,
  }),
);
export type DatasetSubmission = z.infer<typeof datasetSubmission>;

export const datasetSubmissionList = accountListOf("DatasetSubmissionList", datasetSubmission);
