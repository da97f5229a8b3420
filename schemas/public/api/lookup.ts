/** Request and response of the look-up of records by a list of identifiers. The response has the order of the list. */

import { z } from "zod";
import { named } from "../named.ts";
import { MAX_IDENTIFIER_LENGTH, text } from "../text.ts";
import { meta } from "./common.ts";
import { recordId, recordRow } from "./record.ts";

/** Largest number of identifiers in one request. */
export const MAX_LOOKED_UP = 1000;

export const lookupRequest = named(
  "LookupRequest",
  z
    .object({
      identifiers: z
        .array(text(MAX_IDENTIFIER_LENGTH), "must be a list of identifiers")
        .min(1, "must have at least one identifier")
        .max(MAX_LOOKED_UP, `must have at most ${MAX_LOOKED_UP} identifiers`)
        .describe(
          `Up to ${MAX_LOOKED_UP} DOIs, accessions, landing pages or \`<source>/<id>\`, in any spelling. Repeated identifiers are allowed.`,
        ),
    })
    .describe("A list of identifiers."),
);

export const lookupReason = z
  .enum(["malformed", "unsupported", "withdrawn", "not_dataset", "unknown"])
  .describe(
    "`malformed`: not an identifier. `unsupported`: an identifier of a service that is not a source. `withdrawn`: the source withdrew the dataset. `not_dataset`: the source does not call it a dataset. `unknown`: no dataset with this identifier was harvested.",
  );
export type LookupReason = z.infer<typeof lookupReason>;

export const lookedUp = named(
  "LookedUpRecord",
  z
    .object({
      identifier: z.string().describe("The identifier as in the request."),
      reason: lookupReason.nullable().describe("The reason why there is no record; null if there is one."),
      detail: z.string().nullable().describe("The reason in words, if more is known."),
      supersededBy: recordId
        .nullable()
        .describe("The id of the record, if the identifier belongs to a copy that the record superseded."),
      record: recordRow.nullable().describe("The row of the record, as in `/records`; null if there is none."),
    })
    .describe("The record of one identifier, or the reason why there is none."),
);
export type LookedUp = z.infer<typeof lookedUp>;

export const lookupResult = named(
  "LookupResult",
  z
    .object({
      data: z.array(lookedUp).describe("One entry for each identifier, in the order of the request."),
      _meta: meta,
    })
    .describe("The records of the identifiers, in the order of the request."),
);
export type LookupResult = z.infer<typeof lookupResult>;
