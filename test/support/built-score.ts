/** The build of `score/`, made by the first suite of a run that needs it. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY } from "./bundled-corpus.ts";
import { type MadeOnce, madeOnce } from "./shared-run.ts";

/** Builds `score/`. The build writes `score/dist/`, which a server reads when it starts. */
export function builtScore(): Promise<MadeOnce> {
  return madeOnce("built-score", async () => {
    await promisify(execFile)(process.execPath, [join(REPOSITORY, "score/build.ts")]);
  });
}
