/** Where a depositor enters what an evidence column is read from, in the words of the service's own form (stated in pipeline/sources/<name>/pledge.json). */

import { z } from "zod";
import { type EvidenceName, evidenceName } from "./evidence.ts";
import type { Signal } from "./rubric.ts";

export const adviceFor = z
  .enum(["depositor", "repository", "data centre"])
  .describe(
    "The one whose job it is: who deposited the data, the service that holds or passes on the record, or the centre that registers its metadata.",
  );
export type AdviceFor = z.infer<typeof adviceFor>;

export const effort = z
  .enum(["record", "version", "files"])
  .describe("The effort it takes: an edit of the record, a new version of it, or new files.");
export type Effort = z.infer<typeof effort>;

export const form = z
  .strictObject({
    /** The field, step or section as the form calls it; null where no documentation of it was found. */
    label: z.string().min(1).nullable(),
    who: adviceFor,
    /** Null where nothing can be entered: it is counted or stated by the service. */
    effort: effort.nullable(),
    /** The page that shows the label. */
    page: z.url().nullable(),
    /** The day on which the page was read, or looked for in vain. */
    checked: z.iso.date().nullable(),
  })
  .refine(({ label, page }) => (label === null) === (page === null), { error: "a label stands with its page" })
  .refine(({ label, effort }) => label === null || effort !== null, { error: "what has a label can be entered" })
  .refine(({ effort, checked }) => (effort === null) === (checked === null), {
    error: "what can be entered was looked for on a day",
  });
export type Form = z.infer<typeof form>;

/**
 * Forms by the evidence column that decides, so that signals of several contracts share one cell. No cell is a default.
 */
export const forms = z.partialRecord(evidenceName, form);
export type Forms = z.infer<typeof forms>;

/** The cell of a signal: that of the first column it needs which has one. */
export function formOf(of: Forms | undefined, { needs }: Pick<Signal, "needs">): Form | undefined {
  const column: EvidenceName | undefined = needs.find((name) => of?.[name] !== undefined);
  return column === undefined ? undefined : of?.[column];
}
