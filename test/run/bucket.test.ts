/**
 * Tests nightly runs of a store whose releases go to a bucket, with the real command. Each test begins where the one before it
 * ended.
 */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keySet } from "../../schemas/public/key-set.ts";
import { bucketPlace, PREFIX, type PublishedBucket, releaseAt } from "../publish/places.ts";
import { expectPublished, getReleaseFolder, readManifestLines } from "../publish/publications.ts";
import { BUCKET } from "../publish/s3-server.ts";
import { runHosted } from "../support/command-host.ts";
import { RunWorld, type RunWorld as World } from "./world.ts";

const LONG = 300_000;

let world: World;
let place: PublishedBucket;
/** The digests of the releases so far, one for each night. */
const nights: string[] = [];

beforeAll(async () => {
  world = await RunWorld.open();
  place = await bucketPlace();
  await runHosted(["harvest", "osf", "--from", "fixtures/payloads/osf", "--store", world.at.store.root]);
}, LONG);
afterAll(async () => {
  await place?.[Symbol.asyncDispose]();
  await world?.close();
});

const night = (...parameters: readonly string[]) => world.run(...parameters, ...place.options);

describe("nights of a store whose releases go to a bucket", () => {
  test("nightly runs reject an invalid target before any harvest", async () => {
    const run = await world.run("datacite", "--to", "s3://me:hush@scores");
    expect([run.exitCode, run.summary]).toEqual([2, null]);
    expect(run.stderr).toContain("--to expects s3://bucket");
    expect(run.stderr).not.toContain("hush");
    expect(world.asked()).toEqual([0, 0, 0]);
  });

  test("nightly runs send the release, move the pointer in the bucket, and activate the release in the store", async () => {
    const run = await night("datacite");
    expect(run.exitCode, run.stderr).toBe(0);
    const digest = run.summary?.release?.releaseDigest ?? "";
    nights.push(digest);
    const lines = await readManifestLines(world.at.store, digest);
    expect(lines.filter(({ path }) => path.endsWith(".zst")).length).toBeGreaterThan(0);
    // Two more files are sent: the manifest and the receipt, which the manifest does not list.
    expect(run.summary).toMatchObject({
      outcome: "activated",
      published: { releaseDigest: digest, target: `s3://${BUCKET}/${PREFIX}`, uploaded: lines.length + 2 },
    });
    expect(await world.active()).toBe(digest);
    await expectPublished(world.at.store, place, nights);
  });

  test("nightly runs send no request to the bucket if no source is due", async () => {
    const [asked, before] = [place.s3.requests.length, world.asked()];
    const run = await night();
    expect([run.exitCode, run.summary?.outcome, run.summary?.published], run.stderr).toEqual([0, "nothing", null]);
    expect([place.s3.requests.length, world.asked()]).toEqual([asked, before]);
  });

  test("nightly runs leave the last release current in bucket and store if the bucket rejects a request", async () => {
    const before = await releaseAt(place, nights[0] ?? "");
    let taken = 0;
    place.s3.interfere(({ method }) => {
      if (method !== "PUT") return null;
      taken += 1;
      return taken > 5 ? { status: 403, code: "AccessDenied" } : null;
    });
    const run = await night("datacite", "clinicaltrials");
    expect([run.exitCode, run.summary?.failed?.step], run.stderr).toEqual([14, "publish"]);
    expect(run.stderr).toMatch(
      new RegExp(`^share-release: publish: cannot (?:write|copy to) s3://${BUCKET}/${PREFIX}/releases/sha256-.*$`, "m"),
    );
    expect(run.stderr).toContain("(AccessDenied); these credentials do not permit this request");
    nights.push(run.summary?.release?.releaseDigest ?? "");
    expect(nights[1]).not.toBe(nights[0]);
    expect([await place.pointed(), await world.active()]).toEqual([nights[0], nights[0]]);
    expect(await releaseAt(place, nights[0] ?? "")).toEqual(before);
    expect(await place.paths()).not.toContain(`${getReleaseFolder(nights[1] ?? "")}/release.json`);
  });

  test("nightly runs change nothing and report the bucket if it cannot be reached", async () => {
    const asked = world.asked();
    place.s3.interfere(() => "cut");
    const run = await night("--max-failed-sources", "0");
    expect([run.exitCode, run.summary?.failed?.step], run.stderr).toEqual([14, "publish"]);
    expect(run.stderr).toMatch(
      /^share-release: publish: cannot .* the service cannot be reached: check --endpoint and/m,
    );
    expect(run.summary).toMatchObject({ resumed: true, release: { releaseDigest: nights[1], built: false } });
    expect([await world.active(), world.asked()]).toEqual([nights[0], asked]);
  });

  test("nightly runs resume in the next night without harvesting, building or sending anything twice", async () => {
    const asked = world.asked();
    place.s3.interfere(() => null);
    const run = await night();
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.summary).toMatchObject({
      outcome: "activated",
      resumed: true,
      release: { releaseDigest: nights[1], built: false },
    });
    expect([await world.active(), world.asked()]).toEqual([nights[1], asked]);
    const { uploaded, unchanged } = run.summary?.published ?? { uploaded: 0, unchanged: 0 };
    expect([uploaded + unchanged, unchanged > 0]).toEqual([
      (await readManifestLines(world.at.store, nights[1] ?? "")).length + 2,
      true,
    ]);
    await expectPublished(world.at.store, place, nights);
  });

  test("nightly runs send only a newly signed head if no source is due", async () => {
    const key = join(world.at.folder, "signing-key.json");
    await runHosted(["key", "new", "--out", key, "--store", world.at.store.root]);
    const sequences: number[] = [];
    for (const name of ["first", "second"]) {
      const asked = place.s3.requests.length;
      const run = await night("--sign", key);
      expect([name, run.exitCode, run.summary?.outcome], run.stderr).toEqual([name, 0, "nothing"]);
      const written = place.s3.requests.slice(asked).filter((request) => request.startsWith("PUT "));
      expect(written).toHaveLength(1);
      const { head } = keySet.parse(JSON.parse(String(await place.read("keys/share-release-keys.json"))));
      expect(head?.releaseDigest).toBe(await place.pointed());
      sequences.push(head?.sequence ?? 0);
    }
    expect(sequences[1]).toBeGreaterThan(sequences[0] ?? 0);
  });
});
