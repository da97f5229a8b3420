/** The command `share-release account api-keys`: its output as text and with --json, on every database. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { addKey, digestOfKey, idOfDigest, UsageCounter } from "../../server/accounts/api-keys.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { type Ended, jsonLines, runCommand } from "../support/command-line.ts";
import { describeEachDatabase } from "./each-database.ts";

const DAY_MILLISECONDS = 86_400_000;
const CREATED = new Date("2026-01-02T03:04:05.678Z");

const folder = mkdtempSync(join(tmpdir(), "share-keys-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command as an operator does: with DATABASE_URL for PostgreSQL, else with a store folder. */
function keys(target: AccountTarget, ...parameters: string[]): Promise<Ended> {
  const environment = {
    SHARE_STORE: "sqlite" in target ? dirname(target.sqlite) : join(folder, "unused"),
    DATABASE_URL: "postgres" in target ? target.postgres : "",
  };
  return runCommand(["account", "api-keys", ...parameters], { environment });
}

const NO_KEY: Ended = {
  exitCode: 1,
  stdout: "",
  stderr: "share-release: there is no API key 000000000000; `share-release account api-keys list` shows the ids\n",
};

describeEachDatabase("share-release account api-keys", (newTarget) => {
  let target: AccountTarget;
  let ids: string[];
  let secrets: string[];
  /** Days on which the first key was used: 2, 9 and 40 days ago. A test that runs over midnight still gets the same results. */
  let used: { readonly day: string; readonly requests: number }[];
  const DAY = /^\d{4}-\d\d-\d\d$/;

  beforeEach(async () => {
    target = await newTarget();
    const accounts = await openAccounts(target);
    const made = await accounts.db
      .transaction()
      .execute(async (trx) => [
        await addKey(trx, { name: "Ada", email: "ada@example.org" }, CREATED),
        await addKey(trx, { name: "Grace", email: "grace@example.org" }, new Date(CREATED.getTime() + 1)),
      ]);
    ids = made.map((key) => idOfDigest(digestOfKey(key)));
    secrets = made.flatMap((key) => [key, digestOfKey(key)]);
    const usage = new UsageCounter(accounts, () => undefined);
    const today = Date.now();
    used = [
      { ago: 2, requests: 5 },
      { ago: 9, requests: 4 },
      { ago: 40, requests: 3 },
    ].map(({ ago, requests }) => {
      const day = new Date(today - ago * DAY_MILLISECONDS);
      for (let i = 0; i < requests; i += 1) usage.count(ids[0] ?? "", day);
      return { day: day.toISOString().slice(0, 10), requests };
    });
    await usage.close();
    await accounts.close();
  });

  test("share-release account api-keys list shows every key without its secret", async () => {
    const people = await keys(target, "list");
    expect(people).toMatchObject({ exitCode: 0, stderr: "" });
    expect(people.stdout).toBe(
      `${ids[0]}  ${CREATED.toISOString()}  Ada <ada@example.org>  0 today\n` +
        `${ids[1]}  2026-01-02T03:04:05.679Z  Grace <grace@example.org>  0 today\n`,
    );
    const program = jsonLines((await keys(target, "list", "--json")).stdout);
    expect(program[0]).toEqual({
      id: ids[0],
      name: "Ada",
      email: "ada@example.org",
      createdAt: CREATED.toISOString(),
      revokedAt: null,
      requestsToday: 0,
    });
    expect(program.at(-1)).toEqual({ keys: 2, revoked: 0 });
    for (const secret of secrets) expect(people.stdout + JSON.stringify(program)).not.toContain(secret);
  });

  test("api-keys revoke revokes a key, can be repeated, and reports an unknown key", async () => {
    const first = await keys(target, "revoke", ids[1] ?? "", "--json");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    const [revoked] = jsonLines(first.stdout);
    expect(revoked).toEqual({ id: ids[1], revokedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) });
    expect(jsonLines((await keys(target, "revoke", ids[1] ?? "", "--json")).stdout)).toEqual([revoked]);
    expect((await keys(target, "list")).stdout).toMatch(/Grace <grace@example\.org> {2}revoked \d{4}-/);
    expect(jsonLines((await keys(target, "list", "--json")).stdout).at(-1)).toEqual({ keys: 2, revoked: 1 });
    expect(await keys(target, "revoke", "000000000000")).toEqual(NO_KEY);
  });

  test("api-keys usage shows the requests of all keys in a month, in fewer days, or of one key", async () => {
    const [newest, older] = used;
    const month = jsonLines((await keys(target, "usage", "--json")).stdout);
    expect(month).toEqual([
      { id: ids[0], ...older },
      { id: ids[0], ...newest },
      { since: expect.stringMatching(DAY), requests: 9 },
    ]);
    expect((await keys(target, "usage", "--days", "5")).stdout).toBe(`${newest?.day}  ${ids[0]}          5\n`);
    expect((await keys(target, "usage", ids[1] ?? "")).stdout).toMatch(/^no requests with a key since [\d-]{10}\n$/);
    expect(await keys(target, "usage", "000000000000", "--json")).toEqual(NO_KEY);
  });

  test("api-keys delete removes a key with all its data, and reports an unknown key", async () => {
    const [id = "", other] = ids;
    // A server has the database open and has written to it.
    const accounts = await openAccounts(target);
    await accounts.db.updateTable("api_key").set({ description: "secret use" }).where("id", "=", id).execute();
    const deleted = await keys(target, "delete", id, "--json");
    expect([deleted.exitCode, deleted.stderr, jsonLines(deleted.stdout)]).toEqual([0, "", [{ id, deleted: true }]]);
    const left = await Promise.all([
      accounts.db.selectFrom("api_key").select("id").execute(),
      accounts.db.selectFrom("api_key_usage").select("key_id").execute(),
    ]);
    expect(left).toEqual([[{ id: other }], []]);
    if ("sqlite" in target) {
      const bytes = [target.sqlite, `${target.sqlite}-wal`].map((path) => readFileSync(path, "latin1")).join();
      expect(bytes).toContain("grace@example.org");
      expect(bytes).not.toMatch(/ada@example\.org|secret use/);
    }
    await accounts.close();
    expect(await keys(target, "delete", id)).toMatchObject({ exitCode: 1, stdout: "" });
    expect(await keys(target, "delete", "000000000000")).toEqual(NO_KEY);
    expect((await keys(target, "delete", other ?? "")).stdout).toBe(`deleted ${other}\n`);
    expect((await keys(target, "list")).stdout).toBe("no keys\n");
  });
});

describe("invalid parameters of share-release account api-keys", () => {
  const nowhere: AccountTarget = { sqlite: join(folder, "nowhere", "accounts.sqlite") };
  test.each([
    { name: "a missing store", parameters: ["list"], exitCode: 1, says: /there is no account store .*serve/ },
    { name: "no command", parameters: [], exitCode: 2, says: /Usage: share-release account api-keys/ },
    {
      name: "--store after the command",
      parameters: ["usage", "--store", "after"],
      exitCode: 1,
      says: /no account store .*after.accounts\.sqlite/,
    },
    { name: "no id", parameters: ["revoke"], exitCode: 2, says: /'id'.*share-release account api-keys revoke --help/ },
    {
      name: "a key in place of an id",
      parameters: ["revoke", `share_live_${"k".repeat(32)}`],
      exitCode: 2,
      says: /the id of the API key is not valid/,
    },
    { name: "no day", parameters: ["usage", "--days", "0"], exitCode: 2, says: /--days.*from 1 to/ },
  ])("api-keys rejects its parameters with a message: $name", async ({ parameters, exitCode, says }) => {
    const ended = await keys(nowhere, ...parameters);
    expect(ended).toMatchObject({ exitCode, stdout: "" });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).not.toContain("kkkk");
    expect(existsSync(dirname(nowhere.sqlite))).toBe(false);
  });
});
