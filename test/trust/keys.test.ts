/**
 * Tests the keys that sign releases: they are created, used together during a rotation, and revoked, and every command respects
 * a revocation.
 */

import { once } from "node:events";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRelease } from "../../client/release/index.ts";
import { readJournal } from "../../pipeline/store/journal.ts";
import { publishKey, readStorePublicKeys, revokeKey } from "../../pipeline/store/key-set.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { retractedDigests } from "../../pipeline/store/retractions.ts";
import { revocationsOfReleases } from "../../pipeline/store/revocations.ts";
import { newReleaseKey, publicPart } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseLog } from "../../releases/log.ts";
import { publish } from "../../releases/publish/index.ts";
import { retract } from "../../releases/retract.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { keySet } from "../../schemas/public/key-set.ts";
import { PLACES } from "../publish/places.ts";
import { serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { jsonLines, startCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { linkedStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { at, SOURCES, signedWorld, type World } from "./world.ts";

/** The time from which the old key is revoked: after the first release, and before the second. */
const REVOKED = "2026-11-01T18:00:00.000Z";

/** A store with one release, signed by the old key. A thief has a copy of the store and of the key. */
let world: World;
/** The store with a second release, signed by the old key and a new one. */
let rotated: TemporaryStore;
/** The same store after the old key was revoked from `REVOKED` on. */
let revoked: TemporaryStore;
/** The thief's store, with a release that claims to be older than all others. */
let stolen: TemporaryStore;
let stolenDigest: string;
let newKey: string;
let second: string;
let host: CommandHost;

const first = () => at(world.digests, 0);
const oldKid = () => world.key.kid;

beforeAll(async () => {
  host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
  world = await signedWorld(["2026-11-01"]);
  await publishKey(world.store, at(world.keys, 0));
  await writeFile(pinned("old"), JSON.stringify({ keys: world.keys }));
  rotated = await temporaryStore(world.store);
  newKey = join(world.folder, "new-key.json");
  expect(await command(rotated.store, "key", "new", "--out", newKey)).toMatchObject({ exitCode: 0 });
  await writeFile(pinned("new"), JSON.stringify(publicPart(JSON.parse(await readFile(newKey, "utf8")))));
  const build = ["build", "--as-of", "2026-11-02", "--source", "zenodo", "--threads", "1"];
  const built = await command(rotated.store, ...build, "--sign", world.keyFile, "--sign", newKey);
  expect(built).toMatchObject({ exitCode: 0, stderr: expect.any(String) });
  second = (await currentDigest(rotated.store)) ?? "";
  revoked = await temporaryStore(rotated.store);
  const revocation = ["key", "revoke", oldKid().slice(0, 12), "--date", REVOKED, "--json"];
  const [done] = jsonLines((await command(revoked.store, ...revocation)).stdout);
  expect(done).toEqual({ kid: oldKid(), revoked: REVOKED, changed: true, rejected: [] });
  stolen = await temporaryStore(world.store);
  const backdated = { asOf: "2026-10-30", sources: SOURCES, signer: world.signer };
  stolenDigest = (await buildRelease(stolen.store, backdated, "2026-10-30T12:00:00.000Z")).receipt.releaseDigest;
}, 300_000);

afterAll(async () => {
  for (const each of [host, world, rotated, revoked, stolen]) await each?.[Symbol.asyncDispose]();
});

/** Returns the path of the key file of a user who trusts only the old or only the new key. */
const pinned = (which: "old" | "new") => join(world.folder, `pinned-${which}.json`);

async function command(store: Store, ...parameters: readonly string[]) {
  return host.run([...parameters, "--store", store.root]);
}

/** Copies the store with the revoked key, and adds the thief's release to the copy. */
async function intruded(): Promise<TemporaryStore> {
  const copy = await temporaryStore(revoked.store);
  await cp(stolen.store.release(stolenDigest), copy.store.release(stolenDigest), { recursive: true });
  return copy;
}

const buildReleaseUrl = (url: string, digest: string) => `${url}/releases/${digest.replace(":", "-")}`;

test("during a rotation, both keys sign a release, and either of them verifies it", async () => {
  for (const which of ["old", "new"] as const) {
    const verified = await command(rotated.store, "release", "verify", second, "--key", pinned(which));
    expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(" is valid (") });
  }
  expect(await command(rotated.store, "release", "verify", first(), "--key", pinned("new"))).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("which is not one of those given"),
  });
  const { chain, faults } = await releaseLog(rotated.store, second, null);
  expect({ faults, all: chain.map((entry) => entry.faults) }).toEqual({ faults: [], all: [[], []] });
  expect(chain.map(({ signedBy }) => signedBy.length)).toEqual([2, 1]);
});

test("key list shows each key with the dates of its creation and revocation", async () => {
  const listed = jsonLines((await command(revoked.store, "key", "list", "--json")).stdout);
  expect(listed).toEqual([
    { kid: oldKid(), created: null, revoked: REVOKED },
    { kid: expect.any(String), created: expect.any(String), revoked: null },
    { keys: 2, revoked: 1 },
  ]);
  expect((await command(revoked.store, "key", "list")).stdout).toContain(`${oldKid()}  revoked ${REVOKED}`);
});

test("key without a verb prints its help, and exits with 2", async () => {
  expect(await host.run(["key"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("revoke [options]") });
});

test("key revoke accepts the first letters of an id, even if they begin with a hyphen", async () => {
  await using copy = await temporaryStore(rotated.store);
  const kid = "-fHyphenAtItsBeginning";
  await publishKey(copy.store, { ...publicPart(await newReleaseKey()), kid });
  for (const prefix of ["-fHy", kid]) {
    const { exitCode, stdout } = await command(copy.store, "key", "revoke", prefix, "--date", "2026-11-01", "--json");
    expect({ exitCode, lines: jsonLines(stdout) }).toMatchObject({ exitCode: 0, lines: [{ kid }] });
  }
});

test("key revoke warns if its date is before the creation of the key", async () => {
  await using copy = await temporaryStore(rotated.store);
  const key = { ...publicPart(await newReleaseKey()), created: "2026-11-02T08:00:00.000Z" };
  await publishKey(copy.store, key);
  const revoke = async (date: string) => (await command(copy.store, "key", "revoke", key.kid, "--date", date)).stdout;
  expect(await revoke("2026-11-03")).not.toContain("Check the date");
  expect(await revoke("2026-11-01")).toContain("was created at 2026-11-02T08:00:00.000Z, so none of its signatures");
});

const REJECTED: readonly { name: string; parameters: () => readonly string[]; exitCode: number; words: string }[] = [
  { name: "an empty key id", parameters: () => [""], exitCode: 1, words: "does not identify exactly one key" },
  {
    name: "an unknown key id",
    parameters: () => ["nobody"],
    exitCode: 1,
    words: "There is no key whose id begins with nobody",
  },
  {
    name: "a malformed date",
    parameters: () => [oldKid(), "--date", "yesterday"],
    exitCode: 2,
    words: "expected a day",
  },
  {
    name: "a future date",
    parameters: () => [oldKid(), "--date", "2999-01-01"],
    exitCode: 2,
    words: "is in the future",
  },
  { name: "a misspelled option", parameters: () => [oldKid(), "--dat", "2026-11-01"], exitCode: 2, words: '"--dat"' },
];

test.each(REJECTED)("key revoke changes nothing for $name", async ({ parameters, exitCode, words }) => {
  const before = await readStorePublicKeys(rotated.store);
  const rejected = await command(rotated.store, "key", "revoke", ...parameters());
  expect(rejected).toMatchObject({ exitCode, stderr: expect.stringContaining(words) });
  expect(await readStorePublicKeys(rotated.store)).toEqual(before);
});

describe("revoked keys", () => {
  test("a revoked key is valid only for releases that the journal recorded before the revocation, whatever date they claim", async () => {
    await using copy = await intruded();
    const { store } = copy;
    for (const parameters of [[first()], [first(), "--key", pinned("old")], [second], [second, "--key", pinned("new")]])
      expect(await command(store, "release", "verify", ...parameters)).toMatchObject({ exitCode: 0 });
    const words = expect.stringContaining(`by the key ${oldKid()}, which is revoked since ${REVOKED}`);
    for (const parameters of [[stolenDigest], [stolenDigest, "--key", pinned("old")], [second, "--key", pinned("old")]])
      expect(await command(store, "release", "verify", ...parameters)).toMatchObject({ exitCode: 1, stdout: words });
    expect(await command(store, "release", "activate", stolenDigest)).toMatchObject({ exitCode: 1, stderr: words });
    const build = ["build", "--as-of", "2026-11-03", "--source", "zenodo", "--sign", world.keyFile];
    expect(await command(store, ...build)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("its signatures do not count"),
    });
    const listed = jsonLines((await command(store, "release", "list", "--json")).stdout);
    const keyRevoked = { kid: oldKid(), since: REVOKED };
    expect(listed).toContainEqual(expect.objectContaining({ releaseDigest: stolenDigest, keyRevoked }));
    for (const releaseDigest of [first(), second])
      expect(listed).toContainEqual(expect.objectContaining({ releaseDigest, keyRevoked: null }));
    const forced = await command(store, "release", "activate", stolenDigest, "--force", "To look at it.");
    expect(forced).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("forced: To look at it.") });
    expect((await command(store, "doctor")).stdout).toContain("which is signed with a revoked key");
    const { chain } = await releaseLog(store, stolenDigest, null);
    expect(chain[0]?.faults).toEqual([words]);
  });

  test("a revoked key can be revoked again only from an earlier date", async () => {
    await using copy = await temporaryStore(revoked.store);
    await revokeKey(copy.store, oldKid(), "2026-11-20T00:00:00.000Z");
    expect((await readStorePublicKeys(copy.store)).keys[0]?.revoked).toBe(REVOKED);
    await revokeKey(copy.store, oldKid(), "2026-11-01T00:00:00Z");
    expect([...(await revocationsOfReleases(copy.store, [first(), second])).keys()]).toEqual([first()]);
  });

  test("a revoked key keeps the earliest date of its revocations, and key revoke prints that date", async () => {
    await using copy = await temporaryStore(revoked.store);
    const revoke = (...parameters: string[]) => command(copy.store, "key", "revoke", oldKid(), ...parameters);
    const later = await revoke("--date", "2026-11-20");
    expect(later).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`was revoked from ${REVOKED} before`) });
    expect(jsonLines((await revoke("--json")).stdout)).toMatchObject([{ revoked: REVOKED, changed: false }]);
    const earlier = await revoke("--date", "2026-10-01");
    expect(earlier.stdout).toContain("is revoked from 2026-10-01T00:00:00.000Z");
  });

  test("a revoked key is marked by a server in its key set, in the list of releases and on the history page", async () => {
    await using copy = await intruded();
    const server = await serve(copy.store);
    try {
      const set = keySet.parse(await (await fetch(`${server.url}/.well-known/share-release-keys.json`)).json());
      expect(set.keys.map((key) => key.revoked)).toEqual([REVOKED, undefined]);
      const list = releaseList.parse(await (await fetch(`${server.url}/releases`)).json());
      const since = new Map(list.map(({ releaseDigest, keyRevoked }) => [releaseDigest, keyRevoked?.since ?? null]));
      expect([first(), second, stolenDigest].map((digest) => since.get(digest))).toEqual([null, null, REVOKED]);
      const page = await (await fetch(`${server.url}/history`, { headers: { accept: "text/html" } })).text();
      expect(page.split("key revoked</span>")).toHaveLength(2);
    } finally {
      await server.close();
    }
  });

  test("a revoked key is rejected by mirrors and by the npm client once the published key set contains its revocation", async () => {
    await using copy = await intruded();
    await using mirror = await temporaryStore();
    const before = await serve(stolen.store);
    const theirs = buildReleaseUrl(before.url, stolenDigest);
    const taken = await openRelease(theirs, { keys: world.keys });
    expect((await taken.receipt().finally(() => before.close())).releaseDigest).toBe(stolenDigest);
    const server = await serve(copy.store);
    const bad = buildReleaseUrl(server.url, stolenDigest);
    const fetching = (digest: string, which: "old" | "new") =>
      command(mirror.store, "release", "fetch", buildReleaseUrl(server.url, digest), "--key", pinned(which), "--json");
    const words = expect.stringContaining(`is revoked since ${REVOKED}`);
    try {
      await expect(openRelease(bad, { keys: world.keys })).rejects.toThrow(`is revoked since ${REVOKED}`);
      expect(await fetching(stolenDigest, "old")).toMatchObject({ exitCode: 1, stderr: words });
      expect(await fetching(second, "old")).toMatchObject({ exitCode: 1, stderr: words });
      const fetched = await fetching(second, "new");
      expect(jsonLines(fetched.stdout)).toMatchObject([{ releaseDigest: second, created: true, revokedKeys: [] }]);
      // The mirror has the release already, but only the revoked key is pinned.
      expect(await fetching(second, "old")).toMatchObject({ exitCode: 1, stderr: words });
      const { keys } = await readStorePublicKeys(rotated.store);
      const release = await openRelease(buildReleaseUrl(server.url, second), { keys });
      expect((await release.receipt()).releaseDigest).toBe(second);
    } finally {
      await server.close();
    }
  });

  test("a revoked key cannot retract a release at a mirror, which reports the attempt and ignores it", async () => {
    await using copy = await temporaryStore(world.store);
    const change = { at: "2026-11-10T09:00:00.000Z", sleep: recordedEffects().sleep };
    await retract(copy.store, { releaseDigest: first(), reason: "Counted twice." }, world.signer, change);
    await using mirror = await temporaryStore(world.store);
    await revokeKey(copy.store, oldKid(), REVOKED);
    expect((await command(copy.store, "release", "log", first(), "--key", pinned("old"))).exitCode).toBe(0);
    const server = await serve(copy.store);
    try {
      const url = buildReleaseUrl(server.url, first());
      const fetched = await command(mirror.store, "release", "fetch", url, "--key", pinned("old"), "--json");
      expect(jsonLines(fetched.stdout)).toMatchObject([
        { created: false, retractions: [{ releaseDigest: first(), kept: false, disowned: true }] },
      ]);
      expect(await retractedDigests(mirror.store)).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

describe.each(PLACES.filter(({ kind }) => kind === "a folder"))("the key set published to $kind", ({ open }) => {
  const sending = { parallel: 4, dryRun: false };
  const KEYS = "keys/share-release-keys.json";

  test("a published key set contains the revocation of a key, and never loses it by a later publication", async () => {
    await using place = await open();
    const effects = recordedEffects();
    const target = await place.target(effects);
    await publish(revoked.store, second, target, sending, effects);
    const text = (await target.text(KEYS)) ?? "";
    expect(keySet.parse(JSON.parse(text))).toEqual(await readStorePublicKeys(revoked.store));
    await expect(publish(world.store, first(), target, sending, effects)).rejects.toThrow("Revoke it here first");
    expect(await target.text(KEYS)).toBe(text);
    await using copy = await intruded();
    await expect(publish(copy.store, stolenDigest, target, sending, effects)).rejects.toThrow("is revoked since");
    expect(await target.current()).toBe(second);
    await publish(copy.store, stolenDigest, target, { ...sending, force: "To look at it." }, effects);
    const list = releaseList.parse(JSON.parse((await target.text("releases.json")) ?? ""));
    expect(list.map(({ keyRevoked }) => keyRevoked?.since ?? null).sort()).toEqual([REVOKED, null]);
  });
});

describe("older key sets", () => {
  const STATEMENTS = [
    { statement: "rotated", kid: "old", to: {}, at: REVOKED, before: null, signature: "e30..AA" },
    { statement: "revoked", kid: "old", since: REVOKED, reason: "Stolen.", payloads: [], at: REVOKED, before: "" },
  ];
  const withStatements = async (store: Store, statements: readonly object[]) =>
    writeFile(store.publicKeys, JSON.stringify({ ...(await readStorePublicKeys(world.store)), statements }));
  const ofOldKey = () => STATEMENTS.map((statement) => ({ ...statement, kid: oldKid() }));

  test("a key set in the form of an earlier version keeps its revocations, and the next change stores them as dates", async () => {
    await using copy = await intruded();
    await withStatements(copy.store, ofOldKey());
    expect(await command(copy.store, "release", "verify", first())).toMatchObject({ exitCode: 0 });
    const words = expect.stringContaining(`revoked since ${REVOKED}`);
    expect(await command(copy.store, "release", "activate", stolenDigest)).toMatchObject({
      exitCode: 1,
      stderr: words,
    });
    expect(await command(copy.store, "release", "verify", stolenDigest, "--key", copy.store.publicKeys)).toMatchObject({
      exitCode: 1,
      stdout: words,
    });
    await publishKey(copy.store, publicPart(await newReleaseKey()));
    const written = JSON.parse(await readFile(copy.store.publicKeys, "utf8"));
    expect(Object.keys(written)).toEqual(["keys"]);
    expect(written.keys[0]).toMatchObject({ kid: oldKid(), revoked: REVOKED });
  });

  test("a key set in the form of an earlier version is rejected if one of its statements cannot be read", async () => {
    await using copy = await temporaryStore(rotated.store);
    await withStatements(copy.store, [{ statement: "revoked", kid: oldKid() }]);
    const words = expect.stringContaining("is damaged: restore it from a copy");
    expect(await command(copy.store, "release", "activate", first())).toMatchObject({ exitCode: 1, stderr: words });
    expect(await command(copy.store, "doctor")).toMatchObject({ exitCode: 1, stdout: words });
  });

  test("a key set in the form of an earlier version is accepted with the lines that the earlier version wrote to the journal", async () => {
    await using copy = await temporaryStore(rotated.store);
    const line = { event: "key-revoked", kid: oldKid(), statement: `sha256:${"0".repeat(64)}`, at: null, before: null };
    await writeFile(copy.store.journal, `${JSON.stringify(line)}\n`);
    const activation = ["release", "activate", first(), "--force", "The journal of the earlier version is lost."];
    expect(await command(copy.store, ...activation)).toMatchObject({ exitCode: 0 });
    const { damaged, entries } = await readJournal(copy.store);
    expect({ damaged, last: entries.at(-1)?.event }).toEqual({ damaged: [], last: "activated" });
  });
});

const KILLED: readonly { readonly name: string; readonly command: (file: string) => readonly string[] }[] = [
  { name: "new", command: (file) => ["new", "--out", file] },
  { name: "revoke", command: () => ["revoke", world.key.kid] },
];

test.each(KILLED)(
  "the command key $name leaves either the old or the new key set, whenever it is killed",
  async (row) => {
    await using small = await linkedStore(world.store);
    for (const folder of [small.store.raw(""), small.store.work(""), small.store.cache])
      await rm(folder, { recursive: true, force: true });
    const before = await readFile(world.store.publicKeys, "utf8");
    const seen = new Set<boolean>();
    for (let moment = 0; ; moment += 1) {
      await using copy = await linkedStore(small.store);
      const file = join(copy.folder, "new-key.json");
      const parameters = ["key", ...row.command(file), "--store", copy.store.root];
      const wasKilled = await killedAt(moment, copy.folder, parameters);
      seen.add((await readFile(copy.store.publicKeys, "utf8")) === before);
      await rm(file, { force: true });
      expect(await host.run(parameters)).toMatchObject({ exitCode: 0, stderr: "" });
      const { keys } = await readStorePublicKeys(copy.store);
      expect(row.name === "new" ? keys.length > 1 : keys[0]?.revoked !== undefined).toBe(true);
      expect(await readdir(dirname(copy.store.publicKeys))).toEqual(["share-release-keys.json"]);
      if (!wasKilled) break;
    }
    expect([...seen]).toEqual([true, false]);
  },
  600_000,
);

/**
 * Kills a command before its change number `moment` of the files in the folder `below`. Returns false if the command ended
 * before that.
 */
async function killedAt(moment: number, below: string, parameters: readonly string[]): Promise<boolean> {
  const environment = {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, "kill-at-write.ts")}`,
    SHARE_TEST_KILL_BELOW: below,
    SHARE_TEST_KILL_AT: String(moment),
  };
  const child = startCommand(parameters, { environment });
  for (const output of [child.stdout, child.stderr]) output?.resume();
  await once(child, "close");
  expect([null, 0]).toContain(child.exitCode);
  return child.signalCode === "SIGKILL";
}
