/**
 * Tests publications that are killed at random moments, a change of one per cent, and faults of a bucket's service. They take
 * minutes, so only the longer test tiers run them.
 */

import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { zenodoRecord } from "../release/prolific.ts";
import { buildRelease } from "../support/build-release.ts";
import { jsonLines, runCommand, startCommand } from "../support/command-line.ts";
import { flipByte } from "../support/forgery.ts";
import { killWhen } from "../support/killing.ts";
import type { FilledStore } from "../support/temporary-store.ts";
import { harvestRecords, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";
import { storeCases } from "./mirror-cases.ts";
import { bucketPlace, PLACES, PREFIX, type PublishedPlace, releaseAt } from "./places.ts";
import { expectPublished, getReleaseFolder, LARGE, published, smallWorld, withLargeFile } from "./publications.ts";
import { BUCKET, CREDENTIALS, type Interference } from "./s3-server.ts";

const isWrite = (request: IncomingMessage) => request.method === "PUT";

function s3Cases(getWorld: () => FilledStore): void {
  const publish = (place: PublishedPlace, digest: string) => published(getWorld().store, place, digest);

  const FAULTS: readonly { name: string; status: number; code: string; says: string }[] = [
    { name: "a missing bucket", status: 404, code: "NoSuchBucket", says: "create the bucket, or correct --to" },
    {
      name: "an unknown key",
      status: 403,
      code: "InvalidAccessKeyId",
      says: "give credentials as for AWS tools",
    },
    {
      name: "a wrong secret",
      status: 403,
      code: "SignatureDoesNotMatch",
      says: "give credentials as for AWS tools",
    },
    { name: "an expired token", status: 400, code: "ExpiredToken", says: "give credentials as for AWS tools" },
    {
      name: "too few permissions",
      status: 403,
      code: "AccessDenied",
      says: "these credentials do not permit this request",
    },
    { name: "another region", status: 301, code: "PermanentRedirect", says: "--region and --endpoint" },
    {
      name: "an unknown fault",
      status: 418,
      code: "TeapotOverflow",
      says: "TeapotOverflow: as told); the same command goes on",
    },
  ];

  test("the error of a failed publication names the object and what to do, in one line without credentials", async () => {
    const [older, newer] = [at(getWorld().digests, 0), at(getWorld().digests, 1)];
    await using place = await bucketPlace();
    await publish(place, older);
    for (const { name, status, code, says } of FAULTS) {
      place.s3.interfere((request) => (isWrite(request) ? { status, code } : null));
      const error = await publish(place, newer).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      const message = error instanceof Error ? error.message : "";
      expect([name, message]).toEqual([name, expect.stringContaining(says)]);
      expect(message).toMatch(
        new RegExp(`^cannot (?:write|copy to) s3://${BUCKET}/${PREFIX}/releases/sha256-.+ \\(${code}.*$`),
      );
      for (const secret of Object.values(CREDENTIALS).slice(0, 2)) expect(message).not.toContain(secret);
      expect(await place.pointed()).toBe(older);
    }
    place.s3.interfere(() => null);
    await publish(place, newer);
    expect(await place.pointed()).toBe(newer);
  });

  test("a publication repeats requests if the service is overloaded or a connection breaks", async () => {
    const newer = at(getWorld().digests, 1);
    await using place = await bucketPlace();
    let left = 6;
    const troubles: Interference = (request) => {
      if (!isWrite(request) || left === 0) return null;
      left -= 1;
      return left % 2 === 0 ? "cut" : { status: 503, code: "SlowDown" };
    };
    place.s3.interfere(troubles);
    await publish(place, newer);
    expect(left).toBe(0);
    expect(await releaseAt(place, newer)).toEqual(await digestsIn(getWorld().store.release(newer)));
  });

  test("a publication sends every file again to a service that can neither copy objects nor list uploads", async () => {
    const [older, newer] = [at(getWorld().digests, 0), at(getWorld().digests, 1)];
    await using place = await bucketPlace();
    place.s3.interfere((request) =>
      request.headers["x-amz-copy-source"] !== undefined || request.url?.includes("uploads") === true
        ? { status: 501, code: "NotImplemented" }
        : null,
    );
    await publish(place, older);
    const { unchanged, logged } = await publish(place, newer);
    expect(unchanged).toBe(0);
    expect(logged).toMatchObject([{ level: "warn", event: "publish-uploads-unlisted", reason: "NotImplemented" }]);
    expect(await releaseAt(place, newer)).toEqual(await digestsIn(getWorld().store.release(newer)));
  });

  test("release publish --json sends the active release by default, and nothing the second time", async () => {
    await using place = await bucketPlace();
    const run = (...more: string[]) =>
      runCommand(["release", "publish", ...place.options, "--json", "--store", getWorld().store.root, ...more], {
        environment: CREDENTIALS,
      });
    const target = `s3://${BUCKET}/${PREFIX}`;
    const first = await run();
    expect(first).toMatchObject({ exitCode: 0 });
    expect(jsonLines(first.stdout)).toMatchObject([
      { releaseDigest: at(getWorld().digests, 1), target, dryRun: false },
    ]);
    expect(jsonLines((await run()).stdout)).toMatchObject([{ target, uploaded: 0, bytes: 0 }]);
    const other = await run(at(getWorld().digests, 0).slice(0, 20), "--dry-run");
    expect(jsonLines(other.stdout)).toMatchObject([{ releaseDigest: at(getWorld().digests, 0), dryRun: true }]);
    expect(await place.pointed()).toBe(at(getWorld().digests, 1));
  });
}

vi.setConfig({ testTimeout: 20 * 60_000, hookTimeout: 5 * 60_000 });

/** The number of publications that are killed for each kind of target. */
const MOMENTS = 20;

/**
 * Random numbers for the moments of kills, as shares of a publication's duration. They are the same in every run, but the
 * machine's load moves the moments.
 */
const random = new Random(31, 0, 0);

let world: FilledStore;
let older: string;
let newer: string;
/** A store whose newer release has a file so large that it is sent in several parts. */
let large: TemporaryStore;

beforeAll(async () => {
  world = await smallWorld();
  older = at(world.digests, 0);
  newer = at(world.digests, 1);
  large = await withLargeFile(world.store, newer);
  await rm(large.store.work(""), { recursive: true, force: true });
});
afterAll(async () => {
  await large[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

describe.each(PLACES)("publications to $kind", ({ kind, open }) => {
  const command = (place: PublishedPlace) => [
    "release",
    "publish",
    newer,
    ...place.options,
    "--json",
    "--store",
    large.store.root,
  ];

  test(`a publication is complete or absent after each of ${MOMENTS} kills, and the next run finishes it without leftovers`, async () => {
    let duration = await uninterrupted();
    let [kills, unfinished, moved, uploads] = [0, 0, 0, 0];
    for (let i = 0; i < MOMENTS; i += 1) {
      await using place = await open();
      await published(large.store, place, older);
      // Sometimes the run that resumes is killed too.
      for (const share of i % 3 === 0 ? [random.unit(), random.unit()] : [random.unit()]) {
        if (await killedAfter(place, duration * (0.1 + 0.9 * share))) kills += 1;
        // The run ended before the kill, because the machine is less busy than when the test measured the time.
        else duration *= 0.8;
        uploads += (await place.s3?.uploads())?.length ?? 0;
        await expectServed(place);
      }
      if ((await place.pointed()) === newer) moved += 1;
      else unfinished += 1;
      const again = await runCommand(command(place), { environment: CREDENTIALS });
      expect({ exitCode: again.exitCode, stderr: again.stderr.replace(/^\{.*\n/gm, "") }).toEqual({
        exitCode: 0,
        stderr: "",
      });
      await expectPublished(large.store, place, [older, newer]);
    }
    console.info(
      `${kind}: ${kills} kills; ${unfinished} left it at the release before, ${moved} at the new one; ${uploads} uploads were left in parts`,
    );
    expect(kills).toBeGreaterThan(MOMENTS / 2);
    expect(unfinished).toBeGreaterThan(MOMENTS / 4);
  });

  /** Publishes the newer release without a kill, and returns how many milliseconds that took. */
  async function uninterrupted(): Promise<number> {
    await using place = await open();
    await published(large.store, place, older);
    const started = performance.now();
    const { exitCode } = await runCommand(command(place), { environment: CREDENTIALS });
    expect(exitCode).toBe(0);
    return performance.now() - started;
  }

  /**
   * Kills a publication after some milliseconds, and checks all the time that the pointer names a complete release. Returns
   * false if the publication ended before the kill.
   */
  async function killedAfter(place: PublishedPlace, milliseconds: number): Promise<boolean> {
    const child = startCommand(command(place), { environment: CREDENTIALS });
    child.stdout?.resume();
    child.stderr?.resume();
    const broken: string[] = [];
    const wasKilled = await killWhen(
      child,
      (elapsed) => elapsed >= milliseconds,
      async () => {
        const pointed = await place.pointed();
        const receipt = pointed === null ? null : await place.read(`${getReleaseFolder(pointed)}/release.json`);
        if (receipt === null) broken.push(String(pointed));
      },
    );
    expect(broken).toEqual([]);
    return wasKilled;
  }

  /** Expects that the pointer names the earlier or the new release, and that all its files are complete. */
  async function expectServed(place: PublishedPlace): Promise<void> {
    const pointed = (await place.pointed()) ?? "none";
    expect([older, newer]).toContain(pointed);
    expect(await releaseAt(place, pointed)).toEqual(await digestsIn(large.store.release(pointed)));
  }

  test("a large file is sent completely, or its uploaded parts are removed if it does not match the manifest", async () => {
    await using place = await open();
    const { store } = large;
    await flipByte(join(store.release(newer), LARGE));
    await expect(published(store, place, newer)).rejects.toThrow("does not match the manifest");
    expect((await place.s3?.uploads()) ?? []).toEqual([]);
    expect(await place.pointed()).toBeNull();
    await flipByte(join(store.release(newer), LARGE));
    await published(store, place, newer);
    await expectPublished(store, place, [newer]);
    const parts = place.s3?.requests.filter((request) => /^PUT .*large\.bin\?partNumber=/.test(request)) ?? [];
    if (place.s3 !== null) expect(parts.length).toBeGreaterThan(2);
  });
});

describe("the service of a bucket", () => s3Cases(() => world));

describe("published files", () => storeCases(() => world));

describe("small changes", () => {
  const RECORDS = 400;
  const records = Array.from({ length: RECORDS }, (_, i) =>
    zenodoRecord({ id: 99_700_000 + i, keywords: i % 6, sentences: i % 5, creator: `Gauge, Keeper${i}`, orcid: null }),
  );
  const changed = records.slice(0, RECORDS / 100).map((record) => ({
    ...record,
    updated: "2026-10-30T00:00:00+00:00",
    metadata: {
      ...record.metadata,
      title: `${record.metadata.title}, corrected`,
      keywords: ["tide", "gauge", "harbour"],
    },
  }));
  let bench: TemporaryStore;
  let before: string;
  let after: string;

  beforeAll(async () => {
    bench = await temporaryStore();
    await harvestRecords(bench.store, bench.folder, "zenodo", records);
    before = (await buildRelease(bench.store, { sources: ["zenodo"] })).receipt.releaseDigest;
    await harvestRecords(bench.store, bench.folder, "zenodo", changed);
    after = (await buildRelease(bench.store, { sources: ["zenodo"] }, "2026-11-03T09:30:00.000Z")).receipt
      .releaseDigest;
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test.each(PLACES)(
    "a publication to $kind sends at most 3 % of the pages if one per cent of the datasets changed, and none the second time",
    async ({ kind, open }) => {
      await using place = await open();
      const pages = { pages: { researchers: true } };
      await published(bench.store, place, before, pages);
      const { uploaded, bytes, pages: sent } = await published(bench.store, place, after, pages);
      const all = (sent?.uploaded ?? 0) + (sent?.unchanged ?? 0);
      console.info(`${kind}: ${sent?.uploaded} of ${all} pages sent; ${uploaded} files, ${bytes} bytes`);
      expect(all).toBeGreaterThan(5 * RECORDS);
      expect((sent?.uploaded ?? 0) / all).toBeLessThanOrEqual(0.03);
      expect(await published(bench.store, place, after, pages)).toMatchObject({
        uploaded: 0,
        bytes: 0,
        pages: { uploaded: 0, removed: 0 },
      });
    },
  );
});
