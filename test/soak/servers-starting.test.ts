/** Several servers can start at the same moment on one account store, whether it is empty or from an older program. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { MIGRATIONS } from "../../server/accounts/migrations.ts";
import { describeEachDatabase, describeOnPostgres } from "../accounts/each-database.ts";
import { withOlder } from "../accounts/older-store.ts";
import { keyIn } from "../limits/test-app.ts";
import { ask } from "../server/ask.ts";
import { startServing } from "../support/serving.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const SERVERS = 6;

describeEachDatabase("servers that start at the same moment", (newTarget) => {
  test.each([0, 1, 2, MIGRATIONS.length - 1])(
    "servers that start together can open an account store with %i migrations, and accept each other's API keys",
    async (done) => {
      await using at = await temporaryStore();
      mkdirSync(at.store.root);
      const other = await newTarget();
      const target: AccountTarget = "postgres" in other ? other : { sqlite: join(at.store.root, "accounts.sqlite") };

      if (done > 0) await withOlder(target, done, async () => {});
      const environment = { DATABASE_URL: "postgres" in target ? target.postgres : "", SHARE_SITE: "" };
      const parameters = ["--store", at.store.root, "--trust-proxy", "127.0.0.1"];
      const servers = await Promise.all(Array.from({ length: SERVERS }, () => startServing(parameters, environment)));
      try {
        const keys: string[] = [];
        for (const [i, { port }] of servers.entries()) {
          const headers = { "content-type": "application/json", "x-forwarded-for": `192.0.2.${i + 1}` };
          const body = JSON.stringify({ name: "Reader", email: "reader@example.org" });
          keys.push(keyIn((await ask(port, "/api-keys/register", { method: "POST", headers, body })).text));
        }
        // Each server accepts the API keys that the others issued.
        for (const { port } of servers) {
          for (const key of keys)
            expect((await ask(port, "/health", { headers: { "x-api-key": key } })).status).toBe(200);
        }
        for (const server of servers) expect(server.logged()).not.toMatch(/"level":[56]0/);
      } finally {
        await Promise.all(servers.map((server) => server.end()));
      }
    },
  );
});

/** The duration of a migration, which is longer than the time limits of an SQL statement and of a response. */
const LONG_MIGRATION_MILLISECONDS = 17_000;

describeOnPostgres("a server that starts while another migrates", (newTarget) => {
  test("a server that starts during a migration waits until it is done, however long that takes", async () => {
    const target = await newTarget();
    const other = await openAccounts(target);
    const starting = await other.db.transaction().execute(async (trx) => {
      // The lock of server/accounts/database.ts.
      await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
      await sql`select pg_advisory_xact_lock(7420225)`.execute(trx);
      const opening = openAccounts(target);
      opening.catch(() => undefined);
      await sleep(LONG_MIGRATION_MILLISECONDS);
      return { opening };
    });
    const accounts = await starting.opening;
    expect(accounts.pseudonym("one")).toBe(other.pseudonym("one"));
    await Promise.all([accounts.close(), other.close()]);
  });
});
