/** Measurements: evaluations that are kept under an account. */

import { z } from "zod";
import { total } from "../api/common.ts";
import { evaluation, rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { recordId } from "../api/record.ts";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, type ExampleParts, shape } from "./shape.ts";

export const measurementId = z.string().regex(/^m[0-9a-f]{24}$/);
export const EXAMPLE_MEASUREMENT = "m94b7d1e05c8f26a3b7e40d1c";

/** The body of a request for a measurement, which has the shape of a submission. */
export const measurementRequest = unversionedRequest;

/** A measurement of the example's evaluation, in short. */
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

export const measurementRow = shape(
  "MeasurementRow",
  z
    .object({
      id: measurementId,
      identifier: z.string().describe("The text that was sent, white space around it aside."),
      rubricVersion: rubricVersion.describe("The version that was asked for."),
      recordId: recordId.describe("Id of the record, whether or not a release lists it."),
      repository: z.string().nullable(),
      title: z.string().nullable(),
      total: total.nullable().describe("The score; null where the record could not be scored."),
      createdAt: instant,
    })
    .describe("An evaluation that was kept, in short."),
  exampleRow,
);
export type MeasurementRow = z.infer<typeof measurementRow>;

export const measurement = shape(
  "Measurement",
  measurementRow
    .extend({ evaluation: evaluation.describe("The record as it was scored then.") })
    .describe("An evaluation that was kept."),
  (parts) => ({ ...exampleRow(parts), evaluation: parts.evaluation }),
);
export type Measurement = z.infer<typeof measurement>;

export const measurementList = accountListOf("MeasurementList", measurementRow);
