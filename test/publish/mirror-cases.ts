/** Tests that any file server can serve published releases, and that mirrors can fetch from it. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CACHE, mediaType } from "../../api-static/routes/route.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { fetchRelease } from "../../releases/fetch/index.ts";
import { verify } from "../../releases/verify/index.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import type { FilledStore } from "../support/temporary-store.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";
import { objectAddress, PLACES, type PublishedPlace } from "./places.ts";
import { published } from "./publications.ts";
import type { S3Server } from "./s3-server.ts";

/** Starts a plain file server. It serves files by their paths, and releases.json for `/releases`. */
async function staticServer(root: string) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? "/");
    const body = await readFile(join(root, path === "/releases" ? "releases.json" : path)).catch(() => null);
    response.writeHead(body === null ? 404 : 200).end(body ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function openPlace(kind: string): Promise<PublishedPlace> {
  const place = PLACES.find((entry) => entry.kind === kind);
  if (place === undefined) throw new Error(`there is no place of the kind "${kind}"`);
  return place.open();
}

function getS3Server({ s3 }: PublishedPlace): S3Server {
  if (s3 === null) throw new Error("the place is not a bucket, so it has no S3 server");
  return s3;
}

/** Fetches the release into an empty store, and expects it to equal the original in `world`. */
async function expectMirrored(world: FilledStore, url: string, digest: string): Promise<void> {
  await using mirror = await fetchMirror(world, url, digest);
  expect(await digestsIn(mirror.store.release(digest))).toEqual(await digestsIn(world.store.release(digest)));
}

async function fetchMirror(world: FilledStore, url: string, digest: string): Promise<TemporaryStore> {
  const mirror = await temporaryStore();
  const common = { apiKey: null, parallel: 8, unproven: false, threads: 2, memory: "512MB" };
  // These releases are published without a head; test/trust/head.test.ts has the cases of heads.
  const options = { ...common, url, keys: world.keys, allowOlder: true };
  const result = await fetchRelease(mirror.store, options, { ...recordedEffects(), fetch: globalThis.fetch });
  expect(result).toMatchObject({ releaseDigest: digest, created: true });
  return mirror;
}

export function mirrorCases(getWorld: () => FilledStore): void {
  const publish = (place: PublishedPlace, digest: string) => published(getWorld().store, place, digest);

  test("every published object has its content type, cache rule and sha256, whether it was sent or copied", async () => {
    const [older, newer] = [at(getWorld().digests, 0), at(getWorld().digests, 1)];
    await using place = await openPlace("a bucket");
    for (const digest of [older, newer]) await publish(place, digest);
    const seen = new Set<string>();
    for (const path of await place.paths()) {
      const kind = `${path.split("/")[1]}${path.slice(path.lastIndexOf("."))}`;
      if (seen.has(kind)) continue;
      seen.add(kind);
      const { headers } = await fetch(objectAddress(getS3Server(place), path), { method: "HEAD" });
      const immutable = path.startsWith("releases/");
      expect([path, headers.get("content-type"), headers.get("cache-control")]).toEqual([
        path,
        immutable ? mediaType(path) : "application/json; charset=utf-8",
        immutable ? CACHE.immutable : path === "current" ? CACHE.never : CACHE.page,
      ]);
      expect(headers.get("x-amz-meta-sha256")).toMatch(/^[0-9a-f]{64}$/);
    }
    // The published files are packs, tables, CSV and descriptors of both releases, the pointer and the list of releases.
    expect([...seen].filter((kind) => kind.endsWith(".zst"))).toHaveLength(2);
    expect(seen.size).toBeGreaterThan(10);
  });

  test("scores under another contract are published, and a mirror of them passes verification", async () => {
    const newer = at(getWorld().digests, 1);
    await using place = await openPlace("a folder");
    await publish(place, newer);
    await using server = await staticServer(at(place.options, 1));
    await using mirror = await fetchMirror(getWorld(), server.url, newer);
    const table = "data/contract-scores/part-0000.parquet";
    const [there, here] = [at(place.options, 1), mirror.store.root].map((root) => openStore(root).release(newer));
    const own = await readFile(join(getWorld().store.release(newer), table));
    for (const folder of [there, here]) expect(await readFile(join(folder ?? "", table))).toEqual(own);
    const options = { threads: 2, memory: "512MB", rebuild: { from: "tables" } as const, keys: getWorld().keys };
    const { findings, scores } = await verify(mirror.store, newer, options, recordedEffects());
    expect({ findings, scores: scores > 0 }).toEqual({ findings: [], scores: true });
  });
}

/** Adds the cases that only the third test tier runs. */
export function storeCases(getWorld: () => FilledStore): void {
  const publish = (place: PublishedPlace, digest: string) => published(getWorld().store, place, digest);

  test("a release in a published bucket can be mirrored by its URL", async () => {
    const newer = at(getWorld().digests, 1);
    await using place = await openPlace("a bucket");
    await publish(place, newer);
    await expectMirrored(getWorld(), objectAddress(getS3Server(place), `releases/${newer.replace(":", "-")}`), newer);
  });

  test("a published folder works as a store for every command that reads a store", async () => {
    const [older, newer] = [at(getWorld().digests, 0), at(getWorld().digests, 1)];
    await using place = await openPlace("a folder");
    for (const digest of [older, newer]) await publish(place, digest);
    const root = at(place.options, 1);
    const verified = await runCommand(["release", "verify", "--store", root]);
    expect(verified.stdout).toMatch(new RegExp(`^${newer} is valid`));
    const log = await runCommand(["release", "log", "--store", root]);
    expect({ exitCode: log.exitCode, lines: log.stdout.match(/sha256:[0-9a-f]{64}/g) }).toEqual({
      exitCode: 0,
      lines: [newer, older],
    });
    const doctor = await runCommand(["doctor", "--store", root]);
    expect(doctor.stdout).toContain("0 faults, 0 warnings");
  });

  test("a published folder on a file server can be mirrored by the folder's URL and by the URL of a release", async () => {
    const [older, newer] = [at(getWorld().digests, 0), at(getWorld().digests, 1)];
    await using place = await openPlace("a folder");
    for (const digest of [older, newer]) await publish(place, digest);
    await using server = await staticServer(at(place.options, 1));
    await expectMirrored(getWorld(), server.url, newer);
    await expectMirrored(getWorld(), `${server.url}/releases/${older.replace(":", "-")}`, older);
  });
}
