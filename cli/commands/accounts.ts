/** share-release accounts: how much the account store holds. */

import type { Command } from "commander";
import { type AccountCounts, accountCounts } from "../../server/accounts/database/index.ts";
import { withAccounts } from "../options/account-store.ts";
import { command, printResult, type SharedOptions } from "../options/shared.ts";

export function accountsCommand(): Command {
  return command("accounts", "count what the account store holds", ["accounts", "accounts --json"]).action(
    async (options: SharedOptions) => {
      const counts = await withAccounts(options, async ({ db, kind }) => ({
        kind,
        ...(await accountCounts(db, new Date())),
      }));
      printResult(options, counts, countsText);
    },
  );
}

const WORDS: readonly (readonly [Exclude<keyof AccountCounts, "migration">, string])[] = [
  ["people", "people"],
  ["sessions", "sessions"],
  ["apiKeys", "API keys"],
  ["claimsPending", "claims pending"],
  ["claimsApproved", "claims approved"],
  ["visibilityPending", "visibility requests pending"],
  ["hiddenResearchers", "hidden researchers"],
  ["submissionsQueued", "submissions queued"],
  ["submissionsWaiting", "submissions accepted, to be harvested"],
  ["measurements", "measurements"],
];

function countsText({ kind, migration, ...counts }: AccountCounts & { readonly kind: string }): string {
  const lines = WORDS.map(([name, words]) => `${String(counts[name]).padStart(9)}  ${words}`);
  return [...lines, `in ${kind === "sqlite" ? "SQLite" : "PostgreSQL"}, migration ${migration}`].join("\n");
}
