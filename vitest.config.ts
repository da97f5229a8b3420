/** Runs the suites of the tier in SHARE_TIER (test/tiers.ts). */

import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { SecondTierFirst } from "./test/support/second-tier-first.ts";
import { chooseSuites, readTier } from "./test/tiers.ts";

/** File for the results as JSON. `.ci/run` sets a file of its own. */
const RESULTS = process.env.VITEST_JSON ?? "coverage/test-results.json";

/** Node's compile cache, for the hundreds of processes that suites start. */
const COMPILED = fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

const tier = readTier(process.env.SHARE_TIER);
const { include, exclude } = chooseSuites(tier);
const isSoak = tier === "soak";

export default defineConfig({
  test: {
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    environment: "node",
    // Suites run in processes instead of threads, so that DuckDB and killed children do not affect other suites.
    pool: "forks",
    // One more than the cores of a small machine, because suites wait half of the time. Long runs use the whole machine.
    maxWorkers: isSoak ? 1 : 3,
    sequence: { sequencer: SecondTierFirst },
    // Far longer than any test takes. They only stop a test that hangs.
    testTimeout: isSoak ? 30 * 60_000 : 180_000,
    hookTimeout: 300_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Node removes the types from browser code, as it does in the product, so that the suites see the scripts that are served.
    server: { deps: { external: [/\/web\/script\//] } },
    globalSetup: ["test/support/shared-run.ts"],
    env: { NODE_COMPILE_CACHE: COMPILED },
    // The default reporter, because suites that wait for a child would otherwise print over others.
    reporters: process.env.CI ? ["default", ["json", { outputFile: RESULTS }]] : ["default"],
    coverage: {
      provider: "v8",
      include: ["schemas/**", "api-static/**", "pipeline/**", "releases/**", "web/**", "server/**", "cli/**"],
      // It runs in browsers.
      exclude: ["web/script/**"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "coverage",
    },
  },
});
