/** share-release accounts: counts on every database, and backups that can be put back. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backupSqlite, restoreSqlite } from "../../server/people/accounts/backup.ts";
import { type Accounts, openAccounts } from "../../server/people/accounts/index.ts";
import type { AccountTarget } from "../../server/people/accounts/target.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { claim, hide } from "../hidden/hidden-world.ts";
import { type Ended, jsonLines, runCommand } from "../support/command-line.ts";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../support/postgres.ts";

const ONE = { id: `a${"1".repeat(24)}`, slug: "one-1111111111" };
const OTHER = { id: `a${"2".repeat(24)}`, slug: "other-2222222222" };
const INSTANT = "2026-11-02T12:00:00.000Z";

const folder = mkdtempSync(join(tmpdir(), "share-accounts-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function newFolder(): string {
  made += 1;
  const path = join(folder, String(made));
  mkdirSync(path);
  return path;
}

function accounts(target: AccountTarget, ...parameters: string[]): Promise<Ended> {
  const environment = {
    SHARE_STORE: "sqlite" in target ? dirname(target.sqlite) : newFolder(),
    DATABASE_URL: "postgres" in target ? target.postgres : "",
  };
  return runCommand(["accounts", ...parameters], { environment });
}

async function within<T>(target: AccountTarget, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const opened = await openAccounts(target);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** What the other process adds to. */
async function sumIn(db: Accounts["db"]): Promise<number> {
  const query = db.selectFrom("secret").select("value").where("name", "=", "sum");
  return Number((await query.executeTakeFirstOrThrow()).value);
}

/** Somebody signed in, with an approved claim; one researcher is hidden. */
function fill(target: AccountTarget): Promise<void> {
  return within(target, async ({ db }) => {
    await claim(db, [ONE]);
    await hide(db, [ONE]);
    const { id } = await db.selectFrom("account").select("id").executeTakeFirstOrThrow();
    await db
      .insertInto("session")
      .values({
        id: `s${"1".repeat(24)}`,
        digest: "0".repeat(64),
        account_id: id,
        method: "mail",
        agent: null,
        created_at: INSTANT,
        seen_at: INSTANT,
        expires_at: "2999-01-01T00:00:00.000Z",
      })
      .execute();
  });
}

const hiddenIn = (target: AccountTarget) =>
  within(target, async ({ db }) =>
    (await db.selectFrom("hidden_researcher").select("researcher_id").execute()).map((row) => row.researcher_id),
  );
const sessionsIn = (target: AccountTarget) =>
  within(target, async ({ db }) => (await db.selectFrom("session").select("id").execute()).length);

describeEachDatabase("accounts", (newTarget) => {
  test("counts what is there, for people and for programs, and names nobody", async () => {
    const target = await newTarget();
    await fill(target);
    const { exitCode, stdout } = await accounts(target, "--json");
    expect(exitCode).toBe(0);
    const [counts] = jsonLines(stdout);
    expect(counts).toEqual({
      kind: "sqlite" in target ? "sqlite" : "postgres",
      people: 1,
      sessions: 1,
      apiKeys: 0,
      claimsPending: 0,
      claimsApproved: 1,
      visibilityPending: 0,
      hiddenResearchers: 1,
      submissionsQueued: 0,
      submissionsWaiting: 0,
      measurements: 0,
      disputesOpen: 0,
      migration: expect.any(Number),
    });
    const said = await accounts(target);
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toMatch(/^ +1 {2}people$/m);
    expect(said.stdout).not.toContain(ONE.slug);
  });
});

describe.skipIf(POSTGRES_PROGRAMS === null)("a store in PostgreSQL", () => {
  let server: Postgres | null = null;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });

  test("is backed up and restored by the commands that are named", async () => {
    if (server === null) throw new Error("PostgreSQL is not running");
    const postgres = await server.database();
    const target = { postgres };
    const file = join(newFolder(), "it's accounts.dump");
    await fill(target);
    const run = async (line: string) => {
      const path = [POSTGRES_PROGRAMS, process.env.PATH].join(delimiter);
      const environment = { ...process.env, PATH: path, DATABASE_URL: postgres };
      const shell = spawn("sh", ["-c", line], { env: environment, stdio: ["ignore", "ignore", "pipe"] });
      const closed = once(shell, "close");
      const said = await text(shell.stderr);
      await closed;
      expect([line, shell.exitCode, said]).toEqual([line, 0, ""]);
    };
    const told = await accounts(target, "backup", file);
    expect([told.exitCode, told.stdout]).toEqual([1, ""]);
    const [dump = "", restore = "", signOut = ""] = told.stderr
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
    expect([dump, restore, signOut].map((line) => line.split(" ")[0])).toEqual(["pg_dump", "pg_restore", "psql"]);
    expect(told.stderr).not.toContain(postgres);
    expect((await accounts(target, "restore", file)).stderr).toContain(restore);
    await run(dump);
    await within(target, ({ db }) => hide(db, [OTHER]));
    await run(restore);
    expect(await hiddenIn(target)).toEqual([ONE.id]);
    expect(await sessionsIn(target)).toBe(1);
    await run(signOut);
    expect(await sessionsIn(target)).toBe(0);
  });
});

describe("a store in SQLite", () => {
  const newStore = async () => {
    const target = { sqlite: join(newFolder(), "accounts.sqlite") };
    await fill(target);
    return target;
  };
  const backupOf = async ({ sqlite }: { readonly sqlite: string }) =>
    (await backupSqlite(sqlite, join(newFolder(), "backup.sqlite"))).file;
  const besides = ({ sqlite }: { readonly sqlite: string }) =>
    readdirSync(dirname(sqlite))
      .filter((name) => /^accounts\.sqlite\.before-[\dTZ-]+$/.test(name))
      .map((name) => join(dirname(sqlite), name));

  test("is backed up as one moment of it while another process writes, which does not notice", async () => {
    const target = await newStore();
    await within(target, async ({ db }) => {
      await db.insertInto("secret").values({ name: "sum", value: "0" }).execute();
    });
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "../accounts/adding-child.ts"), JSON.stringify({ target, times: 1500 })],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const closed = once(child, "close");
    // A command begins sooner than the other process does.
    await within(target, async ({ db }) => {
      while (child.exitCode === null && (await sumIn(db)) === 0) await pause(5);
    });
    const files: string[] = [];
    do {
      const file = join(newFolder(), "backup.sqlite");
      const { exitCode, stderr } = await accounts(target, "backup", file);
      expect([exitCode, stderr]).toEqual([0, ""]);
      files.push(file);
    } while (child.exitCode === null);
    await closed;
    expect(child.exitCode).toBe(0);
    const sums = [];
    for (const sqlite of files) {
      expect(readdirSync(dirname(sqlite))).toEqual(["backup.sqlite"]);
      expect(statSync(sqlite).mode & 0o777).toBe(0o600);
      expect(await hiddenIn({ sqlite })).toEqual([ONE.id]);
      sums.push(await within({ sqlite }, ({ db }) => sumIn(db)));
    }
    expect(sums).toEqual([...sums].sort((one, other) => one - other));
    expect(sums.at(-1)).toBeGreaterThan(0);
  });

  test.each([
    { name: "is backed up once a lock on it is gone", milliseconds: 300, says: null },
    { name: "that stays locked is said to be", milliseconds: 6000, says: /is locked by another process: try again$/ },
  ])("$name", async ({ milliseconds, says }) => {
    const target = await newStore();
    const file = join(newFolder(), "backup.sqlite");
    const locking = new DatabaseSync(target.sqlite);
    locking.exec("pragma locking_mode = exclusive; begin exclusive; update secret set value = value");
    const unlocked = pause(milliseconds).then(() => locking.close());
    const done = await backupSqlite(target.sqlite, file).catch((error: Error) => error.message);
    await unlocked;
    expect(done).toEqual(says === null ? expect.objectContaining({ file }) : expect.stringMatching(says));
    expect(existsSync(file)).toBe(says === null);
  });

  test("is never written over a file that is there", async () => {
    const target = await newStore();
    const file = join(newFolder(), "backup.sqlite");
    writeFileSync(file, "mine");
    const { exitCode, stderr } = await accounts(target, "backup", file);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is there already")]);
    expect(statSync(file).size).toBe(4);
  });

  test("is put back, everybody signed out, and what was there is beside it", async () => {
    const target = await newStore();
    const file = await backupOf(target);
    await within(target, ({ db }) => hide(db, [OTHER]));
    const { exitCode, stdout } = await accounts(target, "restore", file, "--json");
    expect(exitCode).toBe(0);
    const [before = ""] = besides(target);
    expect(jsonLines(stdout)).toEqual([{ store: target.sqlite, before, migration: expect.any(Number) }]);
    expect(await hiddenIn(target)).toEqual([ONE.id]);
    expect(await sessionsIn(target)).toBe(0);
    expect(await hiddenIn({ sqlite: before })).toEqual([OTHER.id]);
    expect(await sessionsIn({ sqlite: before })).toBe(1);
    expect(await sessionsIn({ sqlite: file })).toBe(1);
    expect(statSync(before).mode & 0o777).toBe(0o600);
  });

  test("is not put back while somebody has it open, unless that is meant; then they have what was put back", async () => {
    const target = await newStore();
    const file = await backupOf(target);
    await within(target, async ({ db }) => {
      await hide(db, [OTHER]);
      const refused = await accounts(target, "restore", file);
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("a server has")]);
      expect(await hiddenIn(target)).toEqual([OTHER.id]);
      expect(besides(target)).toEqual([]);
      expect((await accounts(target, "restore", file, "--even-if-open")).exitCode).toBe(0);
      expect((await db.selectFrom("hidden_researcher").selectAll().execute()).map((row) => row.slug)).toEqual([
        ONE.slug,
      ]);
      await hide(db, [ONE, OTHER]);
    });
    expect((await hiddenIn(target)).length).toBe(2);
  });

  test("is made where there was none, for its owner alone", async () => {
    const target = await newStore();
    const file = await backupOf(target);
    const empty = { sqlite: join(newFolder(), "accounts.sqlite") };
    expect((await accounts(empty)).stderr).toContain("there is no account store");
    expect((await accounts(empty, "restore", file)).exitCode).toBe(0);
    expect(await hiddenIn(empty)).toEqual([ONE.id]);
    expect(statSync(empty.sqlite).mode & 0o777).toBe(0o600);
    expect(besides(empty)).toEqual([]);
  });

  test("is put back over one that is damaged, which is kept", async () => {
    const target = await newStore();
    const file = await backupOf(target);
    writeFileSync(target.sqlite, "not a database, but something of our own");
    expect((await accounts(target, "restore", file)).exitCode).toBe(0);
    expect(await hiddenIn(target)).toEqual([ONE.id]);
    expect(besides(target).map((path) => statSync(path).size)).toEqual([40]);
  });

  const UNUSABLE: readonly { readonly name: string; readonly says: string; spoil(file: string): void }[] = [
    { name: "not there", says: "there is no file", spoil: (file) => rmSync(file) },
    { name: "no database", says: "is no account store", spoil: (file) => writeFileSync(file, "x".repeat(8192)) },
    { name: "empty", says: "is no account store", spoil: (file) => truncateSync(file, 0) },
    { name: "cut off", says: "is no account store", spoil: (file) => truncateSync(file, 4096 * 9) },
    {
      name: "another database",
      says: "is no account store",
      spoil: (file) => changed(file, "drop table schema_migration"),
    },
    {
      name: "of a newer program",
      says: "newer program",
      spoil: (file) => changed(file, "insert into schema_migration values (999, 'later')"),
    },
  ];

  function changed(file: string, statement: string): void {
    const database = new DatabaseSync(file);
    database.exec(statement);
    database.close();
  }

  test.each(UNUSABLE)("is not replaced by a backup that is $name", async ({ says, spoil }) => {
    const target = await newStore();
    const file = await backupOf(target);
    await within(target, ({ db }) => hide(db, [OTHER]));
    spoil(file);
    const restoring = restoreSqlite(file, target.sqlite, { evenIfOpen: false, now: new Date() });
    await expect(restoring).rejects.toThrow(says);
    expect(await hiddenIn(target)).toEqual([OTHER.id]);
    expect(await sessionsIn(target)).toBe(1);
    expect(besides(target)).toEqual([]);
  });

  test("is not put back from itself", async () => {
    const target = await newStore();
    const { exitCode, stderr } = await accounts(target, "restore", target.sqlite);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is the store itself")]);
    expect(existsSync(target.sqlite)).toBe(true);
  });
});
