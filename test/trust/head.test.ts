/**
 * Tests the head of a publisher, a signed statement of the current release: commands sign it, and readers notice an old or
 * forged head.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRelease } from "../../client/release/index.ts";
import { HEAD_DAYS, newHead, readHead, signHead } from "../../pipeline/store/head.ts";
import { readStorePublicKeys } from "../../pipeline/store/key-set.ts";
import { activate, changeNow } from "../../pipeline/store/releases.ts";
import { makeSigner, newReleaseKey, publicPart, type Signer } from "../../pipeline/store/signatures.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type FetchOptions, type FetchResult, fetchRelease } from "../../releases/fetch/index.ts";
import { folderTarget } from "../../releases/publish/folder-target.ts";
import { publish } from "../../releases/publish/index.ts";
import { retract } from "../../releases/retract.ts";
import { type Head, keySet } from "../../schemas/public/key-set.ts";
import { serve } from "../server/test-store.ts";
import { runHosted } from "../support/command-host.ts";
import { recordedEffects } from "../support/effects.ts";
import { PYTHON_ENVIRONMENT, python } from "../support/share-scores.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { at, signedWorld, type World } from "./world.ts";

/** The time of this machine, because the clients compare the expiry of a head with it. */
const NOW = new Date();
const LATER = new Date(NOW.getTime() + 1000);
const LONG_AGO = new Date(NOW.getTime() - (HEAD_DAYS + 1) * 86_400_000);

let world: World;
let older: string;
let newer: string;
/** The folder that the web server serves. Tests copy one of the published folders in `states` into it. */
let shown: string;
let url: string;
const states: Record<"older" | "newer" | "expired", string> = { older: "", newer: "", expired: "" };
const cleanup = new AsyncDisposableStack();

const effectsAt = (now: Date) => ({ ...recordedEffects(now.toISOString()), fetch: globalThis.fetch });

beforeAll(async () => {
  world = cleanup.use(await signedWorld(["2026-11-01", "2026-11-02"]));
  [older, newer] = [at(world.digests, 0), at(world.digests, 1)];
  await rm(world.store.raw(""), { recursive: true, force: true });
  for (const state of ["expired", "older", "newer"] as const) {
    states[state] = join(world.folder, state);
    await publishTo(
      states[state],
      state === "older" ? older : newer,
      { expired: LONG_AGO, older: NOW, newer: LATER }[state],
    );
  }
  shown = join(world.folder, "www");
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const body = await readFile(join(shown, path === "/releases" ? "releases.json" : path)).catch(() => null);
    response.writeHead(body === null ? 404 : 200).end(body ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup.defer(() => void server.close());
  cleanup.defer(() => server.closeAllConnections());
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 300_000);

afterAll(() => cleanup.disposeAsync());

async function publishTo(folder: string, digest: string, now: Date, signer: Signer | null = world.signer) {
  const effects = effectsAt(now);
  const settings = { parallel: 4, dryRun: false, signer };
  return publish(world.store, digest, folderTarget(folder, changeNow(effects)), settings, effects);
}

/** Copies one of the states into the folder of the web server, and changes its key set. */
async function show(
  state: keyof typeof states,
  change: (set: { keys: unknown[]; head?: Head }) => object = (set) => set,
): Promise<void> {
  await rm(shown, { recursive: true, force: true });
  await cp(states[state], shown, { recursive: true, verbatimSymlinks: true });
  const { publicKeys } = openStore(shown);
  await writeFile(publicKeys, JSON.stringify(change(JSON.parse(await readFile(publicKeys, "utf8")))));
}

function fetched(store: Store, options: Partial<FetchOptions> = {}): Promise<FetchResult> {
  const base = { url, apiKey: null, parallel: 8, keys: world.keys, unproven: false, threads: 1, memory: "512MB" };
  return fetchRelease(store, { ...base, ...options }, effectsAt(LATER));
}

type Change = Parameters<typeof show>[1];

/**
 * Wrong states that a server can show, and the errors of two readers: one saw the newer state before (`known`), and the other
 * saw nothing (`fresh`).
 */
const COPIES: readonly {
  name: string;
  state: keyof typeof states;
  change?: Change;
  /** Part of the error message of the reader that saw the newer state before. */
  known: string;
  fresh: string | null;
}[] = [
  { name: "an older state that has not expired", state: "older", known: "is older (number", fresh: null },
  { name: "a state that has expired", state: "expired", known: "is older (number", fresh: "expired at" },
  {
    name: "a state without a head",
    state: "newer",
    change: ({ keys }) => ({ keys }),
    known: "is missing",
    fresh: "is missing",
  },
  {
    name: "a head with another release",
    state: "newer",
    change: ({ keys, head }) => ({ keys, head: { ...head, releaseDigest: older } }),
    known: "does not match this head",
    fresh: "does not match this head",
  },
  {
    name: "a head with a later date of expiry",
    state: "expired",
    change: ({ keys, head }) => ({ keys, head: { ...head, expiresAt: "2999-01-01T00:00:00.000Z" } }),
    known: "does not match this head",
    fresh: "does not match this head",
  },
  {
    name: "a head with the signature of a receipt",
    state: "newer",
    change: ({ keys, head }) => ({ keys, head: { ...head, signature: world.receipts[1]?.signature } }),
    known: "as something else|as another kind|not readable",
    fresh: "as something else|as another kind|not readable",
  },
  {
    name: "a head signed by a revoked key",
    state: "newer",
    change: ({ keys, head }) => ({
      keys: keys.map((key) => Object.assign({}, key, { revoked: "2026-11-01T00:00:00Z" })),
      head,
    }),
    known: "is revoked since",
    fresh: "is revoked since",
  },
];

interface Reader {
  readonly name: string;
  /** Opens the current release and returns its digest. `hasSeen` is true if the reader saw the newer state before. */
  readonly open: (hasSeen: boolean, allowOlder: boolean) => Promise<string>;
}

const READERS: readonly (Reader & { readonly isMissing?: boolean })[] = [
  {
    name: "a mirror",
    open: async (hasSeen, allowOlder) => {
      await using mirror = await temporaryStore(world.store);
      await rm(mirror.store.publicKeys, { force: true });
      if (hasSeen) {
        const copied = join(mirror.folder, "shown");
        await cp(shown, copied, { recursive: true, verbatimSymlinks: true });
        await show("newer");
        await fetched(mirror.store);
        await rm(shown, { recursive: true });
        await cp(copied, shown, { recursive: true, verbatimSymlinks: true });
      }
      // A mirror that fetched before already has the keys.
      return (await fetched(mirror.store, { allowOlder, keys: hasSeen ? null : world.keys })).releaseDigest;
    },
  },
  {
    name: "the npm client",
    open: async (hasSeen, allowOlder) => {
      const lastSequence = hasSeen ? (readHead(await readKeySetHead(states.newer))?.sequence ?? 0) : 0;
      return (await (await openRelease(url, { keys: world.keys, lastSequence, allowOlder, retries: 0 })).receipt())
        .releaseDigest;
    },
  },
  {
    name: "the Python client",
    isMissing: python === null || spawnSync(python, ["-c", "import cryptography"]).status !== 0,
    open: async (hasSeen, allowOlder) => {
      const file = join(world.folder, "keys.json");
      await writeFile(file, JSON.stringify({ keys: world.keys }));
      const lastSequence = hasSeen ? (readHead(await readKeySetHead(states.newer))?.sequence ?? 0) : 0;
      const options = `last_sequence=${lastSequence}, allow_older=${allowOlder ? "True" : "False"}`;
      const program = `from share_scores import Release, read_keys
print(Release("${url}/current", keys=read_keys("${file}"), ${options}).digest)`;
      const { stdout, stderr } = await pythonOutput(program);
      if (stdout === "") throw new Error(stderr);
      return stdout.trim();
    },
  },
];

/** Runs Python without blocking, because the server is in this process. */
async function pythonOutput(program: string): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(python ?? "python3", ["-c", program], { env: PYTHON_ENVIRONMENT });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr };
}

async function readKeySetHead(folder: string): Promise<unknown> {
  return (await readStorePublicKeys(openStore(folder))).head;
}

for (const { name, open, isMissing = false } of READERS) {
  describe.skipIf(isMissing)(name, () => {
    test(`${name} opens the release that the head of the publisher names`, async () => {
      await show("newer");
      expect(await open(false, false)).toBe(newer);
      expect(await open(true, false)).toBe(newer);
    });

    test.each(COPIES)(
      "rejects $name, at least if it saw a newer state before",
      async ({ state, change, known, fresh }) => {
        await show(state, change);
        await expect(open(true, false)).rejects.toThrow(new RegExp(known.replaceAll("(", "\\(")));
        if (fresh === null) expect(await open(false, false)).toBe(older);
        else await expect(open(false, false)).rejects.toThrow(new RegExp(fresh));
      },
    );

    test("opens an older state of a publisher if the user allows it", async () => {
      await show("older");
      expect(await open(true, true)).toBe(older);
    });
  });
}

describe("mirrors that follow a head", () => {
  test("a mirror stores a retraction that the head lists, even if the list of releases hides it", async () => {
    await using mirror = await temporaryStore(world.store);
    await rm(mirror.store.publicKeys, { force: true });
    await using publisher = await temporaryStore(world.store);
    const effects = effectsAt(LATER);
    await retract(
      publisher.store,
      { releaseDigest: older, reason: "Counted twice." },
      world.signer,
      changeNow(effects),
    );
    await signHead(publisher.store, world.signer, changeNow(effects));
    await show("newer");
    await cp(publisher.store.publicKeys, openStore(shown).publicKeys);
    const { retractions } = await fetched(mirror.store);
    expect(retractions).toMatchObject([{ releaseDigest: older, kept: true }]);
  });

  test("a mirror rejects an older head of a publisher even at another URL", async () => {
    await using mirror = await temporaryStore(world.store);
    await show("newer");
    await fetched(mirror.store);
    await show("older");
    const other = url.replace("127.0.0.1", "localhost");
    await expect(fetched(mirror.store, { url: other })).rejects.toThrow("is older (number");
    expect(await fetched(mirror.store, { url: other, allowOlder: true })).toMatchObject({
      releaseDigest: older,
      doubt: expect.stringContaining("is older"),
    });
    // The user accepted this state, so it is not reported again.
    expect(await fetched(mirror.store, { url: other })).toMatchObject({ doubt: null });
  });

  test("a mirror with a damaged file of followed publishers rejects a fetch, and says how to repair the file", async () => {
    await using mirror = await temporaryStore(world.store);
    await show("newer");
    await fetched(mirror.store);
    await writeFile(mirror.store.followed, "{");
    await expect(fetched(mirror.store)).rejects.toMatchObject({
      code: "ERR_FETCH_REJECTED",
      message: expect.stringContaining(`${mirror.store.followed} is damaged: restore it from a copy, or remove it`),
    });
  });

  test("a mirror passes the head on to its own readers, both when it serves and when it publishes", async () => {
    await using mirror = await temporaryStore(world.store);
    await rm(mirror.store.publicKeys, { force: true });
    await show("newer");
    await fetched(mirror.store);
    expect(await readKeySetHead(mirror.store.root)).toEqual(await readKeySetHead(states.newer));
    const server = await serve(mirror.store);
    try {
      await using second = await temporaryStore(world.store);
      const set = keySet.parse(await (await fetch(`${server.url}/.well-known/share-release-keys.json`)).json());
      expect(set.head?.releaseDigest).toBe(newer);
      expect(await fetched(second.store, { url: server.url })).toMatchObject({ releaseDigest: newer, doubt: null });
    } finally {
      await server.close();
    }
    const to = join(mirror.folder, "www");
    const effects = effectsAt(LATER);
    const settings = { parallel: 4, dryRun: false };
    const published = await publish(mirror.store, newer, folderTarget(to, changeNow(effects)), settings, effects);
    expect(published.head?.releaseDigest).toBe(newer);
  });

  test("a mirror needs no head for a release that the user names by its digest", async () => {
    await using mirror = await temporaryStore(world.store);
    await show("newer", ({ keys }) => ({ keys }));
    const named = `${url}/releases/${older.replace(":", "-")}`;
    expect(await fetched(mirror.store, { url: named })).toMatchObject({
      releaseDigest: older,
      head: null,
      doubt: null,
    });
  });
});

describe("heads of publishers", () => {
  test("the head of a publisher has a higher number each time it is signed, even after the store was restored from a backup", async () => {
    await using copy = await temporaryStore(world.store);
    const numbers: number[] = [];
    for (const now of [NOW, NOW, LONG_AGO, LATER]) {
      const head = await signHead(copy.store, world.signer, changeNow(effectsAt(now)));
      numbers.push(head?.sequence ?? 0);
    }
    expect(numbers.toSorted((one, two) => one - two)).toEqual(numbers);
    expect(new Set(numbers).size).toBe(4);
    await using restored = await temporaryStore(world.store);
    const tomorrow = changeNow(effectsAt(new Date(NOW.getTime() + 86_400_000)));
    const again = await newHead(restored.store, newer, world.signer, tomorrow);
    expect(again.sequence).toBeGreaterThan(Math.max(...numbers));
  });

  test("the head of a publisher is signed by key sign, and by every command with --sign that changes a fact in it", {
    timeout: 300_000,
  }, async () => {
    await using copy = await temporaryStore(world.store);
    await activate(copy.store, newer);
    const run = (...parameters: readonly string[]) => runHosted([...parameters, "--store", copy.store.root]);
    const stated = async () => {
      const { releaseDigest, keys, retractions } = readHead(await readKeySetHead(copy.store.root)) ?? {};
      return [releaseDigest, keys?.filter(({ revoked }) => revoked !== undefined).length, retractions?.length];
    };
    const sign = ["--sign", world.keyFile];
    expect(await run("key", "sign", ...sign)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await stated()).toEqual([newer, 0, 0]);
    const unsigned = await run("release", "activate", older);
    expect(unsigned.stdout).toContain("The signed head still names the release or the keys before this change");
    expect(await stated()).toEqual([newer, 0, 0]);
    expect((await run("doctor")).stdout).toMatch(/warning +keys .* but another release is active/);
    await run("release", "activate", older, ...sign);
    expect(await stated()).toEqual([older, 0, 0]);
    await run("release", "rollback", ...sign);
    expect(await stated()).toEqual([newer, 0, 0]);
    await run("release", "retract", older, "--reason", "Counted twice.", ...sign);
    expect(await stated()).toEqual([newer, 0, 1]);
    const second = join(copy.folder, "second.json");
    const { kid } = JSON.parse((await run("key", "new", "--out", second, "--json")).stdout);
    await run("key", "revoke", kid, "--sign", second, ...sign);
    expect(await stated()).toEqual([newer, 1, 1]);
    const [bare, lost] = [await run("key", "sign"), await run("key", "sign", "--sign", second)];
    expect([bare.exitCode, bare.stderr]).toEqual([
      2,
      expect.stringContaining("signing the head of the store requires a private key"),
    ]);
    expect([lost.exitCode, lost.stderr]).toEqual([1, expect.stringContaining("was revoked on")]);
    const to = join(copy.folder, "www");
    const published = await run("release", "publish", "--to", to);
    expect(published.stdout).toContain("Its head is valid until");
    const before = readHead(await readKeySetHead(to))?.sequence ?? 0;
    await run("release", "publish", "--to", to, ...sign);
    expect(readHead(await readKeySetHead(to))?.sequence).toBeGreaterThan(before);
  });

  test("the head of a publisher is rejected if a stranger signed it, even if it contains the stranger's key", async () => {
    const stranger = await newReleaseKey();
    const signer = await makeSigner(stranger);
    await using copy = await temporaryStore(world.store);
    await signHead(copy.store, signer, changeNow(effectsAt(LATER)));
    await show("newer");
    await cp(copy.store.publicKeys, openStore(shown).publicKeys);
    await using mirror = await temporaryStore(world.store);
    await expect(fetched(mirror.store)).rejects.toThrow("which is not one of those given");
    await expect(openRelease(url, { keys: world.keys, retries: 0 })).rejects.toThrow("not one of those given");
    expect(await openRelease(url, { keys: [publicPart(stranger)], retries: 0 }).catch(String)).toContain(
      "not one of those given",
    );
  });
});
