/** Saved records and authors, each with a note. */

import { z } from "zod";
import { total } from "../api/common.ts";
import { evaluation, rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { recordId, recordRow } from "../api/record.ts";
import { researcherRow } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { researcherId } from "./claim.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, type ExampleParts, shape } from "./shape.ts";
import { authorSlug, idOfRecord, note, shownSlug } from "./texts.ts";

const KEPT = { note: "For the review.", savedAt: EXAMPLE_MOMENTS.begun, updatedAt: EXAMPLE_MOMENTS.later };

const noteToKeep = note
  .optional()
  .describe("A note of one's own. Left out, an earlier one stays; an empty one removes it.");

/** Unknown members are ignored. */
export const savedRecordRequest = shape(
  "SaveRecordRequest",
  z
    .object(
      {
        recordId: idOfRecord,
        note: noteToKeep,
      },
      "must be a JSON object",
    )
    .describe("A record to be saved."),
  ({ record }) => ({ recordId: record.id, note: KEPT.note }),
);

/** Unknown members are ignored. */
export const savedAuthorRequest = shape(
  "SaveAuthorRequest",
  z.object({ authorSlug, note: noteToKeep }, "must be a JSON object").describe("A researcher to be saved."),
  ({ researcher }) => ({ authorSlug: researcher.slug, note: KEPT.note }),
);

const saved = {
  note: z.string().nullable(),
  savedAt: instant.describe("The moment at which it was saved first."),
  updatedAt: instant.describe("The moment at which it was saved last."),
};

export const savedRecord = shape(
  "SavedRecord",
  z
    .object({
      recordId: z.string(),
      ...saved,
      record: recordRow
        .nullable()
        .describe("The record as the active release lists it under SHARE 2.0; null where it does not."),
    })
    .describe("A record one has saved."),
  ({ record }) => ({ recordId: record.id, ...KEPT, record }),
);
export type SavedRecord = z.infer<typeof savedRecord>;

export const savedAuthor = shape(
  "SavedAuthor",
  z
    .object({
      authorId: researcherId.describe("Names it for DELETE."),
      authorSlug: shownSlug.describe("Their slug of today; null where the researcher has opted out."),
      ...saved,
      researcher: researcherRow
        .nullable()
        .describe("The researcher as the active release lists them under SHARE 2.0; null where it does not."),
    })
    .describe("A researcher one has saved."),
  ({ researcher }) => ({ authorId: researcher.id, authorSlug: researcher.slug, ...KEPT, researcher }),
);
export type SavedAuthor = z.infer<typeof savedAuthor>;

export const savedRecordList = accountListOf("SavedRecordList", savedRecord);
export const savedAuthorList = accountListOf("SavedAuthorList", savedAuthor);

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

const measurementRow = shape(
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

export const measurementList = accountListOf("MeasurementList", measurementRow);
