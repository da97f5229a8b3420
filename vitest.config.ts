/** How suites run: those of the ring that SHARE_RING names (test/rings.ts). */

import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { ringOf, suitesOf } from "./test/rings.ts";
import { SecondRingFirst } from "./test/support/second-ring-first.ts";

/** Where the results go as JSON when a machine reads them: .ci/run names a file of its own. */
const RESULTS = process.env.VITEST_JSON ?? "coverage/test-results.json";

/** What Node compiles of the sources is kept, types stripped, for the processes that suites start by the hundred. */
const COMPILED = fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const ring = ringOf(process.env.SHARE_RING);
const { include, exclude } = suitesOf(ring);
const isSoak = ring === "soak";

export default defineConfig({
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    environment: "node",
    // Processes, not threads: DuckDB and killed children stay apart from other suites.
    pool: "forks",
    // One more than the two cores that a small machine has: suites wait for servers and disks half of the time. Long runs
    // have the machine to themselves.
    maxWorkers: isSoak ? 1 : 3,
    sequence: { sequencer: SecondRingFirst },
    // Far above what anything takes: they end what hangs, and judge no speed.
    testTimeout: isSoak ? 30 * 60_000 : 180_000,
    hookTimeout: 300_000,
    globalSetup: ["test/support/shared-run.ts"],
    env: { NODE_COMPILE_CACHE: COMPILED, ...(isSoak ? { SHARE_SOAK: "1" } : {}) },
    // A suite that waits for a child must not print over the others.
    reporters: process.env.CI ? ["default", ["json", { outputFile: RESULTS }]] : ["default"],
    coverage: {
      provider: "v8",
      include: ["schemas/**", "api-static/**", "pipeline/**", "releases/**", "web/**", "server/**", "cli/**"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "coverage",
    },
  },
});
