/**
 * The three test tiers. `make test` runs the first, which takes minutes and must pass for every change. `make test-all` runs the
 * first two, and so does CI. `make soak` runs the third, which can take hours.
 * A suite that is not named here is in the first tier.
 */

export const TIERS = ["first", "all", "soak"] as const;
export type Tier = (typeof TIERS)[number];

/**
 * Suites of the second tier: long scenarios of releases, and suites with dozens of processes. In the first tier, suites for
 * every database run on SQLite alone, except those of the store itself (test/accounts/each-database.ts).
 */
export const SECOND: readonly string[] = [
  // Every action of an account. `complete` and `decide` cover the same rows.
  "test/account/account.test.ts",
  // Dozens of builds of generated corpora; `indices` and `places` of the same folder cover aggregation.
  "test/aggregate/identity.test.ts",
  "test/aggregate/metrics.test.ts",
  "test/aggregate/places.test.ts",
  "test/aggregate/sampling.test.ts",
  "test/accounts/disk-lost.test.ts",
  "test/accounts/faults.test.ts",
  "test/accounts/keys-command.test.ts",
  "test/architecture/container.test.ts",
  "test/architecture/deployment.test.ts",
  // `npm run check` checks the generated files too.
  "test/architecture/generated.test.ts",
  "test/architecture/changed-program.test.ts",
  "test/architecture/readme.test.ts",
  "test/architecture/sql.test.ts",
  // Each command in its own process, with signals; the first tier tests their parameters.
  "test/cli/check.test.ts",
  "test/cli/commands.test.ts",
  "test/cli/dry-run.test.ts",
  "test/cli/page.test.ts",
  "test/cli/stopping.test.ts",
  "test/clients/**/*.test.ts",
  // Thousands of statements and requests; `server/server` requests the same URLs.
  "test/contract/conformance.test.ts",
  "test/contract/differential.test.ts",
  "test/contract/fuzz.test.ts",
  "test/describe/**/*.test.ts",
  "test/diff/**/*.test.ts",
  // Simultaneous attempts at tasks, and a build on Spark, which takes a minute or two.
  "test/engine/attempts.test.ts",
  "test/engine/spark.test.ts",
  // Every source under every contract, and sources with every fault; `score` and `outbound` cover an evaluation.
  "test/evaluate/come-to-again.test.ts",
  "test/evaluate/command.test.ts",
  "test/evaluate/workers.test.ts",
  "test/evaluate/parity.test.ts",
  "test/evaluate/upstream.test.ts",
  "test/evaluations/evaluations.test.ts",
  "test/evaluations/jobs.test.ts",
  "test/gates/**/*.test.ts",
  // Every fault at every request of a harvest; `resume` and `http` cover the same code.
  "test/harvest/incremental.test.ts",
  "test/harvest/killed.test.ts",
  "test/harvest/worlds.test.ts",
  "test/hidden/hidden.test.ts",
  "test/loop/accounts-command.test.ts",
  "test/loop/manager.test.ts",
  "test/moderate/command.test.ts",
  "test/publish/static-hosts.test.ts",
  // Every order of every list, row by row.
  "test/queries/cursors.test.ts",
  "test/queries/following.test.ts",
  "test/queries/lists.test.ts",
  "test/queries/load.test.ts",
  "test/queries/namespaces.test.ts",
  "test/queries/streams.test.ts",
  // Nightly runs of a store, with a build and a verification each.
  "test/run/bucket.test.ts",
  "test/run/news.test.ts",
  "test/run/run.test.ts",
  "test/normalise/enrichment.test.ts",
  "test/normalise/pieces.test.ts",
  // A build with more records than one pack holds, and three renderings.
  "test/packs/hostile.test.ts",
  "test/packs/merge.test.ts",
  "test/packs/workers.test.ts",
  // The same build in five ways, and on a full disk.
  "test/release/determinism.test.ts",
  "test/release/full-disk.test.ts",
  "test/release/left-over.test.ts",
  "test/release/program-digest.test.ts",
  // A build for each of its options: a minute of CPU. `golden` and `tables` of the same folder check a receipt as well.
  "test/release/pages.test.ts",
  "test/release/receipt.test.ts",
  "test/lighthouse/**/*.test.ts",
  // Slow attacks; `sign-in` and `mail` are the quick ones.
  "test/security/account.test.ts",
  "test/security/availability.test.ts",
  "test/security/display.test.ts",
  "test/security/fair-shares.test.ts",
  "test/security/forms.test.ts",
  "test/security/hostile-answers.test.ts",
  "test/security/mirror.test.ts",
  "test/security/privacy.test.ts",
  "test/security/readers.test.ts",
  "test/security/tiny-dumps.test.ts",
  "test/security/without-accounts.test.ts",
  // Every page in a browser, at every width and by keyboard; `with-script` covers the browser.
  "test/site/browser.test.ts",
  "test/site/feed.test.ts",
  "test/site/keyboard.test.ts",
  "test/site/separators.test.ts",
  "test/site/static-site.test.ts",
  "test/sources/check.test.ts",
  "test/sources/hostile.test.ts",
  "test/trust/**/*.test.ts",
  "test/validation/validation.test.ts",
];

/** Suites of the third tier: kills at random moments, minutes of load, large inputs, and rebuilds of every kind. */
export const THIRD: readonly string[] = [
  "test/soak/**/*.test.ts",
  "test/evaluations/fire.test.ts",
  "test/loop/opt-out.test.ts",
  "test/publish/long.test.ts",
  "test/release/crash.test.ts",
  "test/release/rebuild.test.ts",
  "test/release/rebuild-cases.test.ts",
  "test/release/rebuild-killed.test.ts",
  "test/release/rebuild-random.test.ts",
];

/** Suites of other tiers that run more cases in the third tier. */
export const MORE_CASES_IN_THIRD: readonly string[] = [
  "test/architecture/changed-program.test.ts",
  "test/clients/release-reader.test.ts",
  "test/contract/differential.test.ts",
  "test/evaluate/parity.test.ts",
  "test/lighthouse/pages.test.ts",
  "test/score/differential.test.ts",
  "test/security/mirror.test.ts",
  "test/security/readers.test.ts",
  "test/security/tiny-dumps.test.ts",
  "test/site/browser.test.ts",
  "test/site/static-site.test.ts",
  "test/trust/recompute.test.ts",
  "test/trust/statements.test.ts",
  "test/trust/tampering.test.ts",
];

const EVERY = "test/**/*.test.ts";

/** Returns the suites that a run of the tier includes and excludes. */
export function chooseSuites(tier: Tier): { include: string[]; exclude: string[] } {
  switch (tier) {
    case "first":
      return { include: [EVERY], exclude: [...SECOND, ...THIRD] };
    case "all":
      return { include: [EVERY], exclude: [...THIRD] };
    case "soak":
      return { include: [...THIRD, ...MORE_CASES_IN_THIRD], exclude: [] };
    default:
      return tier satisfies never;
  }
}

/** Returns the tier that SHARE_TIER names. Without a name, returns "all", so that any suite can be run by its path. */
export function readTier(name: string | undefined): Tier {
  const tier = name === undefined ? "all" : TIERS.find((known) => known === name);
  if (tier === undefined) throw new Error(`SHARE_TIER is ${name}; the tiers are ${TIERS.join(", ")}`);
  return tier;
}

/** True for a run of the first tier, in which suites with many cases run only some of them. */
export const IS_FIRST = readTier(process.env.SHARE_TIER) === "first";

/** True for a run of the third tier, in which the suites of MORE_CASES_IN_THIRD run all their cases. */
export const IS_SOAK = readTier(process.env.SHARE_TIER) === "soak";

/** Returns every `step`-th case of a table of similar cases, or all of them in the third tier. */
export function everyNth<T>(cases: readonly T[], step: number): readonly T[] {
  return IS_SOAK ? cases : cases.filter((_, i) => i % step === 0);
}

/** Returns the cases that a suite runs: the first `count` in the first tier, all in the others. */
export function casesToRun<T>(cases: readonly T[], count = 1): readonly T[] {
  return IS_FIRST ? cases.slice(0, count) : cases;
}
