/** Dataset submissions: a user asks for a dataset to be harvested. */

import { z } from "zod";
import { rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { instant } from "../scalars.ts";
import { type AccountItem, defineEndpoints } from "./items.ts";
import { defineAccountList } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

const SUBMISSION_STATES = ["queued", "accepted", "rejected"] as const;
export const submissionState = z
  .enum(SUBMISSION_STATES)
  .describe("`queued` until a moderator decides. The next harvest of the source includes `accepted` ones.");

const submissionId = z.string().regex(/^d[0-9a-f]{24}$/);
const EXAMPLE_SUBMISSION = "d08e6a3f72c9b14d5fa0e63b1";

const datasetSubmission = shape(
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
          "The outcome of the harvest: `kept` (stored for the next release), `gone` (the source does not have it), `rejected` (unreadable) or `known` (already harvested); null before.",
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

const list = defineAccountList("DatasetSubmissionList", datasetSubmission);

export const submissionKey = {
  name: "id",
  schema: submissionId,
  description: "Id of a submission, from `/account/dataset-submissions`.",
  example: EXAMPLE_SUBMISSION,
  unknown: {
    problem: "not-found",
    detail: "You have no dataset submission with this id. GET /account/dataset-submissions lists yours.",
  },
} as const;
const endpoints = defineEndpoints({
  path: "/account/dataset-submissions",
  key: submissionKey,
  row: datasetSubmission,
  list,
});

export const datasetSubmissions = {
  words: "dataset submissions",
  most: 1000,
  overview: list,
  exported: z.array(datasetSubmission),
  page: "submitted",
  routes: {
    "dataset-submissions": endpoints.list("List your submitted datasets", "With their states, newest first."),
    "new-dataset-submission": endpoints.add(
      "Submit a dataset to be harvested",
      "`POST /evaluations` accepts the same identifiers. A DOI of no known source is looked up at DataCite. A moderator decides. The next harvest of the source includes accepted datasets. `rubricVersion` is optional.",
      unversionedRequest,
      ["unsupported-source", "duplicate", "account-full"],
    ),
    "dataset-submission": endpoints.get(
      "Get a submitted dataset",
      "The response has the moderator's decision and the outcome of the harvest.",
    ),
    "withdraw-dataset-submission": endpoints.remove(
      "Withdraw a submission",
      "If it was decided, it only disappears from your list; the decision stays.",
    ),
  },
  actions: {
    submit: {
      route: "new-dataset-submission",
      fields: ["identifier"],
      part: "submissions",
      done: "Submitted.",
      continued: { title: "Ask to include this dataset in the next release?", button: "Submit" },
    },
    "withdraw-submission": {
      route: "withdraw-dataset-submission",
      fields: ["id"],
      part: "submissions",
      done: "Withdrawn.",
    },
  },
} as const satisfies AccountItem;
