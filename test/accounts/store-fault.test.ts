/**
 * Errors of an account store that is unavailable, full or locked. They must lead to a 503 with Retry-After, and requests must
 * succeed once the store is back.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { isStoreFault, isUniqueViolation, openAccounts } from "../../server/accounts/database.ts";
import { SignInWorld } from "../sign-in/world.ts";
import { POSTGRES_PROGRAMS, startPostgres } from "../support/postgres.ts";
import { describeBothDatabases } from "./each-database.ts";

const folder = mkdtempSync(join(tmpdir(), "share-store-fault-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the error that `work` throws. Throws if `work` succeeds. */
function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("expected an error, but the statement succeeded");
}

describe("an SQLite error", () => {
  const path = join(folder, "faults.sqlite");
  const database = () => new DatabaseSync(path, { timeout: 1 });

  test("an SQLite error is a fault of the store if the disk is full", () => {
    const db = database();
    db.exec("create table if not exists t (x text); pragma max_page_count = 3");
    expect(isStoreFault(catchError(() => db.exec(`insert into t values ('${"x".repeat(100_000)}')`)))).toBe(true);
    db.close();
  });

  test("an SQLite error is a fault of the store if another process writes", () => {
    const [one, other] = [database(), database()];
    one.exec("begin immediate");
    expect(isStoreFault(catchError(() => other.exec("begin immediate")))).toBe(true);
    one.close();
    other.close();
  });

  test("an SQLite error is a fault of the store if the file is read-only", () => {
    const db = database();
    db.exec("pragma query_only = on");
    expect(isStoreFault(catchError(() => db.exec("insert into t values ('x')")))).toBe(true);
    db.close();
  });

  test.each(["selekt 1", "select * from nothing", "insert into t (y) values (1)"])(
    "an SQLite error is not a fault of the store if the statement is wrong: %s",
    (sql) => {
      const db = database();
      expect(isStoreFault(catchError(() => db.exec(sql)))).toBe(false);
      db.close();
    },
  );

  test("an error that does not come from a database is not a fault of the store", () => {
    for (const error of [
      new Error("no"),
      new TypeError("no"),
      Object.assign(new Error("no"), { code: "ENOENT" }),
      catchError(() => readFileSync(join(folder, "nothing"))),
      "no",
      null,
    ]) {
      expect(isStoreFault(error)).toBe(false);
    }
  });
});

test("an error about the missing Unix socket of PostgreSQL is a fault of the store", async () => {
  const client = new Client({ host: folder, database: "share", user: "share" });
  const error = await client.connect().then(
    () => null,
    (fault: unknown) => fault,
  );
  expect(error).toMatchObject({ code: "ENOENT" });
  expect(isStoreFault(error)).toBe(true);
});

describe.skipIf(POSTGRES_PROGRAMS === null)("a server with accounts in PostgreSQL", () => {
  test("a server opens new connections if those to PostgreSQL break, and returns 503 while PostgreSQL is stopped", async () => {
    const postgres = await startPostgres();
    const url = await postgres.database();
    await using world = await SignInWorld.make({ accounts: { postgres: url } });
    const { browser } = await world.signInByMail("lost@example.org");
    const operator = new Client({ connectionString: url });
    await operator.connect();
    const breakAll =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    await operator.query(breakAll);
    // The first request may meet a broken connection; the next one opens a new connection.
    expect([200, 503]).toContain((await browser.get("/account/sessions")).status);
    await expect.poll(async () => (await browser.get("/account/sessions")).status).toBe(200);
    // A read-only database, such as a standby or one whose disk is full, still allows reading.
    await operator.query(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    await operator.query(breakAll);
    await expect.poll(async () => (await browser.get("/account/sessions")).status).toBe(200);
    const rejected = await browser.post("/auth/magic/request", { email: "full@example.org" });
    expect([rejected.status, JSON.parse(rejected.text).type, rejected.headers["retry-after"]]).toEqual([
      503,
      "/problems/accounts-unavailable",
      "5",
    ]);
    await operator.query("set default_transaction_read_only = off");
    await operator.query(`alter database ${new URL(url).pathname.slice(1)} reset default_transaction_read_only`);
    await operator.query(breakAll);
    await expect
      .poll(async () => (await browser.post("/auth/magic/request", { email: "full@example.org" })).status)
      .toBe(201);
    await operator.end();
    await postgres.stop();
    const gone = await browser.get("/account/sessions");
    expect([gone.status, JSON.parse(gone.text).type]).toEqual([503, "/problems/accounts-unavailable"]);
    expect(world.logged()).not.toMatch(/lost@|full@|share@127/);
  });

  test("a server returns 503 to signed-in users if its database was dropped", async () => {
    const postgres = await startPostgres();
    try {
      const url = await postgres.database();
      await using world = await SignInWorld.make({ accounts: { postgres: url } });
      const { browser } = await world.signInByMail("dropped@example.org");
      expect((await browser.get("/account/sessions")).status).toBe(200);
      const operator = new Client({ connectionString: await postgres.database() });
      await operator.connect();
      await operator.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
      await operator.end();
      // The first request may meet a connection that PostgreSQL closed; the next one cannot open a new connection.
      for (const _attempt of [1, 2, 3]) {
        const rejected = await browser.get("/account/sessions");
        expect([rejected.status, JSON.parse(rejected.text).type, rejected.headers["retry-after"]]).toEqual([
          503,
          "/problems/accounts-unavailable",
          "5",
        ]);
      }
      expect(world.logged()).not.toMatch(/dropped@|share@127/);
    } finally {
      await postgres.stop();
    }
  });
});

describeBothDatabases("isUniqueViolation", (newTarget) => {
  test("isUniqueViolation is true if a unique value is already taken, and false for other errors", async () => {
    const accounts = await openAccounts(await newTarget());
    const add = (id: string, email: string | null) =>
      accounts.db
        .insertInto("account")
        .values({ id, name: null, email, orcid: null, created_at: "2026-11-02T12:00:00.000Z" })
        .execute()
        .then(() => null, isUniqueViolation);
    const session = { digest: "d", method: "mail", agent: null, created_at: "", seen_at: "", expires_at: "" };
    expect(await add("u1", "a@example.org")).toBeNull();
    expect([await add("u2", "a@example.org"), await add("u1", "b@example.org")]).toEqual([true, true]);
    expect([await add("u3", null), await add("u4", null)]).toEqual([null, null]);
    // The account does not exist, so the statement fails and changes nothing.
    const orphan = accounts.db
      .insertInto("session")
      .values({ ...session, id: "s1", account_id: "nobody" })
      .execute();
    expect(await orphan.then(() => null, isUniqueViolation)).toBe(false);
    await accounts.close();
  });
});
