/**
 * Program for tests that waits for a line of input, opens each of the given stores, and prints what it found. Several of these
 * processes open the same stores at once.
 */

import { once } from "node:events";
import { z } from "zod";
import { openAccounts } from "../../server/accounts/database.ts";

const options = z.object({
  targets: z.array(z.union([z.strictObject({ sqlite: z.string() }), z.strictObject({ postgres: z.string() })])),
});

const { targets } = options.parse(JSON.parse(process.argv[2] ?? ""));
process.stdout.write(`${JSON.stringify("ready")}\n`);
await once(process.stdin, "data");
const found: unknown[] = [];
for (const target of targets) {
  const accounts = await openAccounts(target);
  const migrations = await accounts.db.selectFrom("schema_migration").selectAll().execute();
  found.push({ migrations, pseudonym: accounts.pseudonym("one") });
  await accounts.close();
}
process.stdout.write(`${JSON.stringify(found)}\n`);
process.exit(0);
