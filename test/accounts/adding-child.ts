/**
 * Program for tests that increments a stored number repeatedly, each time in a transaction that reads before it writes. Several
 * run at once, so a lost update would show.
 */

import { z } from "zod";
import { openAccounts } from "../../server/accounts/database.ts";

const options = z.object({ target: z.strictObject({ sqlite: z.string() }), times: z.int() });

const { target, times } = options.parse(JSON.parse(process.argv[2] ?? ""));
const accounts = await openAccounts(target);
for (let i = 0; i < times; i += 1) {
  await accounts.db.transaction().execute(async (trx) => {
    const row = await trx.selectFrom("secret").select("value").where("name", "=", "sum").executeTakeFirstOrThrow();
    const value = String(Number(row.value) + 1);
    await trx.updateTable("secret").set({ value }).where("name", "=", "sum").execute();
  });
}
await accounts.close();
process.stdout.write(`${JSON.stringify("done")}\n`);
