/** A build on Apache Spark gives the release that DuckDB gives: digest, rows and packs. */

import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import type { Progress } from "../../pipeline/stage/effects.ts";
import type { ReleaseResult } from "../../releases/activate.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { writeHostile } from "./hostile-text.ts";
import { filesAlike, rowsOfBoth } from "./same-release.ts";
import { SMALL_CONF, sparkPython } from "./spark-here.ts";

const MINUTES = 60_000;

/** The golden corpus, hostile texts beside it, and everything that a build can be given. */
describe.skipIf(sparkPython === null)("the same release from both engines", () => {
  let one: TemporaryStore;
  let other: TemporaryStore;
  let onDuckDB: ReleaseResult;
  let onSpark: ReleaseResult;
  const progressed: Progress[] = [];

  beforeAll(async () => {
    one = await temporaryStore();
    other = await temporaryStore();
    await harvestBundled(one.store);
    const { payloads, citations } = await writeHostile(one.folder);
    const paths = { paths: [payloads], retrievedAt: RETRIEVED_AT, limit: null };
    await harvestFiles(one.store, datacite, paths, recordedEffects());
    await cp(join(one.store.root, "raw"), join(other.store.root, "raw"), { recursive: true });
    const ror = join(one.folder, "ror.json");
    await writeFile(ror, JSON.stringify([{ id: "https://ror.org/0abcd1z09", country: { country_code: "NO" } }]));
    const options = {
      threads: 2,
      citations,
      ror,
      withheld: ["a000000000000000000000000"],
      alsoContracts: OTHER_CONTRACTS,
    };
    onDuckDB = await buildRelease(one.store, options);
    const spark = { master: "local[2]", conf: SMALL_CONF, python: sparkPython ?? "" };
    onSpark = await buildRelease(other.store, { ...options, spark }, undefined, progressed);
  }, 20 * MINUTES);

  afterAll(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  test("the digest, and every root it is made of", () => {
    expect(onSpark.receipt.tool.engine).toMatch(/^Apache Spark \d/);
    expect(onSpark.receipt.content).toEqual(onDuckDB.receipt.content);
    expect(onSpark.receipt.releaseDigest).toBe(onDuckDB.receipt.releaseDigest);
    expect(onSpark.receipt.coverage).toEqual(onDuckDB.receipt.coverage);
  });

  test("progress, while a statement of many is worked on", () => {
    const steps = progressed.filter(({ stage, unit }) => stage === "aggregate" && unit === "steps");
    expect(steps.some(({ done }) => !Number.isInteger(done))).toBe(true);
    expect(steps.every(({ done, total }) => done >= 0 && done <= (total ?? 0))).toBe(true);
  });

  test("every table, row for row", async () => {
    const rows = await rowsOfBoth(one.store, other.store, onDuckDB.receipt.releaseDigest);
    expect(rows).toBeGreaterThan(1000);
  });

  test("every pack and file, byte for byte, and every page", async () => {
    const digest = onDuckDB.receipt.releaseDigest;
    const wanted = await filesAlike(one.store, digest);
    expect([...wanted.keys()].filter((path) => path.endsWith(".zst")).length).toBeGreaterThan(4);
    expect(await filesAlike(other.store, digest)).toEqual(wanted);
  });
});

describe("what is missing is said, with what installs it", () => {
  test.skipIf(sparkPython === null)("Java", async () => {
    await using empty = await temporaryStore();
    await harvestBundled(empty.store, ["osf"]);
    const python = join(empty.folder, "python");
    // The Python that has pyspark, where there is no Java.
    await writeFile(python, `#!/bin/sh\nexec env -u JAVA_HOME PATH=/nowhere ${sparkPython} "$@"\n`, { mode: 0o755 });
    const spark = { master: "local[1]", conf: {}, python };
    await expect(buildRelease(empty.store, { spark })).rejects.toThrow(/^Spark needs java.*openjdk-17-jre-headless/);
  });

  test.each([
    { python: "/nowhere/python", says: /make spark/ },
    { python: "/usr/bin/env", says: /make spark|did not start/ },
  ])("a Python that is none: $python", async ({ python, says }) => {
    await using empty = await temporaryStore();
    await harvestBundled(empty.store, ["osf"]);
    const spark = { master: "local[1]", conf: {}, python };
    await expect(buildRelease(empty.store, { spark })).rejects.toThrow(says);
  });
});
