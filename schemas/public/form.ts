/** Describes the field in a repository's form that fills an evidence column (from pipeline/sources/<name>/pledge.json). */

import { z } from "zod";
import { type EvidenceName, evidenceName } from "./evidence.ts";
import type { Signal } from "./rubric.ts";

export const adviceFor = z
  .enum(["depositor", "repository", "data centre"])
  .describe(
    "The person or organisation that can follow the advice: the depositor, the repository, or the data centre that registers the metadata.",
  );
export type AdviceFor = z.infer<typeof adviceFor>;

export const effort = z
  .enum(["record", "version", "files"])
  .describe("The effort: edit the record, publish a new version, or add files.");
export type Effort = z.infer<typeof effort>;

export const form = z
  .strictObject({
    /** The label of the field, step or section; null if it is not documented. */
    label: z.string().min(1).nullable(),
    who: adviceFor,
    /** How much work it is to fill the field; null if the service fills it itself. */
    effort: effort.nullable(),
    /** The URL of a page that shows the label; null if there is none. */
    page: z.url().nullable(),
    /** The day on which somebody last checked the page, or last searched for documentation; null if never. */
    checked: z.iso.date().nullable(),
  })
  .refine(({ label, page }) => (label === null) === (page === null), {
    error: "label and page must both be set, or both be null (a label needs the URL of a page that shows it)",
  })
  .refine(({ label, effort }) => label === null || effort !== null, {
    error: "effort must be record, version or files, because label is set",
  })
  .refine(({ effort, checked }) => (effort === null) === (checked === null), {
    error: "effort and checked must both be set, or both be null (checked is a day such as 2026-11-01)",
  });
export type SignalForm = z.infer<typeof form>;

/** Form fields by evidence column, because signals of several contracts use the same columns. */
export const forms = z.partialRecord(evidenceName, form);
export type Forms = z.infer<typeof forms>;

/**
 * Returns the form field of a signal. If the signal needs several evidence columns, the first column with a form field
 * decides.
 */
export function findForm(of: Forms | undefined, { needs }: Pick<Signal, "needs">): SignalForm | undefined {
  const column: EvidenceName | undefined = needs.find((name) => of?.[name] !== undefined);
  return column === undefined ? undefined : of?.[column];
}
