/**
 * Upgrades of the account store: `doctor` announces a migration, the next start of a server makes it, and a store of a later
 * version is rejected.
 */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { accountsVersion, openAccounts } from "../../server/accounts/database.ts";
import { MIGRATIONS } from "../../server/accounts/migrations.ts";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { describeBothDatabases } from "./each-database.ts";
import { restoreAccounts, withOlder } from "./older-store.ts";

const KNOWN = MIGRATIONS.at(-1)?.number ?? 0;

describeBothDatabases("an upgrade", (newTarget) => {
  const makeEnvironment = async (target: AccountTarget, fallback: string) => {
    const store = "sqlite" in target ? dirname(target.sqlite) : fallback;
    await mkdir(store, { recursive: true });
    return { SHARE_STORE: store, ...("sqlite" in target ? {} : { DATABASE_URL: target.postgres }) };
  };
  const readUpgrade = async (environment: Readonly<Record<string, string>>) => {
    const { stdout } = await runCommand(["doctor", "--json"], { environment });
    return jsonLines(stdout).find((line) => (line as { check?: string }).check === "upgrade");
  };

  test.each([1, 6, KNOWN - 1])(
    "doctor announces the migration of accounts of version %i, until they are opened",
    async (number) => {
      await using place = await temporaryStore();
      const target = await newTarget();
      await withOlder(target, number, async () => {});
      const environment = await makeEnvironment(target, place.store.root);
      const before = {
        check: "upgrade",
        state: "warning",
        detail: `the accounts have version ${number}, and this program uses version ${KNOWN}`,
        advice: expect.stringContaining("back up the accounts"),
      };
      expect([await readUpgrade(environment), await readUpgrade(environment)]).toEqual([before, before]);
      await (await openAccounts(target)).close();
      expect(await readUpgrade(environment)).toMatchObject({ state: "ok" });
    },
    60_000,
  );

  test.each([
    { commit: "c6f1df0", version: 5 },
    { commit: "2fc5392a", version: 8 },
  ])("accounts that the program made at commit $commit are migrated with their rows", async ({ commit, version }) => {
    const target = await newTarget();
    await restoreAccounts(target, commit);
    expect(await accountsVersion(target)).toEqual({ stored: version, known: KNOWN });
    const accounts = await openAccounts(target);
    const { db } = accounts;
    expect({
      version: await accountsVersion(target),
      accounts: await db.selectFrom("account").select(["id", "name", "email"]).execute(),
      hidden: await db.selectFrom("hidden_researcher").select("slug").execute(),
      keys: await db.selectFrom("api_key").select(["id", "digest"]).execute(),
      log: await db.selectFrom("audit_event").select(["actor", "action"]).execute(),
      jobs: await db.selectFrom("evaluation_job").select(["caller", "turn"]).execute(),
    }).toEqual({
      version: { stored: KNOWN, known: KNOWN },
      accounts: [{ id: "u1", name: "Ada", email: "ada@example.org" }],
      hidden: [{ slug: "ada-lovelace" }],
      keys: [{ id: "k1", digest: "d1" }],
      log: [{ actor: "ada", action: "hide" }],
      jobs: [],
    });
    await accounts.close();
  });

  test("accounts of a later version are rejected by doctor and by the server, with advice on what to do", async () => {
    await using place = await temporaryStore();
    const target = await newTarget();
    const accounts = await openAccounts(target);
    await sql`insert into schema_migration (number, name) values (${KNOWN + 1}, 'later')`.execute(accounts.db);
    await accounts.close();
    const environment = await makeEnvironment(target, place.store.root);
    expect(await readUpgrade(environment)).toMatchObject({
      state: "fault",
      detail: `the accounts have version ${KNOWN + 1}, and this program uses version ${KNOWN}`,
      advice: expect.stringContaining("a downgrade is not possible: use the newer program, or restore the backup"),
    });
    await expect(openAccounts(target)).rejects.toThrow(
      `a newer program has migrated the account store (migration ${KNOWN + 1}; this one supports ${KNOWN}); use the newer program, or restore a backup`,
    );
  });
});
