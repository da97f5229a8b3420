/** Keys are replaced and revoked by commands that are killed before each change they make, and half-way through each line. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signerFrom } from "../../cli/options/signing-key.ts";
import { readJournal } from "../../pipeline/store/journal.ts";
import { storeKeys } from "../../pipeline/store/key-statements.ts";
import { readPrivateKey } from "../../pipeline/store/signing/keys.ts";
import { statementDigest } from "../../pipeline/store/signing/signed-payload.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { keySet } from "../../schemas/public/key-set.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { startCommand } from "../support/command-line.ts";
import { linkedStore } from "../support/temporary-store.ts";
import { signedWorld, type World } from "./world.ts";

let world: World;
let host: CommandHost;

beforeAll(async () => {
  host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
  world = await signedWorld(["2026-11-01"]);
  for (const folder of [world.store.raw(""), world.store.work(""), world.store.cache])
    await rm(folder, { recursive: true, force: true });
});

afterAll(async () => {
  for (const each of [host, world]) await each?.[Symbol.asyncDispose]();
});

interface Case {
  readonly name: string;
  readonly command: (newKey: string) => readonly string[];
  readonly said: "rotated" | "revoked";
  /** Of who goes on with the old key once it is said. */
  readonly words: string;
}

const REASON = "It lay on a laptop that was stolen.";

const CASES: readonly Case[] = [
  {
    name: "rotate",
    command: (newKey) => ["rotate", "--sign", world.keyFile, "--out", newKey],
    said: "rotated",
    words: "was replaced: sign with the key ",
  },
  {
    name: "revoke, by the key itself",
    command: () => ["revoke", world.key.kid, "--reason", REASON, "--sign", world.keyFile],
    said: "revoked",
    words: "nobody takes what it signs from now on",
  },
];

for (const { name, command, said, words } of CASES) {
  test(`${name}: what is published is whole, and the same command comes to its end`, { timeout: 600_000 }, async () => {
    const seen = new Set<string>();
    for (let moment = 0; ; moment += 1) {
      await using copy = await linkedStore(world.store);
      const { store, folder } = copy;
      const newKey = join(folder, "new-key.json");
      const parameters = ["signing-keys", ...command(newKey), "--store", store.root];
      const wasKilled = await killedAt(moment, folder, parameters);
      const { statements } = await storeKeys(store);
      seen.add(`${statements.length} said, ${(await readJournal(store)).keys.length} in the journal`);
      expect(statements.map(({ statement }) => statement)).toEqual(statements.length === 0 ? [] : [said]);
      const signing = signerFrom(world.keyFile, store);
      await (statements.length === 0
        ? expect(signing).resolves.toMatchObject({ key: { kid: world.key.kid } })
        : expect(signing).rejects.toThrow(words));
      if (said === "rotated" && statements.length === 1) await signerFrom(newKey, store);
      if (statements.length === 0 && existsSync(newKey)) {
        // Nobody can tell whose key it is.
        const refused = {
          exitCode: 1,
          stderr: expect.stringContaining("remove it where a command that was killed left it"),
        };
        expect(await host.run(parameters)).toMatchObject(refused);
        await rm(newKey);
      }
      expect(await host.run(parameters)).toMatchObject({ exitCode: 0, stderr: "" });
      await expectSaid(store, said, said === "rotated" ? newKey : null);
      if (!wasKilled) break;
    }
    expect([...seen]).toEqual(["0 said, 0 in the journal", "1 said, 0 in the journal", "1 said, 1 in the journal"]);
  });
}

/** Answers whether the command was killed; it was not where it had come to its end by then. */
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

/** It is said once, the journal knows it, the key in the place of the old one signs, and nothing is left behind. */
async function expectSaid(store: Store, said: string, newKey: string | null): Promise<void> {
  const set = keySet.parse(JSON.parse(await readFile(store.publicKeys, "utf8")));
  const { keys, damaged, torn } = await readJournal(store);
  expect({ said: set.statements.map(({ statement }) => statement), damaged, torn }).toEqual({
    said: [said],
    damaged: [],
    torn: 0,
  });
  expect(keys.map(({ statement }) => statement)).toEqual(set.statements.map(statementDigest));
  const next = newKey === null ? [] : [(await readPrivateKey(newKey)).kid];
  expect(set.keys.map(({ kid }) => kid)).toEqual([world.key.kid, ...next]);
  if (newKey !== null) await signerFrom(newKey, store);
  expect(await readdir(dirname(store.publicKeys))).toEqual(["share-release-keys.json"]);
  expect((await readdir(dirname(store.root))).sort()).toEqual(newKey === null ? ["store"] : ["new-key.json", "store"]);
  expect((await readdir(store.releases)).filter((each) => each.startsWith("lock"))).toEqual([]);
}
