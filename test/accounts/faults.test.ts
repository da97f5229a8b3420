/**
 * A server whose account store is stopped or lost: writes return 503 until it is back, reading continues, and the server needs
 * no restart.
 */

import { cpSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../server/ask.ts";
import { forgetAccounts, type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { POSTGRES_PROGRAMS, startPostgres } from "../support/postgres.ts";
import { everyWrite } from "./every-write.ts";
import {
  all,
  DONE,
  expectKept,
  expectReading,
  findSlug,
  ownThings,
  REJECTED,
  sent,
  served,
  submittedDuring,
} from "./faulty-store.ts";
import { killDuringWrites } from "./killed-server.ts";

let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
}, 300_000);

afterAll(() => raw?.[Symbol.asyncDispose]());

describe.skipIf(POSTGRES_PROGRAMS === null)("a server with accounts in PostgreSQL", () => {
  test("if PostgreSQL is stopped, writes return 503 and reading continues; when it is back, every write succeeds", async () => {
    const postgres = await startPostgres();
    const server = await served(raw.store, { postgres: await postgres.database() });
    try {
      const [writes, reader, slug] = [await everyWrite(server), await server.person(), await findSlug(server)];
      const health = async () => JSON.parse((await ask(server.port, "/health")).text).hiddenResearchers;
      const statuses = await submittedDuring(reader, () => postgres.halt());
      expect(await sent(writes)).toEqual(all(writes, REJECTED));
      await expectReading(server.port, slug);
      await expect.poll(health).toBe("stale");
      expect(await ownThings(reader)).toEqual([503, 503, 503, 503]);
      await postgres.resume();
      expect(await sent(writes)).toEqual(all(writes, DONE));
      expect(await ownThings(reader)).toEqual([200, 200, 200, 200]);
      await expectKept(reader, statuses);
      await expect.poll(health).toBe("current");
    } finally {
      await server.close();
      await postgres.stop();
    }
  });
});

describe("an SQLite file that disappears under a server", () => {
  const PARTS = ["", "-wal", "-shm"];
  const remove = (path: string) => {
    for (const part of PARTS) rmSync(path + part, { force: true });
  };

  test.each<{ name: string; happens: (path: string) => void }>([
    { name: "is removed", happens: remove },
    {
      name: "is moved",
      happens: (path) => {
        for (const part of PARTS) renameSync(path + part, `${path}-aside${part}`);
      },
    },
    {
      name: "is replaced by an earlier copy",
      happens: (path) => {
        remove(path);
        cpSync(`${path}-copy`, path);
      },
    },
    { name: "is emptied", happens: (path) => truncateSync(path) },
  ])("if the SQLite file $name, writes return 503 and reading continues", async ({ happens }) => {
    const { store } = raw;
    forgetAccounts(store);
    const path = join(store.root, "accounts.sqlite");
    const server = await served(store, { sqlite: path });
    try {
      const [writes, slug] = [await everyWrite(server), await findSlug(server)];
      cpSync(path, `${path}-copy`);
      happens(path);
      expect(await sent(writes)).toEqual(all(writes, REJECTED));
      await expectReading(server.port, slug);
    } finally {
      await server.close();
      for (const part of ["-copy", ...PARTS.map((each) => `-aside${each}`)]) rmSync(path + part, { force: true });
    }
  });
});

test("if a server is killed during a hundred writes, every write that it acknowledged is stored completely", async () => {
  const { store } = raw;
  forgetAccounts(store);
  const target = { sqlite: join(store.root, "accounts.sqlite") };
  const survived = await killDuringWrites({ store, target, writes: 100, kills: 1, seed: 1 });
  expect(survived).toMatchObject({ lost: [], half: [], rejected: [], integrity: "ok" });
  expect(survived.cut).toBeGreaterThan(0);
  expect(survived.acknowledged).toBe(100 - survived.cut);
});
