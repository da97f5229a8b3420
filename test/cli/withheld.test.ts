/** Before a build, those who opted out and would be shown again in its files are counted. */

import { expect, test } from "vitest";
import { countForgotten } from "../../cli/options/withheld.ts";
import { openAccounts } from "../../server/people/accounts/index.ts";
import { accountTarget } from "../../server/people/accounts/target.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const ANA = `a${"1".repeat(24)}`;
const BO = `a${"2".repeat(24)}`;

test.skipIf(process.env.DATABASE_URL !== undefined)("who is hidden and not withheld is counted", async () => {
  await using bench = await temporaryStore();
  const options = { store: bench.store.root };
  expect(await countForgotten(options, [])).toBe(0);
  const accounts = await openAccounts(accountTarget(undefined, bench.store));
  const since = "2026-11-01T00:00:00.000Z";
  const hidden = [
    { researcher_id: ANA, slug: "ana", since },
    { researcher_id: BO, slug: "bo", since },
  ];
  await accounts.db.insertInto("hidden_researcher").values(hidden).execute();
  await accounts.close();
  expect(await countForgotten(options, [])).toBe(2);
  expect(await countForgotten(options, [BO])).toBe(1);
  expect(await countForgotten(options, [BO, ANA])).toBe(0);
});
