/** Keys that are replaced and revoked, end to end: what is signed with them is told apart by every command, wherever it went. */

import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRelease } from "../../client/release/open-release.ts";
import { offeredKeys } from "../../operations/fetch/keys.ts";
import { releaseLog } from "../../operations/log/index.ts";
import { publish } from "../../operations/publish/index.ts";
import { retract } from "../../operations/retract/index.ts";
import { rotateKey } from "../../operations/signing-keys/rotate.ts";
import { disownedReleases } from "../../pipeline/store/disowned.ts";
import { publicKeysOf, publishKey } from "../../pipeline/store/key-set.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { retractedDigests } from "../../pipeline/store/retractions.ts";
import { newReleaseKey, publicPart, readPrivateKey, writePrivateKey } from "../../pipeline/store/signing/keys.ts";
import { signerOf } from "../../pipeline/store/signing/sign.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { keySet } from "../../schemas/public/key-set.ts";
import { PLACES } from "../publish/places.ts";
import { serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { at, SOURCES, signedWorld, type World } from "./world.ts";

const REASON = "It lay on a laptop that was stolen.";

/** The store as it was before anything was said of keys: who has a copy of it, and the key, is the thief. */
let world: World;
/** Replaced: a second release is by the new key. */
let replaced: TemporaryStore;
/** Revoked after that. */
let revoked: TemporaryStore;
/** The thief's own release, which claims to be older than everything. */
let stolen: TemporaryStore;
let stolenDigest: string;
let newKey: string;
let second: string;

const first = () => at(world.digests, 0);
const oldKid = () => at(world.keys, 0).kid;

beforeAll(async () => {
  host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
  world = await signedWorld(["2026-11-01"]);
  newKey = join(world.folder, "new-key.json");
  await writeFile(pinned(), JSON.stringify({ keys: world.keys }));
  replaced = await temporaryStore(world.store);
  const rotation = ["signing-keys", "rotate", "--sign", world.keyFile, "--out", newKey];
  expect(await command(replaced.store, ...rotation)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`is in the place of ${oldKid()}`),
  });
  const signer = await signerOf(await readPrivateKey(newKey));
  const options = { asOf: "2026-11-02", sources: SOURCES, signer };
  second = (await buildRelease(replaced.store, options, "2026-11-02T12:00:00.000Z")).receipt.releaseDigest;
  revoked = await temporaryStore(replaced.store);
  const revocation = ["signing-keys", "revoke", oldKid().slice(0, 12), "--reason", REASON, "--sign", newKey];
  const done = await command(revoked.store, ...revocation);
  expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("1 signatures of it stay good") });
  stolen = await temporaryStore(world.store);
  const backdated = { asOf: "2026-10-30", sources: SOURCES, signer: world.signer };
  stolenDigest = (await buildRelease(stolen.store, backdated, "2026-10-30T12:00:00.000Z")).receipt.releaseDigest;
}, 300_000);

afterAll(async () => {
  for (const each of [host, world, replaced, revoked, stolen]) await each?.[Symbol.asyncDispose]();
});

/** The file of who trusts the first key, and has heard of nothing. */
const pinned = () => join(world.folder, "trusted.json");

let host: CommandHost;

async function command(store: Store, ...parameters: readonly string[]) {
  return host.run([...parameters, "--store", store.root]);
}

/** The revoked store, with the thief's release among its own. */
async function intruded(): Promise<TemporaryStore> {
  const copy = await temporaryStore(revoked.store);
  await cp(stolen.store.release(stolenDigest), copy.store.release(stolenDigest), { recursive: true });
  return copy;
}

describe("a key that was replaced", () => {
  test("leads whoever trusts it to the next one, and what it signed goes on to count", async () => {
    for (const digest of [first(), second]) {
      const verified = await command(replaced.store, "verify", digest, "--key", pinned());
      expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(" holds (") });
    }
    const { chain, faults } = await releaseLog(replaced.store, second, null);
    expect({ faults, all: chain.map((entry) => entry.faults) }).toEqual({ faults: [], all: [[], []] });
    expect((await command(replaced.store, "log", "--key", pinned())).exitCode).toBe(0);
    // Who knows nothing of it does not take the new key.
    await using empty = await temporaryStore();
    const alone = await command(empty.store, "verify", "--release", replaced.store.release(second), "--key", pinned());
    expect(alone).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("which is none of those given") });
  });

  test("signs nothing more here, and is replaced once", async () => {
    await using copy = await temporaryStore(replaced.store);
    const build = ["build", "--as-of", "2026-11-03", "--source", "zenodo", "--sign", world.keyFile];
    const words = { exitCode: 1, stderr: expect.stringContaining("was replaced: sign with the key ") };
    expect(await command(copy.store, ...build)).toMatchObject(words);
    const retract = ["retract", first(), "--reason", "No.", "--sign", world.keyFile];
    expect(await command(copy.store, ...retract)).toMatchObject(words);
    const again = ["signing-keys", "rotate", "--sign", world.keyFile, "--out", join(copy.folder, "third.json")];
    const refused = await command(copy.store, ...again);
    expect(refused).toMatchObject(words);
    expect(await readdir(copy.folder)).not.toContain("third.json");
    // A file with a key that is known already is no place for a new one.
    const taken = ["signing-keys", "rotate", "--sign", newKey, "--out", world.keyFile];
    expect(await command(copy.store, ...taken)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("is there already; a key is never overwritten"),
    });
    expect((await publicKeysOf(copy.store)).statements).toHaveLength(1);
  });

  test("is listed with the one in its place", async () => {
    const listed = jsonLines((await command(replaced.store, "signing-keys", "list", "--json")).stdout);
    const [one] = keySet.parse(JSON.parse(await readFile(replaced.store.publicKeys, "utf8"))).statements;
    expect(listed).toEqual([
      { kid: oldKid(), replacedBy: one?.statement === "rotated" ? one.to.kid : "", revoked: null },
      { kid: one?.statement === "rotated" ? one.to.kid : "", replacedBy: null, revoked: null },
      { keys: 2, inUse: 1 },
    ]);
  });
});

describe("a key that was revoked", () => {
  test("what it signed before counts; what it signed besides does not, whatever its date, and for no command", async () => {
    await using copy = await intruded();
    const { store } = copy;
    for (const digest of [first(), second])
      for (const keys of [[], ["--key", pinned()]])
        expect(await command(store, "verify", digest, ...keys)).toMatchObject({ exitCode: 0 });
    const words = expect.stringContaining("is none of those by it that stay good");
    expect(await command(store, "verify", stolenDigest)).toMatchObject({ exitCode: 1, stdout: words });
    expect(await command(store, "verify", stolenDigest, "--key", pinned())).toMatchObject({
      exitCode: 1,
      stdout: words,
    });
    const refusal = { exitCode: 1, stderr: expect.stringContaining(`was revoked since`) };
    expect(await command(store, "activate", stolenDigest)).toMatchObject(refusal);
    expect(await currentDigest(store)).toBe(second);
    const build = ["build", "--as-of", "2026-11-03", "--source", "zenodo", "--sign", world.keyFile];
    expect(await command(store, ...build)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("nobody takes what it signs from now on"),
    });
    const listed = jsonLines((await command(store, "releases", "--json")).stdout);
    const keyRevoked = expect.objectContaining({ kid: oldKid(), reason: REASON });
    expect(listed).toContainEqual(expect.objectContaining({ releaseDigest: stolenDigest, keyRevoked }));
    expect(listed).toContainEqual(expect.objectContaining({ releaseDigest: first(), keyRevoked: null }));
    const inWords = (await command(store, "releases")).stdout.split("\n").filter((line) => line.includes("by the key"));
    expect(inWords).toEqual([
      expect.stringMatching(`${stolenDigest}.*by the key ${oldKid()}, revoked since .*: ${REASON}`),
    ]);
    expect((await command(store, "signing-keys", "list")).stdout).toContain(`${REASON} (1 signatures stay good)`);
    const forced = await command(store, "activate", stolenDigest, "--force", "To look at it.");
    expect(forced).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("forced: To look at it.") });
    expect((await command(store, "doctor")).stdout).toContain("which is by a revoked key");
    const { chain } = await releaseLog(store, stolenDigest, null);
    expect(chain[0]?.faults).toEqual([words]);
  });

  test("since a release or a time: what came from then on is not among what stays good", async () => {
    await using copy = await temporaryStore(world.store);
    const later = { asOf: "2026-11-04", sources: SOURCES, signer: world.signer };
    const { receipt } = await buildRelease(copy.store, later, "2026-11-04T12:00:00.000Z");
    for (const since of [receipt.releaseDigest, "2026-11-03", "2026-11-04T11:59:00Z"]) {
      await using each = await temporaryStore(copy.store);
      const asked = ["signing-keys", "revoke", oldKid(), "--reason", REASON, "--since", since, "--sign", world.keyFile];
      const [said] = jsonLines((await command(each.store, ...asked, "--json")).stdout);
      expect(said).toMatchObject({ payloads: [expect.any(String)], left: [receipt.releaseDigest], unknown: [] });
      const disowned = await disownedReleases(each.store, [first(), receipt.releaseDigest]);
      expect([...disowned.keys()]).toEqual([receipt.releaseDigest]);
    }
  });

  const REFUSED: readonly { name: string; parameters: () => readonly string[]; exitCode: number; words: string }[] = [
    {
      name: "no key to sign",
      parameters: () => [oldKid(), "--reason", REASON],
      exitCode: 2,
      words: "is signed, by the key itself",
    },
    {
      name: "an empty name",
      parameters: () => ["", "--reason", REASON, "--sign", newKey],
      exitCode: 1,
      words: "give at least 4 letters",
    },
    {
      name: "a name of nothing",
      parameters: () => ["nobody", "--reason", REASON, "--sign", newKey],
      exitCode: 1,
      words: "there is no key nobody",
    },
    {
      name: "a time that is none",
      parameters: () => [oldKid(), "--reason", REASON, "--since", "yesterday", "--sign", newKey],
      exitCode: 2,
      words: "--since takes a time",
    },
    {
      name: "a time to come",
      parameters: () => [oldKid(), "--reason", REASON, "--since", "2999-01-01", "--sign", newKey],
      exitCode: 1,
      words: "has not come yet",
    },
    {
      name: "the new key, by the old one",
      parameters: () => [newKid, "--reason", REASON, "--sign", world.keyFile],
      exitCode: 1,
      words: "which was replaced and speaks for itself alone",
    },
  ];
  let newKid = "";
  beforeAll(async () => {
    newKid = (await readPrivateKey(newKey)).kid;
  });

  test.each(REFUSED)("$name: nothing is said", async ({ parameters, exitCode, words }) => {
    await using copy = await temporaryStore(replaced.store);
    const refused = await command(copy.store, "signing-keys", "revoke", ...parameters());
    expect(refused).toMatchObject({ exitCode, stderr: expect.stringContaining(words) });
    expect((await publicKeysOf(copy.store)).statements).toHaveLength(1);
  });

  test("by a key that who trusts the other alone cannot know: nothing is said, whichever of the two it is", async () => {
    await using copy = await temporaryStore(world.store);
    await publishKey(copy.store, at(world.keys, 0));
    const besides = join(copy.folder, "besides.json");
    expect((await command(copy.store, "keygen", "--out", besides)).exitCode).toBe(0);
    const outside = join(copy.folder, "outside.json");
    await writePrivateKey(outside, await newReleaseKey());
    const before = await publicKeysOf(copy.store);
    for (const sign of [besides, outside]) {
      const refused = await command(copy.store, "signing-keys", "revoke", oldKid(), "--reason", REASON, "--sign", sign);
      expect(refused).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`who trusts the key ${oldKid()} alone is told: `),
      });
      expect(refused.stderr).not.toContain("does not hold together");
    }
    expect(await publicKeysOf(copy.store)).toEqual(before);
  });

  test("two that say something at once: the second is told to do it again, and no word of a damaged key set", async () => {
    await using copy = await temporaryStore(world.store);
    const change = { at: "2026-11-20T09:00:00.000Z", sleep: recordedEffects().sleep };
    const next = await Promise.all([newReleaseKey(), newReleaseKey()]);
    const outcomes = await Promise.allSettled(
      next.map((key) => rotateKey(copy.store, world.signer, publicPart(key), change)),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [lost] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(lost).toMatchObject({
      code: "ERR_STATEMENT_REFUSED",
      message: "nothing was said of any key: another process said something before it: do it again",
    });
    expect((await publicKeysOf(copy.store)).statements).toHaveLength(1);
  });

  test("a statement that goes away is missed: nothing is activated or signed until it is back", async () => {
    await using copy = await intruded();
    const set = keySet.parse(JSON.parse(await readFile(copy.store.publicKeys, "utf8")));
    await writeFile(copy.store.publicKeys, JSON.stringify({ ...set, statements: set.statements.slice(0, 1) }));
    const words = `the journal knows that the key ${oldKid()} was revoked, and the statement is gone`;
    expect(await command(copy.store, "activate", stolenDigest)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(words),
    });
    for (const asked of [
      ["verify", stolenDigest, "--key", pinned()],
      ["publish", "--to", join(copy.folder, "public")],
    ])
      expect(await command(copy.store, ...asked)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(words),
      });
    expect(await command(copy.store, "log")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(words) });
    expect(await command(copy.store, "doctor")).toMatchObject({ stdout: expect.stringContaining(words) });
    expect(await command(copy.store, "verify", stolenDigest)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(words),
    });
  });
});

describe("a mirror", () => {
  const fetching = (store: Store, url: string) => command(store, "fetch", url, "--key", pinned(), "--json");
  const releaseOf = (url: string, digest: string) => `${url}/releases/${digest.replace(":", "-")}`;

  test("that trusts the first key goes on to the next one, hears of the revocation, and keeps what it heard", async () => {
    await using mirror = await temporaryStore();
    const before = await serve(replaced.store);
    const fetched = await fetching(mirror.store, before.url).finally(() => before.close());
    const [rotation] = (await publicKeysOf(replaced.store)).statements;
    expect({ ...fetched, lines: jsonLines(fetched.stdout) }).toMatchObject({
      exitCode: 0,
      lines: [{ releaseDigest: second, created: true, keys: { statements: [rotation], isBehind: false, kept: true } }],
    });
    expect((await command(mirror.store, "verify", second, "--key", pinned())).exitCode).toBe(0);
    const after = await serve(revoked.store);
    const again = await fetching(mirror.store, after.url).finally(() => after.close());
    const all = (await publicKeysOf(revoked.store)).statements;
    expect({ ...again, lines: jsonLines(again.stdout) }).toMatchObject({
      lines: [{ created: false, keys: { statements: all } }],
    });
    expect((await publicKeysOf(mirror.store)).statements).toEqual(all);
    // Another store that serves an older account of the keys takes nothing back.
    const behind = await serve(replaced.store);
    const old = await fetching(mirror.store, behind.url).finally(() => behind.close());
    expect({ ...old, lines: jsonLines(old.stdout) }).toMatchObject({
      lines: [{ keys: { statements: all, isBehind: true } }],
    });
    const thief = await serve(stolen.store);
    const refused = await fetching(mirror.store, releaseOf(thief.url, stolenDigest)).finally(() => thief.close());
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("which was revoked (") });
  });

  test("that never heard of the revocation takes what the thief signed, and is told of it by its next fetch", async () => {
    await using mirror = await temporaryStore();
    const thief = await serve(stolen.store);
    const taken = await fetching(mirror.store, releaseOf(thief.url, stolenDigest)).finally(() => thief.close());
    expect(taken.exitCode).toBe(0);
    const honest = await serve(revoked.store);
    const told = await fetching(mirror.store, honest.url).finally(() => honest.close());
    expect(told.exitCode).toBe(0);
    const refusal = { exitCode: 1, stderr: expect.stringContaining("was revoked since") };
    expect(await command(mirror.store, "activate", stolenDigest)).toMatchObject(refusal);
    expect((await command(mirror.store, "activate", second)).exitCode).toBe(0);
  });

  test("is told of a retraction that came too late to count, and goes on: it is passed over, not kept", async () => {
    await using copy = await temporaryStore(replaced.store);
    const said = await signerOf(world.key);
    const change = { at: "2026-11-10T09:00:00.000Z", sleep: recordedEffects().sleep };
    await retract(copy.store, { releaseDigest: first(), reason: "Counted twice." }, said, change);
    const since = ["--since", "2026-11-09", "--sign", newKey, "--json"];
    const done = await command(copy.store, "signing-keys", "revoke", oldKid(), "--reason", REASON, ...since);
    expect(jsonLines(done.stdout)).toMatchObject([{ left: [], leftRetractions: [first()] }]);
    await using mirror = await temporaryStore();
    const server = await serve(copy.store);
    try {
      const url = releaseOf(server.url, first());
      expect(jsonLines((await fetching(mirror.store, url)).stdout)).toMatchObject([
        { created: true, retractions: [{ releaseDigest: first(), kept: false, disowned: true }] },
      ]);
      const words = (await command(mirror.store, "fetch", url, "--key", pinned())).stdout;
      expect(words).toContain(`the retraction of ${first()} (Counted twice.) is by a revoked key`);
      expect(await retractedDigests(mirror.store)).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test("to which the thief names another successor takes neither account, and says so", async () => {
    await using thiefs = await temporaryStore(world.store);
    const out = join(thiefs.folder, "thief.json");
    const rotation = ["signing-keys", "rotate", "--sign", world.keyFile, "--out", out];
    expect((await command(thiefs.store, ...rotation)).exitCode).toBe(0);
    await using mirror = await temporaryStore();
    const honest = await serve(replaced.store);
    expect((await fetching(mirror.store, honest.url).finally(() => honest.close())).exitCode).toBe(0);
    const thief = await serve(thiefs.store);
    const refused = await fetching(mirror.store, thief.url).finally(() => thief.close());
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("somebody else has one of them") });
  });
});

test("a server says so: the key set, the list of releases, the page of releases", async () => {
  await using copy = await intruded();
  const server = await serve(copy.store);
  try {
    const set = keySet.parse(await (await fetch(`${server.url}/.well-known/share-release-keys.json`)).json());
    expect(set.statements.map(({ statement }) => statement)).toEqual(["rotated", "revoked"]);
    const list = releaseList.parse(await (await fetch(`${server.url}/releases`)).json());
    const said = new Map(list.map(({ releaseDigest, keyRevoked }) => [releaseDigest, keyRevoked?.reason ?? null]));
    expect([first(), second, stolenDigest].map((digest) => said.get(digest))).toEqual([null, null, REASON]);
    const page = await (await fetch(`${server.url}/history`, { headers: { accept: "text/html" } })).text();
    expect(page.split("key revoked</span>")).toHaveLength(2);
  } finally {
    await server.close();
  }
});

describe.each(PLACES.filter(({ kind }) => kind === "a folder"))("published to $kind", ({ open }) => {
  const sending = { parallel: 4, dryRun: false };

  test("the key set goes along, is never made less, and leads who follows", async () => {
    await using place = await open();
    const effects = recordedEffects();
    const target = await place.target(effects);
    await publish(revoked.store, second, target, sending, effects);
    const text = (await target.text("keys/share-release-keys.json")) ?? "";
    expect(keySet.parse(JSON.parse(text))).toEqual(await publicKeysOf(revoked.store));
    await expect(publish(replaced.store, first(), target, sending, effects)).rejects.toThrow("knows more of keys");
    expect(await target.text("keys/share-release-keys.json")).toBe(text);
    await using copy = await intruded();
    await expect(publish(copy.store, stolenDigest, target, sending, effects)).rejects.toThrow("which was revoked (");
    expect(await target.current()).toBe(second);
    await publish(copy.store, stolenDigest, target, { ...sending, force: "To look at it." }, effects);
    const list = releaseList.parse(JSON.parse((await target.text("releases.json")) ?? ""));
    expect(list.map(({ keyRevoked }) => keyRevoked?.reason ?? null).sort()).toEqual([REASON, null]);
  });
});

test("a host that answers a page for whatever it has not, and one that a browser may not ask for it", async () => {
  const server = await serve(revoked.store);
  const page = createServer((request, response) => {
    if (request.url === "/keys/share-release-keys.json") return void response.end("<!doctype html><p>Welcome</p>");
    void fetch(`${server.url}${request.url}`).then(async (answer) => {
      response.statusCode = answer.status;
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((done) => page.listen(0, "127.0.0.1", done));
  const address = page.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const { statements } = await publicKeysOf(revoked.store);
  try {
    const heard = await offeredKeys(
      replaced.store,
      { url: `${url}/releases/${second.replace(":", "-")}`, digest: second, list: null },
      { keys: [...world.keys], statements: [] },
      {
        effects: { ...recordedEffects(), fetch: (input, options) => fetch(input, options) },
        headers: {},
        origin: null,
        met: new Set(),
      },
    );
    expect(heard.statements).toEqual(statements);
    const asked: string[] = [];
    const release = `${server.url}/releases/${second.replace(":", "-")}/`;
    const inBrowser = async (request: Request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (pathname.startsWith("/.well-known/")) throw new TypeError("Failed to fetch");
      return pathname.startsWith("/keys/") ? Response.json({ keys: world.keys, statements }) : fetch(request);
    };
    const opened = await openRelease(release, { keys: world.keys, fetch: inBrowser, retries: 0 });
    expect((await opened.receipt()).releaseDigest).toBe(second);
    expect(asked).toContain("/keys/share-release-keys.json");
  } finally {
    page.close();
    page.closeAllConnections();
    await server.close();
  }
});

test("the npm client goes from the first key to the next, and takes nothing of one that was revoked", async () => {
  await using copy = await intruded();
  const server = await serve(copy.store);
  const address = (digest: string) => `${server.url}/releases/${digest.replace(":", "-")}/`;
  try {
    for (const digest of [first(), second]) {
      const release = await openRelease(address(digest), { keys: world.keys });
      expect((await release.receipt()).releaseDigest).toBe(digest);
    }
    await expect(openRelease(address(stolenDigest), { keys: world.keys })).rejects.toThrow("which was revoked (");
    const { statements } = await publicKeysOf(revoked.store);
    const thief = await serve(stolen.store);
    const theirs = `${thief.url}/releases/${stolenDigest.replace(":", "-")}/`;
    const known = openRelease(theirs, { keys: world.keys, statements });
    await expect(known.finally(() => thief.close())).rejects.toThrow("which was revoked (");
  } finally {
    await server.close();
  }
});
