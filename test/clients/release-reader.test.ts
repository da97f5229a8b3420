/**
 * Tests the release reader of the packed package with a release in a folder behind nginx and in a bucket: the requests and bytes
 * of each look-up, and the rejection of bytes that are not those of the release.
 */

import { dirname } from "node:path";
import pLimit from "p-limit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PublishedRelease } from "../../client/release/published-release.ts";
import { writeGenerated } from "../../fixtures/write.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { makeSigner, newReleaseKey, publicPart } from "../../pipeline/store/signatures.ts";
import { publish } from "../../releases/publish/index.ts";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { objectAddress, PLACES, type PublishedPlace } from "../publish/places.ts";
import { CHROMIUM, openBrowser } from "../site/chromium.ts";
import { buildRelease } from "../support/build-release.ts";
import { recordedEffects } from "../support/effects.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { IS_SOAK } from "../tiers.ts";
import { serveModules } from "./module-server.ts";
import { type PackedClient, packedClient } from "./packed-client.ts";
import { serveFolder } from "./published-release.ts";

const PATIENCE = 600_000;

/** Numbers of generated records by source, chosen so that each family of pages has sixteen packs with full leaves. */
const SHARES = [
  ["datacite", 4000],
  ["zenodo", 1000],
] as const;
const LOOKED_UP = IS_SOAK ? 1000 : 200;
const AT_ONCE = 8;

const cleanup = new AsyncDisposableStack();
let packed: PackedClient;
let reader: Awaited<ReturnType<PackedClient["loadReader"]>>;
let key: ReleaseKey;
let digest: string;
let folder: string;
/** The records that have a DOI, with their pages, in an order that looks random but is always the same. */
let known: { readonly id: string; readonly doi: string; readonly page: string }[];
const places = new Map<string, { readonly place: PublishedPlace; readonly url: string }>();

beforeAll(async () => {
  packed = cleanup.use(await packedClient());
  reader = await packed.loadReader();
  const { store } = cleanup.use(await temporaryStore());
  for (const [source, records] of SHARES) await writeGenerated(store, { source, records, seed: 3 }, recordedEffects());
  const made = await newReleaseKey();
  key = publicPart(made);
  const { receipt } = await buildRelease(store, { signer: await makeSigner(made) });
  digest = receipt.releaseDigest;
  folder = store.release(digest);
  known = await someRecords();
  for (const { kind, open } of PLACES) {
    const place = cleanup.use(await open());
    // The client compares the head with the time of this machine.
    const effects = recordedEffects(new Date().toISOString());
    const signer = await makeSigner(made);
    await publish(store, digest, await place.target(effects), { parallel: 4, dryRun: false, signer }, effects);
    places.set(kind, { place, url: await getPlaceAddress(place) });
  }
}, PATIENCE);

afterAll(() => cleanup.disposeAsync());

async function getPlaceAddress(place: PublishedPlace): Promise<string> {
  if (place.s3 !== null) return objectAddress(place.s3, "");
  const root = place.options[1] ?? "";
  const { address } = cleanup.use(await serveFolder(dirname(root)));
  return `${address}/www/`;
}

/**
 * Returns the records that have a DOI. They are sorted by the end of their ids, so the order looks random but is always the
 * same.
 */
async function someRecords(): Promise<typeof known> {
  const pages = await PageStore.open(folder);
  try {
    const all = [...pages.each("2.0/record")].map(({ key: id, bytes }) => {
      const page = bytes.toString();
      return { id, doi: String(JSON.parse(page).doi ?? ""), page, order: id.slice(-6) + id };
    });
    return all.filter(({ doi }) => doi !== "").sort((one, other) => (one.order < other.order ? -1 : 1));
  } finally {
    pages.close();
  }
}

interface Asked {
  requests: number;
  bytes: number;
}

/** Returns a `fetch` that counts requests and bytes. */
function counting(asked: Asked) {
  return async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    const body = await response.arrayBuffer();
    asked.requests += 1;
    asked.bytes += body.byteLength;
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

/** Returns the maximum and the mean of the requests, and of the bytes, of all look-ups. */
function summary(each: readonly Asked[]) {
  const of = (name: keyof Asked) => each.map((asked) => asked[name]);
  const mean = (values: readonly number[]) =>
    Math.round((10 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 10;
  return {
    requests: { most: Math.max(...of("requests")), mean: mean(of("requests")) },
    bytes: { most: Math.max(...of("bytes")), mean: mean(of("bytes")) },
  };
}

const releaseAt = (url: string) => `${url}releases/${digest.replace(":", "-")}/`;

describe.skipIf(!HAS_NGINX).each(["a folder", "a bucket"])("the release reader with %s", (kind) => {
  const url = () => places.get(kind)?.url ?? "";

  test.each([
    { by: "id", cold: 4, warm: 2, kilobytes: 32 },
    { by: "doi", cold: 5, warm: 2, kilobytes: 32 },
  ] as const)(
    `the release reader looks up ${LOOKED_UP} records by $by with few requests and bytes`,
    { timeout: PATIENCE },
    async ({ by, cold, warm, kilobytes }) => {
      expect(known.length).toBeGreaterThan(LOOKED_UP + 200);
      const looked = known.slice(0, LOOKED_UP);
      const limit = pLimit(AT_ONCE);
      const first = await Promise.all(
        looked.map((record) =>
          limit(async () => {
            const asked = { requests: 0, bytes: 0 };
            const release = await reader.openRelease(releaseAt(url()), { fetch: counting(asked) });
            expect(await release.record(record[by])).toEqual(JSON.parse(record.page));
            return asked;
          }),
        ),
      );
      // Roots and buckets of DOIs are already cached, and some of their leaves may be.
      const asked = { requests: 0, bytes: 0 };
      const release = await reader.openRelease(releaseAt(url()), { fetch: counting(asked) });
      for (const record of known.slice(LOOKED_UP, LOOKED_UP + 200)) await release.record(record[by]);
      const again: Asked[] = [];
      for (const record of looked) {
        const before = { ...asked };
        expect((await release.record(record[by]))?.id).toBe(record.id);
        again.push({ requests: asked.requests - before.requests, bytes: asked.bytes - before.bytes });
      }
      const figures = { cold: summary(first), warm: summary(again) };
      console.info(JSON.stringify({ kind, by, ...figures }));
      expect(figures.cold.requests.most).toBeLessThanOrEqual(cold);
      expect(figures.cold.bytes.most).toBeLessThanOrEqual(160 * 1024);
      expect(figures.warm.requests.most).toBeLessThanOrEqual(warm);
      expect(figures.warm.bytes.most).toBeLessThanOrEqual(kilobytes * 1024);
    },
  );

  test("the release reader returns every kind of page without changing a byte", async () => {
    const release = await reader.openRelease(url());
    expect(release.url).toBe(releaseAt(url()));
    const pages = await PageStore.open(folder);
    const page = async (family: string, name: string) =>
      (await pages.get({ family, key: name }))?.bytes.toString() ?? "";
    const [record] = known;
    if (record === undefined) throw new Error("there are no records");
    const { id, doi } = record;
    const badges: readonly [Promise<string | null>, string, string][] = [
      [release.badge(doi), "2.0/dataset-badge", id],
      [release.repositoryBadge("Zenodo"), "2.0/repository-badge", "Zenodo"],
    ];
    for (const [made, family, name] of badges) expect(await made).toBe(await page(family, name));
    const ROWS: readonly [Promise<unknown>, string, string][] = [
      [release.record(`https://doi.org/${doi.toUpperCase()}`), "2.0/record", id],
      [release.record(id, { rubric: "1.0" }), "1.0/record", id],
      [release.impact(doi), "2.0/impact", id],
      [release.metrics(), "release", "api/2.0/metrics/live.json"],
      [release.metrics({ rubric: "1.0" }), "release", "api/1.0/metrics/live.json"],
      [release.history(), "release", "api/2.0/metrics/history.json"],
      [release.rubrics(), "release", "api/rubrics/index.json"],
      [release.rubric("2.0"), "release", "api/rubrics/2.0.json"],
      [release.institutions(), "release", "api/2.0/lists/institutions.json"],
      [release.geography(), "release", "api/2.0/lists/geography.json"],
    ];
    for (const [made, family, name] of ROWS) expect(await made).toEqual(JSON.parse(await page(family, name)));
    pages.close();
  });

  test("the release reader returns null for a missing record or badge", async () => {
    const release = await reader.openRelease(releaseAt(url()));
    for (const nothing of ["r000000000000000000000000", "rffffffffffffffffffffffff", "10.5072/nobody", "neither"]) {
      expect(await release.record(nothing)).toBeNull();
      expect(await release.badge(nothing)).toBeNull();
    }
    await expect(reader.openRelease(`${url()}nowhere/`, { retries: 0 })).rejects.toThrow("does not name a release");
  });

  test("the release reader verifies a signature with the right key, and rejects the signature with any other key", async () => {
    const release = await reader.openRelease(url(), { keys: [key] });
    expect((await release.receipt()).releaseDigest).toBe(digest);
    expect(release.head).toMatchObject({ releaseDigest: digest, keys: [key], retractions: [] });
    const stranger = publicPart(await newReleaseKey());
    await expect(reader.openRelease(url(), { keys: [stranger] })).rejects.toThrow("not one of those given");
    await expect(reader.openRelease(url(), { keys: [{ ...stranger, kid: key.kid }] })).rejects.toThrow(
      "does not match this head",
    );
  });
});

describe.skipIf(!HAS_NGINX)("wrong bytes from a server", () => {
  /** Opens a release whose server sends the bytes that `changes` returns, or the true bytes if `changes` returns null. */
  async function lying(changes: (request: Request, body: Uint8Array) => Uint8Array | null): Promise<PublishedRelease> {
    return reader.openRelease(releaseAt(places.get("a folder")?.url ?? ""), {
      retries: 0,
      fetch: async (request) => {
        const response = await fetch(request);
        const body = new Uint8Array(await response.arrayBuffer());
        const { status } = response;
        return new Response(Uint8Array.from(changes(request, body) ?? body), { status });
      },
    });
  }
  const flipped = (body: Uint8Array, at: number) => body.map((byte, i) => (i === at ? byte ^ 1 : byte));
  /** The last byte of `SHAREPK1`, with which the root of a pack ends. */
  const MARK_END = 0x31;
  const readRange = (request: Request) => request.headers.get("range") ?? "";

  test.each([
    {
      name: "a damaged root",
      changes: (request: Request, body: Uint8Array) =>
        readRange(request) !== "" && body.at(-1) === MARK_END ? flipped(body, 20) : null,
    },
    {
      name: "a damaged leaf",
      changes: (_request: Request, body: Uint8Array) =>
        body[0] === 0x5e && body.at(-1) !== MARK_END ? flipped(body, 40) : null,
    },
    {
      name: "a damaged frame",
      changes: (_request: Request, body: Uint8Array) =>
        body[0] === 0x28 ? body.map((byte, i) => (i < 12 ? byte : byte ^ 0x55)) : null,
    },
    {
      name: "a truncated frame",
      changes: (_request: Request, body: Uint8Array) => (body[0] === 0x28 ? body.slice(0, -1) : null),
    },
    {
      name: "a frame of another size",
      changes: (_request: Request, body: Uint8Array) => (body[0] === 0x28 ? flipped(body, 5) : null),
    },
  ])("wrong bytes are noticed before a record is returned: $name", async ({ changes }) => {
    const release = await lying(changes);
    const seen: unknown[] = [];
    for (const { id } of known.slice(0, 4)) seen.push(await release.record(id).catch((error: unknown) => error));
    expect(seen.map((each) => each instanceof reader.ReleaseFault)).toEqual([true, true, true, true]);
  });

  test("a changed manifest and a forged receipt are noticed", async () => {
    const manifest = await lying((request, body) =>
      request.url.endsWith("manifest.ndjson") ? flipped(body, 30) : null,
    );
    await expect(manifest.receipt()).rejects.toThrow(reader.ReleaseFault);
    const receipt = await lying((request, body) =>
      request.url.endsWith("release.json")
        ? new TextEncoder().encode(new TextDecoder().decode(body).replace('"history": true', '"history": false'))
        : null,
    );
    await expect(receipt.requireSignature([key])).rejects.toThrow("does not match this receipt");
  });

  test("the record of another DOI is not returned if the file that maps DOIs to records was manipulated", async () => {
    const other = known[7]?.id ?? "";
    const release = await lying((request, body) => {
      if (!request.url.endsWith("/doi.bin")) return null;
      const changed = Uint8Array.from(body);
      for (let at = 28; at + 12 <= changed.length; at += 24) changed.set(Buffer.from(other.slice(1), "hex"), at);
      return changed;
    });
    expect(await release.record(known[0]?.doi ?? "")).toBeNull();
    expect((await release.record(known[7]?.doi ?? ""))?.id).toBe(other);
  });
});

test.skipIf(CHROMIUM === null || !HAS_NGINX)(
  "the release reader works in a browser, and verifies the signature there",
  { timeout: PATIENCE },
  async () => {
    await using modules = await serveModules(packed.project);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const address = releaseAt(places.get("a folder")?.url ?? "");
      await page.goto(`${address}release.json`);
      await modules.addTo(page);
      const [record] = known;
      const seen = await page.evaluate(`(async () => {
      const { openRelease } = await import("share-release-client/release");
      const release = await openRelease(${JSON.stringify(address)}, { keys: [${JSON.stringify(key)}] });
      const { id } = await release.record(${JSON.stringify(record?.doi)});
      return { id, badge: (await release.badge(id)).slice(0, 4), records: (await release.metrics()).totalRecords > 0 };
    })()`);
      expect(seen).toEqual({ id: record?.id, badge: "<svg", records: true });
    } finally {
      await browser.close();
    }
  },
);
