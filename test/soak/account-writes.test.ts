/** A server is killed ten times during five hundred account writes, and every acknowledged write is stored completely. */

import { mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { killDuringWrites } from "../accounts/killed-server.ts";
import { type ReleasedStore, releasedStore } from "../server/test-store.ts";

const WRITES = 500;
const KILLS = 10;

let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
});

afterAll(() => raw?.[Symbol.asyncDispose]());

/** Makes a store with the same releases for each SQLite file of accounts, because such a file is inside its store. */
function makeStore(target: AccountTarget): { readonly root: string } {
  if ("postgres" in target) return raw.store;
  const root = dirname(target.sqlite);
  mkdirSync(root);
  symlinkSync(join(raw.store.root, "releases"), join(root, "releases"));
  symlinkSync(readlinkSync(join(raw.store.root, "current")), join(root, "current"));
  return { root };
}

describeEachDatabase("a server that is killed while it writes", (newTarget) => {
  test.each([1, 2, 3])(
    "a server that is killed while it writes keeps every acknowledged write completely: seed %i",
    async (seed) => {
      const target = await newTarget();
      const options = { store: makeStore(target), target, writes: WRITES, kills: KILLS, seed };
      const survived = await killDuringWrites(options);
      expect(survived).toMatchObject({ lost: [], half: [], rejected: [], integrity: "ok" });
      // Kills that interrupt no write prove nothing.
      expect(survived.cut).toBeGreaterThanOrEqual(KILLS);
      expect(survived.acknowledged).toBe(WRITES - survived.cut);
    },
  );
});
