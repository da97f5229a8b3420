/**
 * A server still serves datasets if its account store is damaged, read-only, on a full disk, or in a PostgreSQL that is away.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AccountTarget, accountTarget } from "../../pipeline/store/account-target.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import type { ServerOptions } from "../../server/options.ts";
import { ask } from "../server/ask.ts";
import {
  forgetAccounts,
  type Listening,
  makeRecordId,
  type ReleasedStore,
  releasedStore,
  SPECIAL,
  serve,
} from "../server/test-store.ts";
import { MOUNTS, mount, smallDisk } from "../support/small-disk.ts";
import { linkedStore } from "../support/temporary-store.ts";

const folder = mkdtempSync(join(tmpdir(), "share-without-accounts-"));
let released: ReleasedStore;
beforeAll(async () => {
  released = await releasedStore();
}, 300_000);
afterAll(async () => {
  await released?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const HTML = { headers: { accept: "text/html" } };
const DATASET = makeRecordId(SPECIAL.winner);

/** Requests for data that name no researchers. The server must answer them without the account store. */
const READ = [
  { path: "/records", question: {} },
  { path: "/records?search=data&limit=3", question: {} },
  { path: "/records", question: { headers: { accept: "application/x-ndjson" } } },
  { path: `/records/${DATASET}`, question: {} },
  { path: "/metrics/live", question: {} },
  { path: `/widgets/datasets/${DATASET}/badge.svg`, question: {} },
  { path: `/datasets/${DATASET}`, question: HTML },
  { path: "/records", question: { headers: { "x-api-key": "share_live_0" } } },
] as const;

const JSON_BODY = { method: "POST", headers: { "content-type": "application/json" } } as const;

const ACCOUNTS = [
  { path: "/api-keys/register", question: { ...JSON_BODY, body: '{"name":"Reader","email":"reader@example.org"}' } },
  { path: "/account/me", question: { headers: { cookie: `share_session=${"a".repeat(43)}` } } },
] as const;

/** Requests for data that name researchers, or that need accounts. The server cannot answer them without the account store. */
const UNAVAILABLE = [
  ...ACCOUNTS,
  { path: "/authors", question: {} },
  { path: "/authors?limit=3", question: {} },
  { path: "/authors", question: { headers: { accept: "text/csv" } } },
  { path: "/authors/somebody-a000000000", question: {} },
  { path: "/widgets/researchers/somebody-a000000000/badge.svg", question: {} },
  { path: "/researchers", question: HTML },
] as const;

async function expectUnavailable(port: number, requests: typeof UNAVAILABLE | typeof ACCOUNTS): Promise<void> {
  for (const { path, question } of requests) {
    const { status, headers } = await ask(port, path, question);
    expect([path, status, headers["retry-after"]]).toEqual([path, 503, "5"]);
  }
}

async function expectReading({ port }: Listening): Promise<void> {
  for (const { path, question } of READ) expect([path, (await ask(port, path, question)).status]).toEqual([path, 200]);
  // The server does not know who is hidden, so it names no creator who could be.
  const { authors } = recordDetail.parse(JSON.parse((await ask(port, `/records/${DATASET}`)).text));
  expect(authors.filter(({ id, orcid, slug }) => id !== null || orcid !== null || slug !== null)).toEqual([]);
  expect(authors.some(({ name }) => name === "withheld")).toBe(true);
  await expectUnavailable(port, UNAVAILABLE);
  expect(JSON.parse((await ask(port, "/health")).text)).toMatchObject({ status: "ok", hiddenResearchers: "stale" });
}

const researcher = z.object({ id: z.string(), slug: z.string() });
const twoResearchers = z.object({ data: z.tuple([researcher, researcher]) });

async function researchers() {
  const server = await serve(released.store);
  try {
    return twoResearchers.parse(JSON.parse((await ask(server.port, "/authors?limit=2")).text)).data;
  } finally {
    await server.close();
  }
}

async function hide({ db }: Accounts, { id, slug }: { readonly id: string; readonly slug: string }): Promise<void> {
  const since = "2026-11-01T00:00:00.000Z";
  await db.insertInto("hidden_researcher").values({ researcher_id: id, slug, since }).execute();
}

async function whileServing(
  accounts: AccountTarget,
  work: (server: Listening) => Promise<void>,
  { store = released.store, ...options }: Partial<ServerOptions> & { readonly store?: Store } = {},
): Promise<void> {
  const server = await serve(store, { accounts, ...options });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

describe("a server whose account store is missing or broken", () => {
  test("a server serves datasets while the SQLite file is damaged, and researchers again after the file is removed", async () => {
    const sqlite = join(folder, "damaged.sqlite");
    writeFileSync(sqlite, "not a database ".repeat(1000));
    await whileServing({ sqlite }, async (server) => {
      await expectReading(server);
      rmSync(sqlite);
      const status = async () => (await ask(server.port, "/authors")).status;
      await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe(200);
      await expect
        .poll(async () => JSON.parse((await ask(server.port, "/health")).text).hiddenResearchers)
        .toBe("current");
    });
  });

  test("a server serves datasets if the SQLite file cannot be created", async () => {
    writeFileSync(join(folder, "file"), "");
    await whileServing({ sqlite: join(folder, "file", "accounts.sqlite") }, expectReading);
  });

  test("a server serves datasets if PostgreSQL rejects connections", async () => {
    await whileServing({ postgres: "postgresql://u:secret@127.0.0.1:1/share" }, expectReading);
  });

  test.skipIf(!MOUNTS)("a server on a read-only disk serves all researchers except the hidden ones", async () => {
    using disk = smallDisk("4m");
    const sqlite = join(disk.folder, "accounts.sqlite");
    const accounts = await openAccounts({ sqlite });
    const [hidden, shown] = await researchers();
    await hide(accounts, hidden);
    await accounts.close();
    mount(["-o", "remount,ro", disk.folder]);
    await whileServing({ sqlite }, async ({ port }) => {
      expect((await ask(port, `/authors/${hidden.slug}`)).status).toBe(404);
      expect((await ask(port, `/authors/${shown.slug}`)).status).toBe(200);
      expect((await ask(port, "/authors")).text).not.toContain(hidden.id);
      await expectUnavailable(port, ACCOUNTS);
      mount(["-o", "remount,rw", disk.folder]);
      const status = async () => (await ask(port, "/account/me", ACCOUNTS[1].question)).status;
      await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe(401);
      expect((await ask(port, `/authors/${hidden.slug}`)).status).toBe(404);
    });
  });

  test.skipIf(!MOUNTS)(
    "a researcher whom a killed process hid remains hidden if the disk becomes read-only",
    async () => {
      using disk = smallDisk("4m");
      const sqlite = join(disk.folder, "accounts.sqlite");
      const accounts = await openAccounts({ sqlite });
      const [hidden] = await researchers();
      await hide(accounts, hidden);
      // The copies include the log of SQLite, whose writes are not in the database file yet.
      const copy = join(disk.folder, "copy.sqlite");
      for (const ending of ["", "-wal", "-shm"]) copyFileSync(`${sqlite}${ending}`, `${copy}${ending}`);
      await accounts.close();
      mount(["-o", "remount,ro", disk.folder]);
      await whileServing({ sqlite: copy }, async ({ port }) => {
        expect((await ask(port, `/authors/${hidden.slug}`)).status).toBe(404);
      });
    },
  );

  test("a server that starts without its accounts shows no researchers until they are restored or a new start is confirmed", async () => {
    await using at = await linkedStore(released.store);
    const accounts = accountTarget(undefined, at.store);
    const file = join(at.store.root, "accounts.sqlite");
    const [hidden] = await researchers();
    const serving = (options: Partial<ServerOptions>, work: (server: Listening) => Promise<void>) =>
      whileServing(accounts, work, { store: at.store, ...options });
    await serving({}, async ({ port }) => {
      expect((await ask(port, "/authors")).status).toBe(200);
    });
    const opened = await openAccounts(accounts);
    await hide(opened, hidden);
    await opened.close();
    await serving({}, async ({ port }) => {
      const status = async () => (await ask(port, "/account/me", ACCOUNTS[1].question)).status;
      expect(await status()).toBe(401);
      renameSync(file, `${file}.lost`);
      await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe(503);
      await expectUnavailable(port, ACCOUNTS);
      expect((await ask(port, `/authors/${hidden.slug}`)).status).toBe(404);
      expect((await ask(port, "/authors")).status).toBe(200);
      copyFileSync(`${file}.lost`, file);
      await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe(401);
      rmSync(file);
    });
    await serving({}, expectReading);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, "");
    await serving({}, async (server) => {
      await expectReading(server);
      renameSync(`${file}.lost`, file);
      const status = async () => (await ask(server.port, `/authors/${hidden.slug}`)).status;
      await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe(404);
    });
    rmSync(file);
    await serving({ newAccounts: true }, async ({ port }) => {
      expect((await ask(port, `/authors/${hidden.slug}`)).status).toBe(200);
    });
    await serving({}, async ({ port }) => {
      expect((await ask(port, "/authors")).status).toBe(200);
    });
  });

  test.skipIf(!MOUNTS)(
    "a server serves a completely read-only store, with researchers if it has accounts",
    async () => {
      await using at = await linkedStore(released.store);
      forgetAccounts(at.store);
      for (const part of ["", "-wal", "-shm"]) rmSync(join(at.store.root, `accounts.sqlite${part}`), { force: true });
      const readOnly = mkdtempSync(join(folder, "read-only-"));
      mount(["--bind", at.store.root, readOnly]);
      mount(["-o", "remount,ro,bind", readOnly]);
      try {
        const store = openStore(readOnly);
        const accounts = accountTarget(undefined, store);
        expect(() => writeFileSync(join(readOnly, "new"), "")).toThrow("EROFS");
        await whileServing(accounts, expectReading, { store });
        const [hidden, shown] = await researchers();
        const writable = await openAccounts(accountTarget(undefined, at.store));
        await hide(writable, hidden);
        await writable.close();
        await whileServing(
          accounts,
          async ({ port }) => {
            for (const { path, question } of READ)
              expect([path, (await ask(port, path, question)).status]).toEqual([path, 200]);
            expect((await ask(port, `/authors/${hidden.slug}`)).status).toBe(404);
            expect((await ask(port, `/authors/${shown.slug}`)).status).toBe(200);
            await expectUnavailable(port, ACCOUNTS);
          },
          { store },
        );
      } finally {
        spawnSync("umount", [readOnly]);
      }
    },
    300_000,
  );

  test.skipIf(!MOUNTS)("a server serves datasets while the disk is full", async () => {
    using disk = smallDisk("4m");
    mkdirSync(join(disk.folder, "accounts"));
    disk.fill();
    await whileServing({ sqlite: join(disk.folder, "accounts", "accounts.sqlite") }, expectReading);
  });
});
