/**
 * The three rings of suites. `make test` runs the first: what every change should see, in minutes. `make test-all` runs the
 * first two, and so does CI: what it does not run is not tested. `make soak` runs the third, which takes hours if it may.
 * A suite that is not named here is in the first ring.
 */

export const RINGS = ["first", "all", "soak"] as const;
export type Ring = (typeof RINGS)[number];

/**
 * Whole stories of releases, processes by the dozen: the second ring. What is asked of every database is asked of SQLite alone
 * in the first ring, but for the store itself (test/accounts/each-database.ts).
 */
export const SECOND: readonly string[] = [
  "test/architecture/container.test.ts",
  "test/architecture/deployment.test.ts",
  "test/architecture/new-contract.test.ts",
  "test/architecture/readme.test.ts",
  "test/clients/**/*.test.ts",
  "test/describe/**/*.test.ts",
  "test/diff/**/*.test.ts",
  // A build on Spark: a minute or two of CPU, most of it Java's.
  "test/engine/spark.test.ts",
  "test/gates/**/*.test.ts",
  // Every order of every list, row by row.
  "test/queries/cursors.test.ts",
  "test/queries/streams.test.ts",
  // Nights of a store, a build and a verification each.
  "test/run/bucket.test.ts",
  "test/run/news.test.ts",
  "test/run/run.test.ts",
  // Processes of the command, and two builds.
  "test/normalise/slices.test.ts",
  // A build of more records than one pack takes, and three renderings.
  "test/packs/workers.test.ts",
  "test/release/left-over.test.ts",
  // A build for each of its options: a minute of CPU. `golden` and `pages` of the same folder see a receipt as well.
  "test/release/receipt.test.ts",
  "test/lighthouse/**/*.test.ts",
  "test/security/display.test.ts",
  "test/security/forms.test.ts",
  "test/security/mirror.test.ts",
  "test/security/readers.test.ts",
  "test/security/tiny-dumps.test.ts",
  // Every page in a browser, key by key.
  "test/site/keyboard.test.ts",
  "test/trust/**/*.test.ts",
  "test/validation/validation.test.ts",
];

/** Kills at random moments, load for minutes, large inputs, rebuilds of every kind: the third ring. */
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

/** Of the other rings, those that ask more questions where there is time for them. */
export const ASKING_MORE: readonly string[] = ["test/contract/differential.test.ts", "test/evaluate/parity.test.ts"];

const EVERY = "test/**/*.test.ts";

/** What a run of the ring includes and leaves out. */
export function suitesOf(ring: Ring): { include: string[]; exclude: string[] } {
  switch (ring) {
    case "first":
      return { include: [EVERY], exclude: [...SECOND, ...THIRD] };
    case "all":
      return { include: [EVERY], exclude: [...THIRD] };
    case "soak":
      return { include: [...THIRD, ...ASKING_MORE], exclude: [] };
    default:
      return ring satisfies never;
  }
}

/** The ring that SHARE_RING names; all but the third where it names none, so that a suite can be run by its path. */
export function ringOf(name: string | undefined): Ring {
  const ring = name === undefined ? "all" : RINGS.find((known) => known === name);
  if (ring === undefined) throw new Error(`SHARE_RING is ${name}; the rings are ${RINGS.join(", ")}`);
  return ring;
}
