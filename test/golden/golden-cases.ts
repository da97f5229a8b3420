/** The cases of real-payloads.json, in which people judged the signals of a real payload by hand. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { at } from "../../pipeline/reading/reader.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { evidenceName } from "../../schemas/public/evidence.ts";
import { publicVersion } from "../../schemas/public/rubric.ts";
import { signalId, signalState } from "../../schemas/public/signal.ts";

/** The folder of the real payloads, which are never part of the repository. */
export const CAPTURES = process.env.SHARE_REAL_PAYLOADS ?? join(import.meta.dirname, "../../../shared/data");
export const capturesAreThere = existsSync(CAPTURES);

const golden = z.strictObject({
  asOf: z.string(),
  cases: z
    .array(
      z.strictObject({
        file: z.string(),
        line: z.int().min(1).optional(),
        source: z.string(),
        sourceId: z.string(),
        why: z.string(),
        evidence: z.partialRecord(evidenceName, z.union([z.int(), z.boolean(), z.string(), z.null()])),
        states: z.record(publicVersion, z.record(signalId, signalState)),
        totals: z.record(publicVersion, z.int()),
      }),
    )
    .min(1),
});
export type GoldenCase = z.infer<typeof golden>["cases"][number];

export const { asOf: GOLDEN_AS_OF, cases: GOLDEN_CASES } = golden.parse(
  JSON.parse(await readFile(join(import.meta.dirname, "real-payloads.json"), "utf8")),
);

/**
 * Reads the payload of a case: a file with one record, an element of a response with a list, or a line of a JSON Lines file.
 */
export async function readPayload({ file, line, source: name, sourceId }: GoldenCase): Promise<unknown> {
  const source = sourceNamed(name);
  if (source === null) throw new Error(`real-payloads.json names the source ${name}, which does not exist`);
  const text = await readFile(join(CAPTURES, file), "utf8");
  const document: unknown = JSON.parse(line === undefined ? text : (text.split("\n")[line - 1] ?? ""));
  const shape = source.readShape(document);
  if (shape.kind === "rejected") throw new Error(`${file}: ${shape.detail}`);
  const found = at(document, ...shape.path);
  const items = shape.kind === "list" && Array.isArray(found) ? found : [found];
  const item = items.find((candidate) => source.identify(candidate) === sourceId);
  if (item === undefined) throw new Error(`${file} does not contain the record ${sourceId}`);
  return item;
}
