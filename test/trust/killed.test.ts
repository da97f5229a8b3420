/** Tests activate, rollback and prune when they are killed at a few moments. test/soak/operate.test.ts tries many more. */

import { lstatSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listReleases } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { prune } from "../../releases/prune.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { expectMended, killCommand } from "./killed.ts";
import { at, signedWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01", "2026-11-02", "2026-11-03"]);
  await rm(world.store.work(""), { recursive: true, force: true });
});

afterAll(() => world[Symbol.asyncDispose]());

const COMMANDS = [
  ["release", "activate"],
  ["release", "rollback"],
  ["release", "prune", "--keep", "1"],
] as const;

/** Moments for a kill, each with the condition of the store that shows that the command has reached it. */
const MOMENTS: readonly { readonly name: string; readonly isSo: (store: Store, journal: number) => boolean }[] = [
  { name: "at once", isSo: () => true },
  {
    name: "when it has the lock",
    isSo: (store) => lstatSync(join(store.releases, "lock"), { throwIfNoEntry: false }) !== undefined,
  },
  {
    name: "when it has written its line to the journal",
    isSo: (store, journal) => statSync(store.journal).size > journal,
  },
];

for (const command of COMMANDS) {
  test(`${command.join(" ")} leaves a consistent store if it is killed ${MOMENTS.map(({ name }) => name).join(", ")}`, async () => {
    await using copy = await temporaryStore(world.store);
    const { store } = copy;
    const kills: boolean[] = [];
    for (const [i, { isSo }] of MOMENTS.entries()) {
      const whole = command[1] === "activate" ? [...command, at(world.digests, i % 2)] : command;
      const journal = statSync(store.journal).size;
      kills.push(await killCommand(store, whole, () => isSo(store, journal)));
    }
    expect(kills[0]).toBe(true);
    await prune(store, world.digests.length, false);
    await expectMended(
      store,
      (await listReleases(store)).map(({ releaseDigest }) => releaseDigest),
    );
  });
}
