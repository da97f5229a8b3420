/** A build on Apache Spark survives a killed driver, and a cluster that loses an executor. */

import { once } from "node:events";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { executorsLostIn, loggedIn, rowsOfLoneTasksIn, secondAttemptsIn } from "../engine/event-log.ts";
import { SMALL_CONF, sparkPython } from "../engine/spark-here.ts";
import { processesWith, standaloneCluster } from "../engine/standalone-cluster.ts";
import { AS_OF } from "../support/bundled-corpus.ts";
import { jsonLines, runCommand, startCommand } from "../support/command-line.ts";
import { filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const MINUTES = 60_000;
const RECORDS = 2000;

describe.skipIf(sparkPython === null)("an interrupted build on Spark", () => {
  const environment = { PYSPARK_PYTHON: sparkPython ?? "" };
  let original: TemporaryStore;
  let digest: string;

  beforeAll(async () => {
    const filled = await filledStore({ generated: { datacite: RECORDS, seed: 3 }, builds: [{ threads: 2 }] });
    original = filled;
    digest = filled.last.releaseDigest;
  }, 30 * MINUTES);

  afterAll(() => original[Symbol.asyncDispose]());

  async function copy(): Promise<TemporaryStore> {
    const beside = await temporaryStore();
    await cp(join(original.store.root, "raw"), join(beside.store.root, "raw"), { recursive: true });
    return beside;
  }

  function listParameters({ store }: TemporaryStore, master: string, conf: Readonly<Record<string, string>>): string[] {
    const settings = Object.entries(conf).flatMap(([name, value]) => ["--spark-conf", `${name}=${value}`]);
    const spark = ["--engine", "spark", "--master", master, ...settings];
    return ["build", "--as-of", AS_OF, "--store", store.root, "--threads", "1", "--json", ...spark];
  }

  /** Waits until the folder of a stage has its final name. */
  async function untilDone({ store }: TemporaryStore, stage: string): Promise<void> {
    const isDone = async () => {
      const [run] = await readdir(store.work(""));
      return run !== undefined && (await readdir(store.work(run))).includes(stage);
    };
    await vi.waitUntil(() => isDone().catch(() => false), { timeout: 20 * MINUTES, interval: 200 });
  }

  /** Waits until no running process names the store. */
  function untilAlone({ store }: TemporaryStore): Promise<boolean> {
    const alone = async () => (await processesWith(store.root)).length === 0;
    return vi.waitUntil(alone, { timeout: 2 * MINUTES, interval: 200 });
  }

  test(
    "a killed build on Spark leaves no Spark process, and resumes when it is run again",
    async () => {
      await using beside = await copy();
      const parameters = listParameters(beside, "local[2]", SMALL_CONF);
      const killed = startCommand(parameters, { environment });
      const gone = once(killed, "exit");
      await untilDone(beside, "2-normalise");
      // At least two processes, the build and Java, are running.
      expect((await processesWith(beside.store.root)).length).toBeGreaterThan(1);
      killed.kill("SIGKILL");
      await gone;
      await untilAlone(beside);
      const { stdout } = await runCommand(parameters, { environment });
      expect(jsonLines(stdout).at(-1)).toMatchObject({ created: true, receipt: { releaseDigest: digest } });
      await untilAlone(beside);
    },
    40 * MINUTES,
  );

  test(
    "a build on Spark gives the same digest although one of two executors is killed",
    async () => {
      await using beside = await copy();
      await using cluster = await standaloneCluster(environment.PYSPARK_PYTHON, beside.folder);
      const events = join(beside.folder, "events");
      await mkdir(events);
      const conf = {
        ...loggedIn(events),
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "700m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "4",
        // Small partitions stay separate, so that a single task is one by design.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.speculation": "true",
        "spark.speculation.multiplier": "1.01",
        "spark.speculation.quantile": "0.1",
        "spark.speculation.minTaskRuntime": "1ms",
      };
      const ended = runCommand(listParameters(beside, cluster.master, conf), { environment });
      const both = async () => (await cluster.executors()).length === 2;
      await vi.waitUntil(both, { timeout: 5 * MINUTES, interval: 200 });
      await untilDone(beside, "2-normalise");
      const [victim = 0] = await cluster.executors();
      process.kill(victim, "SIGKILL");
      const { stdout, stderr } = await ended;
      expect(jsonLines(stdout).at(-1), stderr).toMatchObject({ created: true, receipt: { releaseDigest: digest } });
      expect(await executorsLostIn(events)).toBeGreaterThan(0);
      expect(await secondAttemptsIn(events)).toBeGreaterThan(0);
      // A single task counts the 256 prefixes of ids, however many ids there are.
      expect((await rowsOfLoneTasksIn(events))[0]).toBeLessThanOrEqual(256);
    },
    60 * MINUTES,
  );
});
