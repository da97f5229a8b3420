/**
 * Tests `release fetch`, which mirrors a release: over connections that break, from dishonest servers, and after an
 * interruption.
 */

import { hash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withEffects } from "../../cli/options/effects.ts";
import { digestManifest } from "../../pipeline/6-release/index.ts";
import { signHead } from "../../pipeline/store/head.ts";
import { readJournal } from "../../pipeline/store/journal.ts";
import { newReleaseKey, publicPart } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type FetchOptions, fetchRelease } from "../../releases/fetch/index.ts";
import { type ManifestLine, manifestLine } from "../../schemas/public/release.ts";
import { listeningAddress } from "../cli/listening-address.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines, startCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt } from "../support/forgery.ts";
import { freePort } from "../support/free-port.ts";
import { startProgram } from "../support/loopback-program.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { droppingProxy } from "./dropping-proxy.ts";
import { at, signedWorld, type World } from "./world.ts";

let world: World;
let digest: string;
let server: ReturnType<typeof startCommand>;
let address: string;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01"]);
  digest = at(world.digests, 0);
  await signHead(world.store, world.signer, { at: new Date().toISOString() });
  const quota = ["--rate", "1000000"];
  server = startCommand(["serve", "--port", "0", "--json", ...quota, "--store", world.store.root], {
    environment: { SHARE_LOG_LEVEL: "silent" },
  });
  server.stderr?.resume();
  ({ address } = await listeningAddress(server));
});

afterAll(async () => {
  server.kill("SIGTERM");
  await once(server, "close");
  await world[Symbol.asyncDispose]();
});

function fetched(store: Store, options: Partial<FetchOptions> = {}) {
  const defaults = {
    url: address,
    apiKey: null,
    parallel: 8,
    keys: world.keys,
    unproven: false,
    threads: 2,
    memory: "512MB",
  };
  // A wait takes one millisecond: short, but long enough for the servers in this process to respond.
  const effects = { ...recordedEffects(), fetch: globalThis.fetch, sleep: () => wait(1) };
  return fetchRelease(store, { ...defaults, ...options }, effects);
}

async function expectMirrored(store: Store): Promise<void> {
  expect(await digestsIn(store.release(digest))).toEqual(await digestsIn(world.store.release(digest)));
  expect(await readdir(store.root)).not.toContain("incoming");
}

test("fetch completes a mirror byte for byte over a connection that breaks ten times", async () => {
  await using mirror = await temporaryStore();
  await using proxy = await droppingProxy(new URL(address), 10, 20_000);
  const result = await fetched(mirror.store, { url: proxy.url });
  expect(result).toMatchObject({ releaseDigest: digest, created: true });
  expect(proxy.dropped()).toBe(10);
  await expectMirrored(mirror.store);
  const { entries } = await readJournal(mirror.store);
  expect(entries.map(({ event, releaseDigest }) => [event, releaseDigest])).toEqual([["fetched", digest]]);
  const verified = await runHosted(["release", "verify", digest, "--rebuild", "--store", mirror.store.root]);
  expect(verified.stdout).toContain("is valid");
  const again = await runHosted(["release", "fetch", address, "--json", "--store", mirror.store.root]);
  expect({ exitCode: again.exitCode, lines: jsonLines(again.stdout) }).toMatchObject({
    exitCode: 0,
    lines: [{ releaseDigest: digest, created: false }],
  });
});

test("fetch resumes after a kill: it skips complete files, and continues an incomplete file at its end", async () => {
  await using mirror = await temporaryStore();
  const folder = join(mirror.store.incoming, digest.replace(":", "-"));
  await cp(world.store.release(digest), join(folder, "tree"), { recursive: true });
  const lines = (await readFile(join(folder, "tree/manifest.ndjson"), "utf8")).trimEnd().split("\n");
  const largest = lines
    .map((line) => manifestLine.parse(JSON.parse(line)))
    .reduce((one, two) => (two.bytes > one.bytes ? two : one));
  await halve(folder, largest, false);
  const started = Date.now();
  const { bytes } = await fetched(mirror.store);
  expect(bytes).toBe(largest.bytes - (largest.bytes >> 1));
  await expectMirrored(mirror.store);
  const { mtimeMs } = await stat(join(mirror.store.release(digest), largest.path));
  expect(mtimeMs).toBeGreaterThan(started - 1000);
});

test("fetch requests a file again if the stored half belongs to another file", async () => {
  await using mirror = await temporaryStore();
  const folder = join(mirror.store.incoming, digest.replace(":", "-"));
  await cp(world.store.release(digest), join(folder, "tree"), { recursive: true });
  const [line = ""] = (await readFile(join(folder, "tree/manifest.ndjson"), "utf8")).split("\n");
  await halve(folder, manifestLine.parse(JSON.parse(line)), true);
  await fetched(mirror.store);
  await expectMirrored(mirror.store);
});

/** Replaces a complete file by its first half, which is stored as an interrupted fetch leaves it. */
async function halve(folder: string, { path, bytes }: ManifestLine, garble: boolean): Promise<void> {
  await mkdir(join(folder, "parts"), { recursive: true });
  const part = join(folder, "parts", hash("sha256", path));
  await cp(join(folder, "tree", path), part);
  await truncate(part, bytes >> 1);
  if (garble) await writeFile(part, Buffer.alloc(bytes >> 1));
  await rm(join(folder, "tree", path));
}

test("fetch completes a mirror from a server of HTTP/1.0, which closes each connection", async () => {
  await using mirror = await temporaryStore();
  const port = await freePort();
  const parameters = ["-m", "http.server", String(port), "--bind=127.0.0.1", `--directory=${world.store.root}`];
  await using _files = await startProgram("python3", parameters, port);
  const url = `http://127.0.0.1:${port}/releases/${digest.replace(":", "-")}`;
  const { exitCode, stdout, stderr } = await runHosted(["release", "fetch", url, "--store", mirror.store.root]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining("AssertionError") });
  expect(stdout).toContain(`run \`share-release release activate ${digest}\` to serve it`);
  await expectMirrored(mirror.store);
});

test("a command reads a response to its end even if the server has closed the connection", async () => {
  const size = 3_000_000;
  const closing = createNetServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(`HTTP/1.0 200 OK\r\nContent-Length: ${size}\r\n\r\n${"x".repeat(size)}`));
  }).listen(0, "127.0.0.1");
  await once(closing, "listening");
  const { port } = closing.address() as AddressInfo;
  try {
    const bytes = await withEffects(async (effects) => {
      const response = await effects.fetch(`http://127.0.0.1:${port}/`);
      let read = 0;
      for await (const chunk of response.body ?? []) {
        read += chunk.length;
        await wait(2);
      }
      return read;
    });
    expect(bytes).toBe(size);
  } finally {
    closing.close();
  }
});

test("fetch checks the signature even if the store has the release already", async () => {
  await using mirror = await temporaryStore(world.store);
  expect(await fetched(mirror.store)).toMatchObject({ created: false });
  const keys = [publicPart(await newReleaseKey())];
  const url = `${address}/releases/${digest.replace(":", "-")}`;
  await expect(fetched(mirror.store, { url, keys })).rejects.toThrow("which is not one of those given");
});

describe("fetch from a dishonest or overloaded server", () => {
  const getReleaseFolder = () => `/releases/${digest.replace(":", "-")}`;

  /** Serves the files of a release after `tamper` has changed a copy of them. */
  async function fromCopy(tamper: (folder: string) => Promise<unknown>, listener?: RequestListener) {
    const copy = await temporaryStore(world.store);
    const folder = copy.store.release(digest);
    await tamper(folder);
    const files = createServer(async (request, response) => {
      const path = decodeURIComponent((request.url ?? "").replace(`${getReleaseFolder()}/`, ""));
      const body = await readFile(join(folder, path)).catch(() => null);
      if (listener !== undefined && path.startsWith("pages/")) return listener(request, response);
      response.writeHead(body === null ? 404 : 200).end(body ?? "");
    }).listen(0, "127.0.0.1");
    await once(files, "listening");
    const { port } = files.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}${getReleaseFolder()}`,
      async [Symbol.asyncDispose]() {
        files.closeAllConnections();
        files.close();
        await copy[Symbol.asyncDispose]();
      },
    };
  }

  const manifestWith = (line: object) => async (folder: string) => {
    const manifest = join(folder, "manifest.ndjson");
    await writeFile(manifest, `${JSON.stringify(line)}\n`);
    const manifestDigest = await digestManifest(manifest);
    await editReceipt(folder, (receipt) => ({ ...receipt, manifestDigest }));
  };
  const EMPTY = { bytes: 0, sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" };

  const REJECTIONS: readonly {
    name: string;
    tamper: (folder: string) => Promise<unknown>;
    says: string;
    /** Null if the client requires no signature, so that it reads a manifest that the signature does not cover. */
    keys?: null;
  }[] = [
    ...["../../escaped", "/etc/passwd", "a/../../b", "a\\b", "release.json", "a//b", "./a"].map((path) => ({
      name: `a manifest that lists ${path}`,
      tamper: manifestWith({ path, ...EMPTY }),
      says: "has a line that no release can have",
      keys: null,
    })),
    {
      name: "the receipt of another release",
      tamper: (folder) => editReceipt(folder, (receipt) => ({ ...receipt, releaseDigest: `sha256:${"0".repeat(64)}` })),
      says: "is not the receipt of the requested release",
    },
    {
      name: "a manifest that does not match the receipt",
      tamper: (folder) => writeFile(join(folder, "manifest.ndjson"), "{}\n"),
      says: "does not have the digest that the release lists",
    },
    {
      name: "a truncated file",
      tamper: (folder) => truncate(join(folder, "data/scores/part-0000.parquet"), 100),
      says: "data/scores/part-0000.parquet (",
    },
    {
      name: "a longer file",
      tamper: (folder) => writeFile(join(folder, "data/scores/part-0000.parquet"), Buffer.alloc(2 ** 20)),
      says: "has more than the",
    },
    {
      name: "a receipt without a signature",
      tamper: (folder) => editReceipt(folder, (receipt) => ({ ...receipt, signature: null })),
      says: "signature: the release is not signed",
    },
  ];

  for (const { name, tamper, says, keys } of REJECTIONS) {
    test(`fetch rejects a release with ${name}`, async () => {
      await using mirror = await temporaryStore();
      await using lying = await fromCopy(tamper);
      await expect(fetched(mirror.store, { url: lying.url, keys: keys === null ? null : world.keys })).rejects.toThrow(
        says,
      );
      expect(await readdir(mirror.store.releases).catch(() => [])).toEqual([]);
      // Nothing was written outside the store.
      expect((await readdir(mirror.folder)).filter((each) => each !== "store")).toEqual([]);
    });
  }

  test("fetch repeats requests that were answered with 429 and Retry-After", async () => {
    await using mirror = await temporaryStore();
    let rejected = 0;
    const busy: RequestListener = async (request, response) => {
      rejected += 1;
      if (rejected <= 30) return response.writeHead(429, { "retry-after": "2" }).end();
      const path = decodeURIComponent((request.url ?? "").replace(`${getReleaseFolder()}/`, ""));
      return response.end(await readFile(join(world.store.release(digest), path)));
    };
    await using files = await fromCopy(async () => undefined, busy);
    await fetched(mirror.store, { url: files.url });
    await expectMirrored(mirror.store);
    expect(rejected).toBeGreaterThan(30);
  });

  test("fetch rejects an invalid URL, and a service without a release", async () => {
    await using mirror = await temporaryStore();
    await expect(fetched(mirror.store, { url: "scores.example.org" })).rejects.toThrow("is not an http or https URL");
    const url = `${address}/records`;
    await expect(fetched(mirror.store, { url, keys: null })).rejects.toThrow("responds with HTTP 404");
    await expect(fetched(mirror.store, { url })).rejects.toThrow(`the head of ${url}/ is missing`);
  });
});
