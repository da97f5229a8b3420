/**
 * Writes repairs of DataCite records as enrichment records: one JSON object on each line, as DataCite and COMET exchange
 * them (support.datacite.org, "Metadata enrichments"; cometadata/comet-enrich, configs/schema at commit 0f3b5d9).
 */

import { z } from "zod";
import { readDoi } from "../reading/identifiers.ts";
import { DATACITE_FORMAT } from "./formats.ts";
import type { RepairedRecord } from "./record.ts";

const doi = z.string().refine((text) => readDoi(text) === text.toLowerCase(), "expected a DOI such as 10.1000/project");

/**
 * Where enrichments come from, in one of two forms. Since September 2026, DataCite asks for `sourceId`, the DOI of a
 * COMET project. The schema of COMET's own tools asks for `contributors` and `resources` instead, and rejects lines
 * that have both.
 */
export const provenance = z.union([
  z.strictObject({ sourceId: doi }),
  z.strictObject({
    contributors: z.array(z.looseObject({ name: z.string().min(1), contributorType: z.string().min(1) })).min(1),
    resources: z
      .array(
        z.looseObject({
          relatedIdentifier: z.string().min(1),
          relationType: z.string().min(1),
          relatedIdentifierType: z.string().min(1),
        }),
      )
      .min(1),
  }),
]);
export type Provenance = z.infer<typeof provenance>;

/**
 * Returns one line for each change of a DataCite record; null for another format or a record without a DOI. DataCite
 * only applies a line if its `originalValue` equals a complete entry of the record, so each change contains complete
 * entries.
 */
export function enrichmentLines({ before, repair }: RepairedRecord, source: Provenance): string[] | null {
  const doi = before.record?.doi ?? null;
  if (doi === null || repair?.format.name !== DATACITE_FORMAT) return null;
  return repair.changes.map(({ field, action, original, repaired }) =>
    JSON.stringify({
      doi,
      ...source,
      field,
      action,
      ...(original === undefined ? {} : { originalValue: original }),
      enrichedValue: repaired,
    }),
  );
}
