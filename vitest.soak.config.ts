/** The long runs: kills at random moments. They run one after the other, with the machine to themselves. */

import { defineConfig } from "vitest/config";
import { LONG, shared } from "./test/support/vitest-shared.ts";

export default defineConfig({
  test: {
    ...shared,
    // Those that ask more questions when there is time for them, too.
    include: [...LONG, "test/contract/differential.test.ts", "test/evaluate/parity.test.ts"],
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    env: { SHARE_SOAK: "1" },
  },
});
