/** sha256 of a file, read a chunk at a time. */

import { createHash } from "node:crypto";
import { readChunks } from "./read-chunks.ts";

/** Hex digits. */
export async function fileDigest(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of readChunks(path)) digest.update(chunk);
  return digest.digest("hex");
}
