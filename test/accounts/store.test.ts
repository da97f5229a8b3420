/**
 * The account store: its file, its location, its migrations, several processes at once, and the limits of attempts that it
 * counts.
 */

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type AccountTarget, accountTarget } from "../../pipeline/store/account-target.ts";
import { countAttempt, removeExpiredAttempts } from "../../server/accounts/attempts.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { MIGRATIONS } from "../../server/accounts/migrations.ts";
import { startChild } from "../support/killing.ts";
import { IS_FIRST } from "../tiers.ts";
import { describeBothDatabases } from "./each-database.ts";
import { withOlder } from "./older-store.ts";

const folder = mkdtempSync(join(tmpdir(), "share-account-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROCESSES = 6;
const STORES = IS_FIRST ? 4 : 20;

async function withAccounts<T>(target: AccountTarget, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const accounts = await openAccounts(target);
  try {
    return await work(accounts);
  } finally {
    await accounts.close();
  }
}

describe("the file of a store", () => {
  test("only the owner can read the SQLite file of an account store and its companion files", async () => {
    const sqlite = join(folder, "made", "deeper", "accounts.sqlite");
    await withAccounts({ sqlite }, async ({ db, kind }) => {
      expect(kind).toBe("sqlite");
      await db.insertInto("secret").values({ name: "x", value: "y" }).execute();
      const modes = [sqlite, `${sqlite}-wal`, `${sqlite}-shm`].map((path) => statSync(path).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600]);
    });
  });

  test("an SQLite account store has a write-ahead log, is flushed at every commit, and enforces foreign keys", async () => {
    const seen: Record<string, unknown> = {};
    await withAccounts({ sqlite: join(folder, "settings.sqlite") }, async ({ db }) => {
      const { sql } = await import("kysely");
      for (const name of ["journal_mode", "synchronous", "foreign_keys"]) {
        const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
        seen[name] = rows[0]?.[name];
      }
    });
    expect(seen).toEqual({ journal_mode: "wal", synchronous: 2, foreign_keys: 1 });
  });

  test("three processes that increment one stored number 100 times each lose no increment", async () => {
    const target = { sqlite: join(folder, "sum.sqlite") };
    const sum = { name: "sum", value: "0" };
    await withAccounts(target, ({ db }) => db.insertInto("secret").values(sum).execute());
    const file = new URL("./adding-child.ts", import.meta.url);
    const children = [1, 2, 3].map(() => startChild(file, { target, times: 100 }));
    for (const child of children) expect(await child.heard()).toBe("done");
    const added = await withAccounts(target, ({ db }) =>
      db.selectFrom("secret").select("value").where("name", "=", "sum").executeTakeFirst(),
    );
    expect(added).toEqual({ value: "300" });
  });

  test("a file that is not an SQLite database is rejected with its path, and left unchanged", async () => {
    const sqlite = join(folder, "letter.txt");
    writeFileSync(sqlite, "Dear reader, this is a letter and not a database. It is longer than any header.");
    await expect(openAccounts({ sqlite })).rejects.toThrow(/letter\.txt .*not a database/);
    expect(statSync(sqlite).size).toBe(79);
  });
});

describe("the location of a store", () => {
  const store = { root: "/srv/share" };
  test.each([
    { url: undefined, target: { sqlite: "/srv/share/accounts.sqlite" } },
    { url: "", target: { sqlite: "/srv/share/accounts.sqlite" } },
    { url: "postgres://u:p@db/share", target: { postgres: "postgres://u:p@db/share" } },
    { url: "postgresql://db/share?sslmode=require", target: { postgres: "postgresql://db/share?sslmode=require" } },
  ])(
    "the location of accounts is DATABASE_URL, or else the SQLite file of the store: DATABASE_URL=$url",
    ({ url, target }) => {
      expect(accountTarget(url, store)).toEqual(target);
    },
  );

  test.each(["mysql://u:secret@db/share", "secret", "/secret.sqlite", "http://secret"])(
    "the location %s is rejected, and the message does not repeat it",
    (url) => {
      expect(() => accountTarget(url, store)).toThrow(/DATABASE_URL is not a PostgreSQL URL/);
      expect(() => accountTarget(url, store)).not.toThrow(/secret/);
    },
  );

  test("the error about a PostgreSQL that does not respond omits its password", async () => {
    const rejected = openAccounts({ postgres: "postgresql://u:secret@127.0.0.1:1/share" });
    await expect(rejected).rejects.toMatchObject({
      code: "ERR_ACCOUNT_STORE",
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    await expect(rejected).rejects.not.toThrow(/secret/);
  });
});

test("migrations are numbered without gaps", () => {
  expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, i) => i + 1));
});

describeBothDatabases("a store", (newTarget) => {
  test(`${PROCESSES} processes that open a new store at the same time create it once, for ${STORES} stores in a row`, async () => {
    const targets: AccountTarget[] = [];
    while (targets.length < STORES) targets.push(await newTarget());
    const file = new URL("./opening-child.ts", import.meta.url);
    const children = Array.from({ length: PROCESSES }, () => startChild(file, { targets }));
    for (const child of children) expect(await child.heard()).toBe("ready");
    for (const child of children) child.process.stdin?.write("go\n");
    const answers = await Promise.all(children.map((child) => child.heard()));
    const [first] = answers;
    const migrations = MIGRATIONS.map(({ number, name }) => ({ number, name }));
    expect(first).toEqual(targets.map(() => ({ migrations, pseudonym: expect.stringMatching(/^[0-9a-f]{64}$/) })));
    expect(answers).toEqual(answers.map(() => first));
  });

  test(`${PROCESSES} processes that open the store of an older program at the same time migrate it once, with its content`, async () => {
    const targets: AccountTarget[] = [];
    for (let done = 1; done < MIGRATIONS.length; done += 1) {
      const target = await newTarget();
      await withOlder(target, done, async (db) => {
        await db
          .insertInto("secret")
          .values({ name: "kept", value: `since ${done}` })
          .execute();
      });
      targets.push(target);
    }
    const file = new URL("./opening-child.ts", import.meta.url);
    const children = Array.from({ length: PROCESSES }, () => startChild(file, { targets }));
    for (const child of children) expect(await child.heard()).toBe("ready");
    for (const child of children) child.process.stdin?.write("go\n");
    const migrations = MIGRATIONS.map(({ number, name }) => ({ number, name }));
    const upToDate = targets.map(() => ({ migrations, pseudonym: expect.stringMatching(/^[0-9a-f]{64}$/) }));
    for (const child of children) expect(await child.heard()).toEqual(upToDate);
    for (const [i, target] of targets.entries()) {
      const kept = await withAccounts(target, ({ db }) =>
        db.selectFrom("secret").select("value").where("name", "=", "kept").executeTakeFirst(),
      );
      expect(kept).toEqual({ value: `since ${i + 1}` });
    }
  });

  test("a store that is opened again has the same secret for pseudonyms", async () => {
    const target = await newTarget();
    const before = await withAccounts(target, async (accounts) => accounts.pseudonym("192.0.2.1"));
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    const other = await newTarget();
    expect(await withAccounts(target, async (accounts) => accounts.pseudonym("192.0.2.1"))).toBe(before);
    expect(await withAccounts(other, async (accounts) => accounts.pseudonym("192.0.2.1"))).not.toBe(before);
  });

  test("the store of a newer program is rejected, and the error names its migration", async () => {
    const target = await newTarget();
    const newer = { number: MIGRATIONS.length + 1, name: "from-the-future" };
    await withAccounts(target, ({ db }) => db.insertInto("schema_migration").values(newer).execute());
    await expect(openAccounts(target)).rejects.toMatchObject({
      code: "ERR_ACCOUNT_STORE",
      message: expect.stringContaining(`migration ${newer.number}; this one supports ${MIGRATIONS.length}`),
    });
  });

  describe("limits of attempts", () => {
    const quota = { requests: 3, seconds: 3600 };
    const at = (time: string) => new Date(`2026-11-02T${time}Z`);
    const CASES: readonly { name: string; times: readonly string[]; waits: readonly (number | null)[] }[] = [
      {
        name: "three are accepted, and the fourth must wait until the first is an hour old",
        times: ["09:00:00.000", "09:10:00.000", "09:20:00.000", "09:30:00.000"],
        waits: [null, null, null, 1800],
      },
      {
        name: "a rejected attempt does not count towards the limit",
        times: [
          "09:00:00.000",
          "09:00:00.000",
          "09:30:00.000",
          "09:59:59.999",
          "10:00:00.000",
          "10:00:00.000",
          "10:00:00.000",
        ],
        waits: [null, null, null, 1, null, null, 1800],
      },
      {
        name: "at most three are accepted in any period of one hour",
        times: ["09:00:00.000", "09:59:00.000", "09:59:30.000", "10:00:30.000", "10:58:59.999", "10:59:00.000"],
        waits: [null, null, null, null, 1, null],
      },
    ];
    test.each(CASES)("with a limit of three attempts an hour, $name", async ({ times, waits }) => {
      const seen = await withAccounts(await newTarget(), async ({ db }) => {
        const seconds: (number | null)[] = [];
        for (const time of times) {
          const one = { kind: "registration", subject: "s", quota, now: at(time) } as const;
          seconds.push(await db.transaction().execute((trx) => countAttempt(trx, one)));
        }
        return seconds;
      });
      expect(seen).toEqual(waits);
    });

    test("each subject has its own attempts, which are deleted once they are older than the time window", async () => {
      await withAccounts(await newTarget(), async ({ db }) => {
        const make = (subject: string, time: string) =>
          db.transaction().execute((trx) => countAttempt(trx, { kind: "registration", subject, quota, now: at(time) }));
        for (let i = 0; i < 120; i += 1) expect(await make(`early-${i}`, "09:00:00.000")).toBeNull();
        expect(await make("late", "09:30:00.000")).toBeNull();
        const subjects = async () =>
          (await db.selectFrom("attempt_window").select("subject").execute()).map(({ subject }) => subject);
        await removeExpiredAttempts(db, at("09:59:59.999"));
        expect(await subjects()).toHaveLength(121);
        await removeExpiredAttempts(db, at("10:00:00.000"));
        await removeExpiredAttempts(db, at("10:00:00.000"));
        expect(await subjects()).toEqual(["late"]);
      });
    });
  });
});
