/** What `share-release plan` says of a build before anybody begins it. */

import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type PlanInput, plan } from "../../operations/plan/index.ts";
import { runCommand } from "../support/command-line.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const GB = 1e9;
const ROOMY: PlanInput = { records: 1_000_000, threads: 2, memory: 16 * GB, disk: 100 * GB, within: 24 * 3600 };

describe("which engine", () => {
  test.each([
    { name: "a million fit", input: {}, lacks: [], engine: "duckdb" },
    { name: "no room on the disk", input: { disk: 5 * GB }, lacks: ["disk"], engine: "spark" },
    { name: "no time", input: { within: 300 }, lacks: ["time"], engine: "spark" },
    { name: "no memory for one thread", input: { memory: 0.5 * GB }, lacks: ["memory"], engine: "spark" },
    {
      name: "a hundred million",
      input: { records: 1e8, within: 3600 },
      lacks: ["memory", "disk", "time"],
      engine: "spark",
    },
  ])("$name", ({ input, lacks, engine }) => {
    expect(plan({ ...ROOMY, ...input })).toMatchObject({ lacks, engine });
  });

  test("memory for fewer threads than there are has the build take longer, not fail", () => {
    const wide = plan({ ...ROOMY, threads: 8 });
    const narrow = plan({ ...ROOMY, threads: 8, memory: 2 * GB });
    expect(narrow).toMatchObject({ threadsAdvised: 2, lacks: [], engine: "duckdb" });
    expect(narrow.memory).toBeLessThanOrEqual(2 * GB);
    expect(narrow.seconds).toBeGreaterThan(2 * wide.seconds);
  });

  test.each([
    { records: 1_000_000, measured: 1643 },
    { records: 3_000_000, measured: 2602 },
    { records: 4_000_000, measured: 3710 },
  ])("memory is no less than a build of $records took (MiB)", ({ records, measured }) => {
    const { memory } = plan({ ...ROOMY, records });
    expect(memory / 2 ** 20).toBeGreaterThanOrEqual(measured);
    expect(memory / 2 ** 20).toBeLessThan(1.2 * measured);
  });

  test("the stages' times add up, and twice the records take twice as long but for what is fixed", () => {
    const once = plan(ROOMY);
    expect(once.stages.map(({ stage }) => stage)).toEqual(["normalise", "score", "aggregate", "render", "release"]);
    expect(once.stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(once.seconds, 6);
    const twice = plan({ ...ROOMY, records: 2 * ROOMY.records });
    expect(twice.seconds).toBeLessThan(2 * once.seconds);
    expect(twice.seconds).toBeGreaterThan(1.9 * once.seconds);
    expect(twice.disk.building).toBe(2 * once.disk.building);
  });
});

test("the command looks at the machine, where the store will be once it is there", async () => {
  await using place = await temporaryStore();
  const parameters = ["plan", "--records", "200000", "--threads", "2", "--store", join(place.folder, "not/yet")];
  const { stdout } = await runCommand([...parameters, "--json"]);
  const said: unknown = JSON.parse(stdout);
  const { bsize, bavail } = await statfs(place.folder);
  expect(said).toMatchObject({ records: 200_000, threads: 2, engine: "duckdb", machine: { memory: totalmem() } });
  expect((said as { machine: { disk: number } }).machine.disk / (bsize * bavail)).toBeCloseTo(1, 1);
  const { stdout: words } = await runCommand(parameters);
  expect(words).toMatch(/^records {5}200,000, both versions\ntime {8}about .*: normalise .*\n/);
  expect(words).toContain("engine      duckdb: one machine does it");
});
