/** Saved records and authors, each with a note. */

import { z } from "zod";
import { recordRow } from "../api/record.ts";
import { researcherRow } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { researcherId } from "./claim.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
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
