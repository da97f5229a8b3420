/** 200,000 records give the same release on DuckDB, on Spark in one process, and on a standalone cluster of two executors. */

import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../pipeline/store/store.ts";
import { manifestLines } from "../../releases/verify/files.ts";
import { loggedIn, rowsOfLoneTasksIn } from "../engine/event-log.ts";
import { rowsOfBoth } from "../engine/same-release.ts";
import { sparkPython } from "../engine/spark-here.ts";
import { standaloneCluster } from "../engine/standalone-cluster.ts";
import { buildRelease } from "../support/build-release.ts";
import { filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const MINUTES = 60_000;
const RECORDS = 200_000;

/** Settings that keep small partitions separate. A stage with a single task then has one task by design. */
const APART = { "spark.sql.adaptive.coalescePartitions.enabled": "false", "spark.sql.shuffle.partitions": "8" };

describe.skipIf(sparkPython === null)("a release of 200,000 records on Spark and on DuckDB", () => {
  const python = sparkPython ?? "";
  let original: TemporaryStore;
  let digest: string;

  beforeAll(async () => {
    const filled = await filledStore({ generated: { datacite: RECORDS, seed: 11 }, builds: [{ threads: 2 }] });
    original = filled;
    digest = filled.last.releaseDigest;
  }, 30 * MINUTES);

  afterAll(() => original[Symbol.asyncDispose]());

  /** Returns the sha256 of each pack by path, without the pack whose pages name the release. */
  async function listPacks(store: Store): Promise<ReadonlyMap<string, string>> {
    const packs = new Map<string, string>();
    for await (const line of manifestLines(join(store.release(digest), "manifest.ndjson"))) {
      const { path = "", sha256 = "" } = line ?? {};
      if (path.endsWith(".zst") && path !== "pages/release.zst") packs.set(path, sha256);
    }
    return packs;
  }

  async function builtBeside(master: string, conf: Readonly<Record<string, string>>, beside: TemporaryStore) {
    await cp(join(original.store.root, "raw"), join(beside.store.root, "raw"), { recursive: true });
    const events = join(beside.folder, "events");
    await mkdir(events);
    const spark = { master, conf: { ...APART, ...loggedIn(events), ...conf }, python };
    const { receipt } = await buildRelease(beside.store, { threads: 2, spark });
    expect(receipt.tool.engine).toMatch(/^Apache Spark/);
    expect(receipt.releaseDigest).toBe(digest);
    expect(await rowsOfBoth(original.store, beside.store, digest)).toBeGreaterThan(RECORDS);
    const packs = await listPacks(original.store);
    expect(packs.size).toBeGreaterThan(100);
    expect(await listPacks(beside.store)).toEqual(packs);
    // A stage with a single task reads few rows (under 1 %), except directly from a file.
    expect((await rowsOfLoneTasksIn(events))[0]).toBeLessThan(RECORDS / 100);
  }

  test(
    "200,000 records give the same release with Spark on local[2] as with DuckDB",
    async () => {
      await using beside = await temporaryStore();
      await builtBeside("local[2]", { "spark.driver.memory": "4g" }, beside);
    },
    60 * MINUTES,
  );

  test(
    "200,000 records give the same release with Spark on a cluster of two executors as with DuckDB",
    async () => {
      await using beside = await temporaryStore();
      await using cluster = await standaloneCluster(python, beside.folder);
      const conf = {
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.executor.cores": "1",
      };
      await builtBeside(cluster.master, conf, beside);
    },
    60 * MINUTES,
  );
});
