/** Saved evaluations: a user stores the score of a dataset, to compare it with a later one. */

import { z } from "zod";
import { total } from "../api/common.ts";
import { evaluation, fresh, rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { recordId } from "../api/record.ts";
import { named } from "../named.ts";
import { instant } from "../scalars.ts";
import { type AccountItem, defineEndpoints } from "./items.ts";
import { defineAccountList } from "./list.ts";
import { EXAMPLE_MOMENTS, type ExampleParts, shape } from "./shape.ts";

const measurementId = z.string().regex(/^m[0-9a-f]{24}$/);
const EXAMPLE_MEASUREMENT = "m94b7d1e05c8f26a3b7e40d1c";

const exampleRow = ({ evaluation: { record } }: ExampleParts) => ({
  id: EXAMPLE_MEASUREMENT,
  identifier: "10.5072/complete-modern",
  rubricVersion: "2.0" as const,
  recordId: record.id,
  repository: record.repository,
  title: record.title,
  total: record.score?.total ?? null,
  createdAt: EXAMPLE_MOMENTS.later,
});

const measurementRow = shape(
  "MeasurementRow",
  z
    .object({
      id: measurementId,
      identifier: z.string().describe("The identifier as sent, trimmed."),
      rubricVersion: rubricVersion.describe("The requested version."),
      recordId: recordId.describe("Id of the record, even if no release has it."),
      repository: z.string().nullable(),
      title: z.string().nullable(),
      total: total.nullable().describe("The total; null if the record could not be scored."),
      createdAt: instant,
    })
    .describe("Summary of a saved evaluation."),
  exampleRow,
);
export type MeasurementRow = z.infer<typeof measurementRow>;

const measurement = shape(
  "Measurement",
  measurementRow
    .extend({ evaluation: evaluation.describe("The evaluation at that time.") })
    .describe("A saved evaluation."),
  (parts) => ({ ...exampleRow(parts), evaluation: parts.evaluation }),
);

const measurementRequest = named(
  "MeasurementRequest",
  unversionedRequest.extend({ fresh }).describe("The dataset whose evaluation is saved."),
);

const list = defineAccountList("MeasurementList", measurementRow);

export const measurementKey = {
  name: "id",
  schema: measurementId,
  description: "Id of a saved evaluation, from `/account/measurements`.",
  example: EXAMPLE_MEASUREMENT,
  unknown: {
    problem: "not-found",
    detail: "You have no saved evaluation with this id. GET /account/measurements lists yours.",
  },
} as const;
const endpoints = defineEndpoints({ path: "/account/measurements", key: measurementKey, row: measurement, list });

export const measurements = {
  words: "measurements",
  most: 1000,
  overview: list,
  exported: z.array(measurement),
  page: "measured",
  routes: {
    measurements: endpoints.list("List your saved evaluations", "Newest first, without the evidence."),
    "new-measurement": {
      ...endpoints.add(
        "Evaluate a dataset and save the result",
        "Saves the response of `POST /evaluations` until you delete it. If the active release has the record, `release` names that release. The request counts as an evaluation; each caller can make ten a minute.",
        measurementRequest,
        ["account-full", "not-in-source", "unsupported-source", "source-unreachable", "source-too-slow"],
      ),
      quota: "evaluation",
    },
    measurement: endpoints.get(
      "Get a saved evaluation",
      "The record as it was then, without creators who have opted out since.",
    ),
    "delete-measurement": endpoints.remove(
      "Delete a saved evaluation",
      "The deletion is permanent. The record itself does not change.",
    ),
  },
  actions: {
    measure: {
      route: "new-measurement",
      fields: ["identifier"],
      // The account shows the time of the check, so the repository is asked again, even if a release has the score.
      constant: { fresh: true },
      part: "submissions",
      anchor: "measurements",
      done: "Checked and saved.",
      continued: { title: "Check this dataset and save the result?", button: "Check and save" },
    },
    "delete-measurement": { route: "delete-measurement", fields: ["id"], part: "submissions", done: "Deleted." },
  },
} as const satisfies AccountItem;
