/** A mirror that was told of keys by a thief first: it forgets that by an operator's command, and by nothing else. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readJournal } from "../../pipeline/store/journal.ts";
import { publicKeysOf } from "../../pipeline/store/key-set.ts";
import { storeKeys } from "../../pipeline/store/key-statements.ts";
import { statementDigest } from "../../pipeline/store/signing/signed-payload.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { serve } from "../server/test-store.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { at, signedWorld, type World } from "./world.ts";

let world: World;
let host: CommandHost;
/** The publisher's store, and a copy of it as a thief of the key has it: each names another successor. */
let honest: TemporaryStore;
let thiefs: TemporaryStore;
/** What the thief said, as the mirror heard it. */
let mirror: TemporaryStore;
let wrong: string;

const REASON = "The publisher says by telephone that it is not theirs.";

beforeAll(async () => {
  host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
  world = await signedWorld(["2026-11-01"]);
  await writeFile(pinned(), JSON.stringify({ keys: world.keys }));
  [honest, thiefs, mirror] = [
    await temporaryStore(world.store),
    await temporaryStore(world.store),
    await temporaryStore(),
  ];
  for (const { store, folder } of [honest, thiefs]) {
    const out = join(folder, "next.json");
    const rotated = await command(store, "signing-keys", "rotate", "--sign", world.keyFile, "--out", out);
    expect(rotated.exitCode).toBe(0);
  }
  expect(await fetched(mirror.store, thiefs.store)).toMatchObject({ exitCode: 0 });
  wrong = statementDigest(at((await publicKeysOf(mirror.store)).statements, 0));
}, 900_000);

afterAll(async () => {
  for (const each of [host, world, honest, thiefs, mirror]) await each?.[Symbol.asyncDispose]();
});

const pinned = () => join(world.folder, "trusted.json");
const command = (store: Store, ...parameters: readonly string[]) => host.run([...parameters, "--store", store.root]);
const forget = (store: Store, ...parameters: readonly string[]) =>
  command(store, "signing-keys", "forget", ...parameters);

async function fetched(store: Store, from: Store) {
  const server = await serve(from);
  return command(store, "fetch", server.url, "--key", pinned(), "--json").finally(() => server.close());
}

test("what it was told is listed, forgotten by its name, and the publisher's own account is heard", async () => {
  await using copy = await temporaryStore(mirror.store);
  const { store } = copy;
  const before = await publicKeysOf(store);
  expect(await fetched(store, honest.store)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("`share-release signing-keys forget` takes that out"),
  });
  expect(jsonLines((await forget(store, "--json")).stdout)).toMatchObject([{ statements: [{ digest: wrong }] }]);
  expect(await publicKeysOf(store)).toEqual(before);
  const thiefsKid = at(before.keys, 1).kid;
  const done = await forget(store, wrong.slice(0, 20), "--reason", REASON);
  expect({ ...done, stdout: done.stdout.split("\n").slice(0, 2) }).toMatchObject({
    exitCode: 0,
    stdout: [
      expect.stringContaining(`forgotten: ${wrong}  the key ${world.key.kid} was replaced by ${thiefsKid} at `),
      `the key ${thiefsKid} came by that alone and is trusted here no more`,
    ],
  });
  expect(await storeKeys(store)).toEqual({ keys: world.keys, statements: [], fault: null });
  expect(await fetched(store, honest.store)).toMatchObject({ exitCode: 0 });
  expect((await storeKeys(store)).keys.map(({ kid }) => kid)).toEqual(
    (await storeKeys(honest.store)).keys.map(({ kid }) => kid),
  );
  const { keys, damaged } = await readJournal(store);
  expect({ damaged, events: keys.map(({ event }) => event) }).toEqual({
    damaged: [],
    events: ["key-rotated", "key-forgotten", "key-rotated"],
  });
  expect(keys[1]).toMatchObject({ statement: wrong, reason: REASON });
  // Told of it again it would miss it again: a statement that goes away is nothing that somebody forgot.
  await writeFile(store.publicKeys, JSON.stringify(before));
  await expect(storeKeys(store)).rejects.toThrow("the statement is gone");
});

test("where somebody put the publisher's key set in its place, it forgets what the journal alone knows of", async () => {
  await using copy = await temporaryStore(mirror.store);
  const { store } = copy;
  await writeFile(store.publicKeys, await readFile(honest.store.publicKeys));
  await expect(storeKeys(store)).rejects.toThrow(`the statement is gone (${wrong})`);
  expect((await forget(store)).stdout).toContain(
    `${wrong}  on the key ${world.key.kid}; the journal alone knows of it`,
  );
  expect((await forget(store, wrong, "--reason", REASON)).exitCode).toBe(0);
  expect(await storeKeys(store)).toEqual(await storeKeys(honest.store));
  expect(await fetched(store, honest.store)).toMatchObject({ exitCode: 0 });
});

test("a command that was killed between the journal and the key set comes to its end", async () => {
  await using copy = await temporaryStore(mirror.store);
  const { store } = copy;
  const set = await readFile(store.publicKeys);
  expect((await forget(store, wrong, "--reason", REASON)).exitCode).toBe(0);
  const journal = await readFile(store.journal, "utf8");
  await writeFile(store.publicKeys, set);
  expect((await forget(store, wrong, "--reason", REASON)).exitCode).toBe(0);
  expect((await storeKeys(store)).statements).toEqual([]);
  expect(await readFile(store.journal, "utf8")).toBe(journal);
});

const REFUSED: readonly { name: string; parameters: () => readonly string[]; exitCode: number; words: string }[] = [
  { name: "no reason", parameters: () => [wrong], exitCode: 2, words: "forgetting takes a --reason" },
  {
    name: "a statement that there is not",
    parameters: () => ["sha256:0000000", "--reason", REASON],
    exitCode: 1,
    words: "no statement on keys begins with sha256:0000000",
  },
  { name: "no name", parameters: () => ["", "--reason", REASON], exitCode: 1, words: "no statement on keys begins" },
];

test.each(REFUSED)("$name: nothing is forgotten", async ({ parameters, exitCode, words }) => {
  const before = await readFile(mirror.store.publicKeys);
  const refused = await forget(mirror.store, ...parameters());
  expect(refused).toMatchObject({ exitCode, stderr: expect.stringContaining(words) });
  expect(await readFile(mirror.store.publicKeys)).toEqual(before);
});

test("a publisher takes nothing back that they said", async () => {
  const said = statementDigest(at((await publicKeysOf(honest.store)).statements, 0));
  expect(await forget(honest.store, said, "--reason", REASON)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("what a publisher said of keys is never taken back"),
  });
  expect((await storeKeys(honest.store)).statements).toHaveLength(1);
});
