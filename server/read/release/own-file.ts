/** A file that a release's manifest names and that lies in its folder: the only ones that are read for anybody. */

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../frame/answering/problem-error.ts";

/**
 * Its path. A release is made of plain files: a link in it is somebody else's doing and is not followed.
 * @throws ProblemError `not-found`
 */
export async function ownFile(folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  if ((await realpath(file)) === join(await realpath(folder), path)) return file;
  throw new ProblemError("not-found", "The release's manifest names no such file.");
}
