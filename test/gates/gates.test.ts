/**
 * Tests gates, which stop a release that lost too many records or changed too much: what passes, and what a failure prevents.
 */

import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  failedGates,
  type GateCounts,
  gateText,
  judgeGates,
  meanGate,
  sourceGates,
} from "../../pipeline/6-release/gates.ts";
import { compare, type ReleaseSide, readSide } from "../../pipeline/diff/compare.ts";
import { CannotCarryForward } from "../../pipeline/source-receipts.ts";
import { readJournal } from "../../pipeline/store/journal.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { verify } from "../../releases/verify/index.ts";
import { DEFAULT_GATE_LIMITS, type GateLimits, type GateName } from "../../schemas/public/gates.ts";
import type { Coverage } from "../../schemas/public/release.ts";
import { withoutSignal } from "../diff/rejudged.ts";
import { zenodoRecord } from "../release/prolific.ts";
import { makeRecordId } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { runHosted } from "../support/command-host.ts";
import { recordedEffects } from "../support/effects.ts";
import { pageIn } from "../support/release-pages.ts";
import { harvestRecords, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const SOUND: GateCounts = {
  before: 1000,
  after: 1000,
  failedBefore: 0,
  failedAfter: 0,
  withdrawn: 0,
  merged: 0,
  lost: 0,
};

const COUNTS: readonly {
  name: string;
  counts: Partial<GateCounts>;
  limits?: Partial<GateLimits>;
  fails: readonly GateName[];
}[] = [
  { name: "no change", counts: {}, fails: [] },
  { name: "more records than before", counts: { after: 5000 }, fails: [] },
  { name: "exactly the required share", counts: { after: 990, lost: 10 }, fails: [] },
  { name: "one record less than the required share", counts: { after: 989, lost: 10 }, fails: ["completeness"] },
  { name: "one lost record too many", counts: { after: 1500, lost: 11 }, fails: ["lost"] },
  { name: "many records that the source withdrew", counts: { after: 500, withdrawn: 500 }, fails: [] },
  { name: "many records merged into those of another source", counts: { after: 100, merged: 900 }, fails: [] },
  { name: "no records any more", counts: { after: 0, lost: 1000 }, fails: ["completeness", "lost"] },
  { name: "as many more failed records as allowed", counts: { failedBefore: 10, failedAfter: 30 }, fails: [] },
  { name: "one failed record too many", counts: { failedBefore: 10, failedAfter: 31 }, fails: ["failed"] },
  { name: "fewer failed records", counts: { failedBefore: 500, failedAfter: 0 }, fails: [] },
  {
    name: "large losses within wider limits",
    counts: { after: 600, lost: 400, failedAfter: 300 },
    limits: { completeness: 0.5, lost: 0.5, failed: 0.6 },
    fails: [],
  },
];

test.each(COUNTS)("a release passes or fails the gates of a source with $name", ({ counts, limits, fails }) => {
  const gates = sourceGates("zenodo", { ...SOUND, ...counts }, { ...DEFAULT_GATE_LIMITS, ...limits });
  expect(gates.map(({ gate }) => gate)).toEqual(["completeness", "lost", "failed"]);
  expect(failedGates(gates).map(({ gate }) => gate)).toEqual(fails);
});

const MEANS: readonly [before: number, after: number, passed: boolean][] = [
  [50, 55, true],
  [50, 45, true],
  [50, 55.01, false],
  [50, 44.99, false],
  // In binary floating point, 5.1 − 0.1 is slightly more than 5.
  [0.1, 5.1, true],
];

test.each(MEANS)("a change of the mean from %d to %d passes the gate for drift: %s", (before, after, passed) => {
  const gate = meanGate("zenodo", "2.0", before, after, DEFAULT_GATE_LIMITS);
  expect(gate).toMatchObject({ gate: "drift", source: "zenodo", rubric: "2.0", passed });
  expect(gateText(gate)).toContain(`mean ${before.toFixed(2)} → ${after.toFixed(2)}`);
});

/** Ten records with rich metadata. A later harvest replaces half of them with the almost empty ones in `POOR`. */
const GOOD = Array.from({ length: 10 }, (_, i) => zenodoRecord({ id: 99_600_000 + i, keywords: 4, sentences: 4 }));
const POOR = GOOD.slice(0, 5).map((record) => ({
  ...record,
  updated: "2026-10-30T00:00:00+00:00",
  metadata: { title: record.metadata.title, resource_type: record.metadata.resource_type, access_right: "closed" },
}));

describe("failed gates", () => {
  let bench: TemporaryStore;
  let first: string;
  let gated: Awaited<ReturnType<typeof buildRelease>>;

  beforeAll(async () => {
    bench = await temporaryStore();
    await harvestRecords(bench.store, bench.folder, "zenodo", GOOD);
    first = (await buildRelease(bench.store, { sources: ["zenodo"] })).receipt.releaseDigest;
    await harvestRecords(bench.store, bench.folder, "zenodo", POOR);
    gated = await buildRelease(bench.store, { sources: ["zenodo"] }, "2026-11-03T09:30:00.000Z");
  }, 300_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  const command = (name: string, ...more: string[]) => runHosted([name, ...more, "--store", bench.store.root]);

  test("a release that fails a gate is built but not activated, and its receipt states the failure", async () => {
    expect(gated).toMatchObject({ created: true, activated: false });
    expect(gated.gated.map(({ gate, rubric }) => [gate, rubric])).toEqual([
      ["drift", "2.0"],
      ["drift", "1.0"],
    ]);
    expect(failedGates(gated.receipt.gates)).toEqual(gated.gated);
    expect(gated.receipt.forced).toBeNull();
    expect(await currentDigest(bench.store)).toBe(first);
  });

  test("a release that fails a gate cannot be activated by hand without a reason, and the error names every failed gate", async () => {
    const { exitCode, stderr } = await command("release", "activate", gated.receipt.releaseDigest);
    expect(exitCode).toBe(1);
    for (const gate of gated.gated) expect(stderr).toContain(gateText(gate));
    expect(stderr).toContain("--force");
    expect(await currentDigest(bench.store)).toBe(first);
  });

  test("a release that fails a gate is not activated by build without a reason, with a blank reason, or with an invalid limit", async () => {
    const build = (...more: string[]) =>
      command("build", "--as-of", "2026-11-01", "--source", "zenodo", "--threads", "2", ...more);
    const rejected = await build();
    expect(rejected).toMatchObject({ exitCode: 1 });
    expect(rejected.stderr).toContain("drift (zenodo, SHARE 2.0)");
    expect(await build("--force", " ")).toMatchObject({ exitCode: 2 });
    expect(await build("--gate", "drift=many")).toMatchObject({ exitCode: 2 });
    expect(await build("--gate", "speed=1")).toMatchObject({ exitCode: 2 });
    expect(await currentDigest(bench.store)).toBe(first);
  }, 300_000);

  test("a release fails the gate `coverage` if its counts do not add up, and `caps` if a score contradicts the pledge of its source", async () => {
    const { receipt } = gated;
    const sound = await readSide(bench.store.release(receipt.releaseDigest), receipt);
    if (sound.rules === null) throw new Error("the release has no rules");
    const rules = withoutSignal(sound.rules, "zenodo", "2.0.0-beta.2", "S1");
    const faults = async (side: ReleaseSide, coverage: Coverage) => {
      const { db } = await compare(null, side, { threads: 1, memory: "256MB" });
      try {
        return failedGates(
          await judgeGates(db, { before: null, after: side }, coverage, DEFAULT_GATE_LIMITS, new Map()),
        ).map(gateText);
      } finally {
        db.close();
      }
    };
    expect(await faults(sound, receipt.coverage)).toEqual([]);
    const { scored, failed } = receipt.coverage;
    expect(await faults(sound, { ...receipt.coverage, scored: scored - 1, failed: failed + 1 })).toEqual([
      expect.stringMatching(
        /^coverage: the sources have 0 failed payloads in total, but the release has 1; .*the tables have 10 scored/,
      ),
    ]);
    expect(await faults({ ...sound, rules }, receipt.coverage)).toEqual(["caps: 10 of zenodo under 2.0"]);
  });

  test("a release with large changes passes the gates if wider limits are given", async () => {
    await using copy = await temporaryStore(bench.store);
    const wide = await buildRelease(copy.store, { sources: ["zenodo"], asOf: "2026-11-02", gates: { drift: 100 } });
    expect(wide).toMatchObject({ activated: true, gated: [] });
  });

  test("a release that fails a gate is activated if a reason is given, and the receipt stores the reason", async () => {
    await using copy = await temporaryStore(bench.store);
    const reason = "the source emptied these records itself";
    const forced = await buildRelease(copy.store, { sources: ["zenodo"], asOf: "2026-11-02", force: reason });
    expect(forced).toMatchObject({ activated: true, receipt: { forced: reason } });
    expect(forced.gated).toHaveLength(2);
  });

  test("a release that passes all gates stores no reason, even if one is given", async () => {
    await using fresh = await temporaryStore();
    await harvestRecords(fresh.store, fresh.folder, "zenodo", GOOD);
    const { receipt } = await buildRelease(fresh.store, { sources: ["zenodo"], force: "to be safe" });
    expect(receipt.forced).toBeNull();
  });

  test("a release passes the gates if the source that failed is carried forward, and a message names the harvests that are ignored", async () => {
    await using copy = await temporaryStore(bench.store);
    const options = { sources: ["zenodo"], asOf: "2026-11-02", carryForward: ["zenodo"] };
    const { receipt, activated, gated: none } = await buildRelease(copy.store, options);
    expect({ activated, none }).toEqual({ activated: true, none: [] });
    expect(receipt.sources).toMatchObject([{ source: "zenodo", carriedFrom: first, parts: 1 }]);
    expect(receipt.coverage).toMatchObject({ harvested: 10, scored: 10, superseded: 0 });
    const page = `api/2.0/records/${makeRecordId("zenodo/99600000").slice(1, 4)}/${makeRecordId("zenodo/99600000")}.json`;
    const read = async (digest: string) => (await pageIn(copy.store.release(digest), page)).toString("utf8");
    expect(await read(receipt.releaseDigest)).toBe(await read(first));
    // The figures of the source come from the previous release, even though a later harvest is in its log.
    const verifying = { threads: 1, memory: "512MB", rebuild: {} };
    const verified = await verify(copy.store, receipt.releaseDigest, verifying, recordedEffects());
    expect(verified).toMatchObject({ findings: [], unproven: [], rebuilt: { from: "raw payloads" } });
  });

  test("a build cannot carry a source forward if its earlier payloads are missing, or if the active release lacks the source", async () => {
    await using copy = await temporaryStore(bench.store);
    const carry = (source: string) => buildRelease(copy.store, { carryForward: [source] });
    await expect(carry("datacite")).rejects.toThrow(CannotCarryForward);
    await harvestRecords(copy.store, copy.folder, "zenodo", POOR);
    await rm(`${copy.store.raw("zenodo")}/000001.ndjson.zst`);
    await expect(carry("zenodo")).rejects.toThrow("no longer has the payloads");
  });

  test("a release that fails a gate is activated by --force, and the journal stores the reason", async () => {
    const reason = "looked at, and true";
    const { exitCode, stdout } = await command("release", "activate", gated.receipt.releaseDigest, "--force", reason);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(reason) });
    expect(await currentDigest(bench.store)).toBe(gated.receipt.releaseDigest);
    expect((await readJournal(bench.store)).entries.at(-1)).toMatchObject({ event: "activated", reason });
  });
});
