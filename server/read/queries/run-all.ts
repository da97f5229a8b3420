/** Runs the statements that prepare a release's tables. */

import type { Database } from "../../../pipeline/engine/open.ts";

/** One after the other, as long as they are wanted. An address is a file of statements. */
export async function runAll(db: Database, statements: readonly (string | URL)[], signal: AbortSignal): Promise<void> {
  for (const statement of statements) {
    signal.throwIfAborted();
    await (statement instanceof URL ? db.runFile(statement) : db.run(statement));
  }
}
