/** Saved records and authors, each with a note. */

import { z } from "zod";
import { total } from "../api/common.ts";
import { evaluation, rubricVersion, unversionedRequest } from "../api/evaluation.ts";
import { LONGEST_LABEL } from "../api/lists.ts";
import { recordId, recordRow } from "../api/record.ts";
import { researcherRow } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { text } from "../text.ts";
import { researcherId } from "./claim.ts";
import { accountListOf, accountListQuery } from "./list.ts";
import { EXAMPLE_MOMENTS, type ExampleParts, shape } from "./shape.ts";
import { authorSlug, idOfRecord, note, shownSlug } from "./texts.ts";

const KEPT = { note: "For the review.", savedAt: EXAMPLE_MOMENTS.begun, updatedAt: EXAMPLE_MOMENTS.later };

const noteToKeep = note
  .optional()
  .describe("Your note. Without this field, an earlier note stays; an empty note removes it.");

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
    .describe("The record to save."),
  ({ record }) => ({ recordId: record.id, note: KEPT.note }),
);

export const savedAuthorRequest = shape(
  "SaveAuthorRequest",
  z.object({ authorSlug, note: noteToKeep }, "must be a JSON object").describe("The researcher to save."),
  ({ researcher }) => ({ authorSlug: researcher.slug, note: KEPT.note }),
);

const saved = {
  note: z.string().nullable(),
  savedAt: instant.describe("The time when it was first saved."),
  updatedAt: instant.describe("The time when it was last saved."),
};

export const savedRecord = shape(
  "SavedRecord",
  z
    .object({
      recordId: z.string(),
      ...saved,
      record: recordRow.nullable().describe("The record in the active release under SHARE 2.0, or null."),
    })
    .describe("A saved record."),
  ({ record }) => ({ recordId: record.id, ...KEPT, record }),
);
export type SavedRecord = z.infer<typeof savedRecord>;

export const savedAuthor = shape(
  "SavedAuthor",
  z
    .object({
      authorId: researcherId.describe("Use it with DELETE."),
      authorSlug: shownSlug.describe("Their current slug; null if the researcher has opted out."),
      ...saved,
      researcher: researcherRow.nullable().describe("The researcher in the active release under SHARE 2.0, or null."),
    })
    .describe("A saved researcher."),
  ({ researcher }) => ({ authorId: researcher.id, authorSlug: researcher.slug, ...KEPT, researcher }),
);
export type SavedAuthor = z.infer<typeof savedAuthor>;

export const savedRecordListQuery = accountListQuery.extend({
  recordId: recordId
    .optional()
    .meta({ description: "Only this record, by any of its ids.", examples: ["r1a613b3271281b736c4d1106"] }),
});
export type SavedRecordListQuery = z.infer<typeof savedRecordListQuery>;

export const savedRecordList = accountListOf("SavedRecordList", savedRecord);
export const savedAuthorList = accountListOf("SavedAuthorList", savedAuthor);

/** The label of a repository is its only id. */
const repository = text(LONGEST_LABEL, 1).describe("Exact label of a repository.");

export const savedRepositoryRequest = shape(
  "SaveRepositoryRequest",
  z.object({ repository }, "must be a JSON object").describe("The repository to save."),
  ({ record }) => ({ repository: record.repository ?? "Zenodo" }),
);

export const savedRepository = shape(
  "SavedRepository",
  z.object({ repository: z.string(), savedAt: saved.savedAt }).describe("A saved repository."),
  ({ record }) => ({ repository: record.repository ?? "Zenodo", savedAt: KEPT.savedAt }),
);
export type SavedRepository = z.infer<typeof savedRepository>;

export const savedRepositoryList = accountListOf("SavedRepositoryList", savedRepository);

export const changeMails = shape(
  "ChangeMails",
  z
    .object({ since: instant.describe("The time when they were switched on.") })
    .describe("Emails about changes of saved datasets, researchers and repositories: one after each release."),
  () => ({ since: EXAMPLE_MOMENTS.begun }),
);
export type ChangeMails = z.infer<typeof changeMails>;

export const measurementId = z.string().regex(/^m[0-9a-f]{24}$/);
export const EXAMPLE_MEASUREMENT = "m94b7d1e05c8f26a3b7e40d1c";

export const measurementRequest = unversionedRequest;

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

export const measurement = shape(
  "Measurement",
  measurementRow
    .extend({ evaluation: evaluation.describe("The evaluation at that time.") })
    .describe("A saved evaluation."),
  (parts) => ({ ...exampleRow(parts), evaluation: parts.evaluation }),
);

export const measurementList = accountListOf("MeasurementList", measurementRow);
