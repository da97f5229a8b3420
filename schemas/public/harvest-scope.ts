/** Describes which parts of a source were harvested, for receipts and for people. */

import { z } from "zod";

const count = z.int().min(0);

export const harvestScope = z
  .object({
    only: z
      .string()
      .max(400)
      .nullable()
      .describe("The part as `--only` names it, such as `client=tib.tib`; null for all of the service."),
    service: z.url().optional().describe("URL of the service; absent for the source's own service."),
    expected: count.nullable().describe("Records that the service reported; null if unknown."),
    got: count.describe("Records received."),
    complete: z.boolean().nullable().describe("Null if the number of records is unknown."),
  })
  .describe("One harvested part of a source, with its last complete harvest.");
export type HarvestScope = z.infer<typeof harvestScope>;

/** Returns the name of a part of a source, such as "DataCite client tib.tib" or "Dataverse at dataverse.nl". */
export function scopeText(name: string, { only, service }: Pick<HarvestScope, "only" | "service">): string {
  const [selector = "", ...value] = only?.split("=") ?? [];
  const part = only === null ? name : `${name} ${selector} ${value.join("=")}`;
  return service === undefined ? part : `${part} at ${new URL(service).host}`;
}
