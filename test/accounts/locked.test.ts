/** An SQLite account store whose write lock another process holds: writes wait, but reading continues. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keyIn, startTestApp, type TestApp } from "../limits/test-app.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type Child, startChild } from "../support/killing.ts";

const OWNER = JSON.stringify({ name: "A reader", email: "reader@example.org" });

describe("a locked account store", () => {
  let folder: string;
  let app: TestApp;
  let child: Child;
  const target = () => ({ sqlite: join(folder, "accounts.sqlite") });
  const register = () =>
    ask(app.port, "/api-keys/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: OWNER,
    });
  const lock = async () => {
    child = startChild(new URL("./locking-child.ts", import.meta.url), target());
    expect(await child.heard()).toBe("locked");
  };
  const free = async () => {
    child.process.stdin?.write("go\n");
    expect(await child.heard()).toBe("free");
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "share-locked-"));
    app = await startTestApp({ target: target() });
  });
  afterEach(async () => {
    child.process.kill("SIGKILL");
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("while another process holds the write lock, registrations of keys wait, but requests with and without a key continue", async () => {
    const key = keyIn((await register()).text);
    await lock();
    const ended: string[] = [];
    const note = (name: string) => (reply: Reply) => {
      ended.push(name);
      return reply;
    };
    const waiting = [register().then(note("registered")), register().then(note("registered"))];
    for (let i = 0; i < 20; i += 1) {
      expect((await ask(app.port, "/caller").then(note("read"))).status).toBe(200);
      const keyed = await ask(app.port, "/caller", { headers: { "x-api-key": key } }).then(note("read"));
      expect(JSON.parse(keyed.text).kind).toBe("key");
    }
    expect(ended).toEqual(Array.from({ length: 40 }, () => "read"));
    await free();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await register()).status).toBe(429);
  });

  test("writes that wait for the lock all run once it is free", async () => {
    await lock();
    const add = (name: string) => app.accounts.db.insertInto("secret").values({ name, value: "x" }).execute();
    const adding = ["one", "two", "three"].map(add);
    const names = () =>
      app.accounts.db.selectFrom("secret").select("name").where("value", "=", "x").orderBy("name").execute();
    expect(await names()).toEqual([]);
    await free();
    await Promise.all(adding);
    expect(await names()).toEqual([{ name: "one" }, { name: "three" }, { name: "two" }]);
  });

  test("a transaction sees its own writes at once, and other connections see them after the commit", async () => {
    await lock();
    await free();
    const { db } = app.accounts;
    const count = (from: typeof db) => from.selectFrom("secret").select("name").where("value", "=", "y").execute();
    await db.transaction().execute(async (trx) => {
      await trx.insertInto("secret").values({ name: "mine", value: "y" }).execute();
      expect([await count(trx), await count(db)]).toEqual([[{ name: "mine" }], []]);
    });
    expect(await count(db)).toEqual([{ name: "mine" }]);
    await expect(db.transaction().execute(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await db.deleteFrom("secret").where("name", "=", "mine").execute();
    expect(await count(db)).toEqual([]);
  });

  test("a write that waits too long for the lock returns 503, and does not delay the next write", async () => {
    await lock();
    const rejected = await Promise.all([register(), register()]);
    expect(rejected.map(({ status }) => status)).toEqual([503, 503]);
    await free();
    expect((await register()).status).toBe(201);
  });
});
