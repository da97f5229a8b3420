/** The command `share-release account list --count`, on every database. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { claim, hide } from "../hidden/hidden-world.ts";
import { type Ended, jsonLines, runCommand } from "../support/command-line.ts";

const ONE = { id: `a${"1".repeat(24)}`, slug: "one-1111111111" };
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
  return runCommand(["account", "list", "--count", ...parameters], { environment });
}

/** Stores an account with an approved claim and a session, and hides the claimed researcher. */
async function fill(target: AccountTarget): Promise<void> {
  const { db, close } = await openAccounts(target);
  try {
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
  } finally {
    await close();
  }
}

describeEachDatabase("share-release account list --count", (newTarget) => {
  test("account list --count prints the numbers of accounts, claims and other stored data, without names", async () => {
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
      reportsPending: 0,
      submissionsQueued: 0,
      submissionsWaiting: 0,
      measurements: 0,
      migration: expect.any(Number),
    });
    const said = await accounts(target);
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toMatch(/^ +1 {2}people$/m);
    expect(said.stdout).not.toContain(ONE.slug);
  });
});
