/** The raw envelope: one captured payload a line, verbatim, with where and when it was got (files: <store>/raw/<source>/). */

import { z } from "zod";
import { instant, sha256Hex, sourceName } from "../public/scalars.ts";

export const envelope = z.strictObject({
  source: sourceName,
  sourceId: z.string().min(1).max(2048),
  /** When the answer was received; null where recorded input does not say. */
  retrievedAt: instant.nullable(),
  /** Where it came from; null for recorded input without one. */
  url: z.string().max(4096).nullable(),
  /** HTTP status: 200, or 404/410 for a record that is gone. */
  status: z.int().min(100).max(599),
  payloadDigest: sha256Hex,
  /** The record's own text, byte for byte as the source wrote it (UTF-8). */
  payload: z.string(),
  /** Made by `share-release fixtures`: no source said it, and it is evidence of nothing. */
  generated: z.literal(true).optional(),
});
export type Envelope = z.infer<typeof envelope>;
