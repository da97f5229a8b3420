/** Dataset submissions: datasets that people ask to have harvested. */

import { z } from "zod";
import { rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

export const SUBMISSION_STATES = ["queued", "accepted", "rejected"] as const;
export const submissionState = z
  .enum(SUBMISSION_STATES)
  .describe("`queued` until a moderator decides; `accepted` ones join the next harvest of their source.");

export const submissionId = z.string().regex(/^d[0-9a-f]{24}$/);
export const EXAMPLE_SUBMISSION = "d08e6a3f72c9b14d5fa0e63b1";

/** The members of an evaluation, read in the same way; the version may be left out (interface.md, "Request body shapes"). */
export const datasetSubmissionRequest = unversionedRequest;

export const datasetSubmission = shape(
  "DatasetSubmission",
  z
    .object({
      id: submissionId,
      identifier: z.string().describe("The text that was sent, white space around it aside."),
      source: z.string().describe("The source it is to be harvested from."),
      sourceId: z.string().describe("Its id there."),
      rubricVersion: rubricVersion.describe(
        "The version that was asked for. A release scores a dataset under all versions it publishes.",
      ),
      state: submissionState,
      decisionReason: z.string().nullable().describe("The words of the moderator; null where nothing was said."),
      createdAt: instant,
      decidedAt: instant.nullable().describe("Null while it is queued."),
      harvestedAt: instant.nullable().describe("The moment at which a harvest was done with it; null before."),
      harvestOutcome: z
        .string()
        .nullable()
        .describe(
          "The outcome of that: `kept`, `gone` or `refused` by the source, or `known` already; null before. The next release has what was kept.",
        ),
    })
    .describe("A dataset that was submitted."),
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
