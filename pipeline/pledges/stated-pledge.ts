/** A pledge as its file states it, in the repository's own words: by the columns of evidence, whatever contract reads them. */

import { z } from "zod";
import { type EvidenceName, evidenceName } from "../../schemas/public/evidence.ts";
import { form } from "../../schemas/public/form.ts";
import { pledge } from "../../schemas/public/pledge.ts";

/**
 * One sentence, or one for each least number that a rule may ask for: that of the greatest which is not above it holds.
 * `{number}` stands for the number itself.
 */
const advice = z.union([z.string().min(1), z.record(z.string().regex(/^\d+$/), z.string().min(1))]);
export type StatedAdvice = z.infer<typeof advice>;

/** A form as it is published; what it has not is left out of the file. */
const statedForm = z.preprocess(
  (stated) => ({ label: null, effort: null, page: null, checked: null, ...z.looseObject({}).parse(stated) }),
  form,
);

const column = z.strictObject({
  /** Where the payload has it; left out where nothing is said of the column but together with others. */
  field: z.string().min(1).optional(),
  advice: advice.optional(),
  form: statedForm.optional(),
});

/** By the columns it stands for, as `file_count, code_file_count`. */
const unsupported = z.record(z.string(), z.string().min(1)).transform((stated, context) => {
  const why = new Map<EvidenceName, string>();
  for (const [names, reason] of Object.entries(stated)) {
    for (const name of names.split(", ")) {
      const known = evidenceName.safeParse(name).data;
      if (known === undefined) context.addIssue({ code: "custom", message: `there is no column ${name}` });
      else why.set(known, reason);
    }
  }
  return why;
});

export const statedPledge = z.strictObject({
  ...pledge.omit({ contracts: true, forms: true }).shape,
  columns: z.partialRecord(evidenceName, column),
  /** Columns on which no signal can rest, with the reason: those never carried, and those that would mislead. */
  unsupported,
  /** Signals, by key or by contract and key, of which more is to be said than of their columns. */
  signals: z.record(
    z.string(),
    z.strictObject({
      field: z.string().min(1).optional(),
      advice: z.string().min(1).optional(),
      why: z.string().min(1).optional(),
    }),
  ),
});
export type StatedPledge = z.infer<typeof statedPledge>;
