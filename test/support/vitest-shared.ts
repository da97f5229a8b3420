/** What both vitest configurations have in common. */

/** Where the results go as JSON when a machine reads them: .ci/run names a file of its own. */
const RESULTS = process.env.VITEST_JSON ?? "coverage/test-results.json";

/** Suites that take minutes: `make soak` runs them, `make test` does not. */
export const LONG = [
  "test/soak/**/*.test.ts",
  "test/trust/**/*.test.ts",
  "test/evaluations/fire.test.ts",
  "test/gates/**/*.test.ts",
  "test/diff/**/*.test.ts",
  "test/describe/**/*.test.ts",
  "test/publish/long.test.ts",
  "test/release/crash.test.ts",
  "test/release/rebuild.test.ts",
  "test/loop/opt-out.test.ts",
  "test/release/rebuild-cases.test.ts",
  "test/release/rebuild-killed.test.ts",
  "test/release/rebuild-random.test.ts",
];

export const shared = {
  environment: "node",
  // Processes, not threads: DuckDB and killed children stay apart from other suites.
  pool: "forks",
  // One more than the two cores that a small machine has: suites wait for servers and disks half of the time.
  maxWorkers: 3,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  globalSetup: ["test/support/shared-run.ts"],
  // A suite that waits for a child must not print over the others.
  reporters: process.env.CI ? ["default", ["json", { outputFile: RESULTS }]] : ["default"],
} satisfies import("vitest/config").ViteUserConfig["test"];
