/** The field of a service's own form for an evidence column (from pipeline/sources/<name>/pledge.json). */

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
    /** Null if the service itself determines the value. */
    effort: effort.nullable(),
    /** The page that shows the label. */
    page: z.url().nullable(),
    /** The day on which the page was last checked, or on which documentation was searched. */
    checked: z.iso.date().nullable(),
  })
  .refine(({ label, page }) => (label === null) === (page === null), { error: "a label stands with its page" })
  .refine(({ label, effort }) => label === null || effort !== null, { error: "a field with a label needs an effort" })
  .refine(({ effort, checked }) => (effort === null) === (checked === null), {
    error: "a field that can be entered needs the day of the check",
  });
export type SignalForm = z.infer<typeof form>;

/** Forms by evidence column. Signals of several contracts use the same columns. Empty by default. */
export const forms = z.partialRecord(evidenceName, form);
export type Forms = z.infer<typeof forms>;

/** Returns the form of a signal: the form of its first column that has one. */
export function findForm(of: Forms | undefined, { needs }: Pick<Signal, "needs">): SignalForm | undefined {
  const column: EvidenceName | undefined = needs.find((name) => of?.[name] !== undefined);
  return column === undefined ? undefined : of?.[column];
}
