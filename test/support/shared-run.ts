/** A folder that all suites of one run share: it is there before the first of them, and gone after the last. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The environment's name for the folder; the processes that suites start find it there too. */
const NAME = "SHARE_TEST_RUN";

/** The folder; null where no run was set up, as in a script. */
export function sharedFolder(): string | null {
  return process.env[NAME] ?? null;
}

/** Called by vitest once a run, in the process that starts the suites. */
export default async function setUp(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "share-run-"));
  process.env[NAME] = folder;
  return async () => {
    delete process.env[NAME];
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
