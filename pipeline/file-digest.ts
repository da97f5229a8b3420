/** sha256 of a file, read as a stream. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Hex digits. */
export async function fileDigest(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) digest.update(chunk);
  return digest.digest("hex");
}
