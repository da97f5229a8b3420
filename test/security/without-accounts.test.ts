/** Reading without the account store: damaged, impossible to create, read-only, on a full disk, or a PostgreSQL that is away. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { ask } from "../server/ask.ts";
import { idOf, type Listening, type ReleasedStore, releasedStore, SPECIAL, serve } from "../server/test-store.ts";
import { MOUNTS, mount, smallDisk } from "../support/small-disk.ts";

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
const DATASET = idOf(SPECIAL.winner);

/** Without researchers. */
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

/** With researchers or accounts. */
const UNAVAILABLE = [
  { path: "/authors", question: {} },
  { path: "/authors?limit=3", question: {} },
  { path: "/authors", question: { headers: { accept: "text/csv" } } },
  { path: "/authors/somebody-a000000000", question: {} },
  { path: "/widgets/researchers/somebody-a000000000/badge.svg", question: {} },
  { path: "/researchers", question: HTML },
  { path: "/api-keys/register", question: { ...JSON_BODY, body: '{"name":"Reader","email":"reader@example.org"}' } },
  { path: "/account/me", question: { headers: { cookie: `share_session=${"a".repeat(43)}` } } },
] as const;

async function expectReading({ port }: Listening): Promise<void> {
  for (const { path, question } of READ) expect([path, (await ask(port, path, question)).status]).toEqual([path, 200]);
  for (const { path, question } of UNAVAILABLE) {
    const { status, headers } = await ask(port, path, question);
    expect([path, status, headers["retry-after"]]).toEqual([path, 503, "5"]);
  }
  expect(JSON.parse((await ask(port, "/health")).text)).toMatchObject({ status: "ok", hiddenResearchers: "stale" });
}

async function whileServing(accounts: AccountTarget, work: (server: Listening) => Promise<void>): Promise<void> {
  const server = await serve(released.store, { accounts });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

describe("a server without its account store", () => {
  test("serves datasets if the SQLite file is damaged, and researchers when it is restored", async () => {
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

  test("serves datasets if the SQLite file cannot be created", async () => {
    writeFileSync(join(folder, "file"), "");
    await whileServing({ sqlite: join(folder, "file", "accounts.sqlite") }, expectReading);
  });

  test("serves datasets if PostgreSQL rejects connections", async () => {
    await whileServing({ postgres: "postgresql://u:secret@127.0.0.1:1/share" }, expectReading);
  });

  test.skipIf(!MOUNTS)("serves datasets if the disk is read-only", async () => {
    using disk = smallDisk("4m");
    const sqlite = join(disk.folder, "accounts.sqlite");
    await (await openAccounts({ sqlite })).close();
    mount(["-o", "remount,ro", disk.folder]);
    await whileServing({ sqlite }, expectReading);
  });

  test.skipIf(!MOUNTS)("serves datasets if the disk is full", async () => {
    using disk = smallDisk("4m");
    mkdirSync(join(disk.folder, "accounts"));
    disk.fill();
    await whileServing({ sqlite: join(disk.folder, "accounts", "accounts.sqlite") }, expectReading);
  });
});
