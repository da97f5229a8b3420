/** share-release accounts: how much the account store holds, a backup of it, and putting one back. */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { backupSqlite, restoreSqlite } from "../../server/people/accounts/backup.ts";
import { type AccountCounts, accountCounts } from "../../server/people/accounts/counts.ts";
import { accountTarget } from "../../server/people/accounts/target.ts";
import { withAccounts } from "../options/account-store.ts";
import { CommandFailed } from "../options/exit-codes.ts";
import { command, printResult, type SharedOptions, storeOf } from "../options/shared.ts";
import { usageInOneLine } from "../text/usage-line.ts";

export function accountsCommand(): Command {
  const accounts = command("accounts", "count what the account store holds; back it up, or put a backup back", [
    "accounts",
    "accounts backup accounts-2026-11-21.sqlite",
  ]).action(async (options: SharedOptions) => {
    const counts = await withAccounts(options, async ({ db, kind }) => ({
      kind,
      ...(await accountCounts(db, new Date())),
    }));
    printResult(options, counts, countsText);
  });
  for (const each of [backupCommand(), restoreCommand()]) {
    accounts.addCommand(each.configureOutput(usageInOneLine(`share-release accounts ${each.name()}`)).exitOverride());
  }
  return accounts;
}

function backupCommand(): Command {
  return command("backup", "write the account store to a new file, whole, while servers write to it", [
    "accounts backup /backup/accounts-2026-11-21.sqlite",
  ])
    .argument("<file>", "the file to make; one that is there is never written over")
    .action(async (file: string, _own: object, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const store = sqliteOf(options, "back it up", file);
      if (!existsSync(store)) {
        throw new CommandFailed(`there is no account store ${store}; \`share-release serve\` makes it`);
      }
      const done = await backupSqlite(store, file);
      printResult(options, done, ({ bytes, migration }) => `wrote ${file}: ${bytes} bytes, migration ${migration}`);
    });
}

function restoreCommand(): Command {
  return command("restore", "put a backup in the place of the account store, and keep what was there beside it", [
    "accounts restore /backup/accounts-2026-11-21.sqlite",
  ])
    .argument("<file>", "a file that `accounts backup` wrote")
    .option("--even-if-open", "also where a server has the store open: it goes on with what was put back")
    .action(async (file: string, given: { readonly evenIfOpen?: true }, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const store = sqliteOf(options, "restore it", file);
      const how = { evenIfOpen: given.evenIfOpen === true, now: new Date() };
      printResult(options, await restoreSqlite(file, store, how), ({ before }) =>
        [
          `restored ${store} from ${file}`,
          ...(before === null ? [] : [`what was there before: ${before}`]),
          "Everybody is signed out. What was decided since the backup is undone: keys revoked and people hidden since",
          "are to be revoked and hidden again, before a server is started.",
        ].join("\n"),
      );
    });
}

/** PostgreSQL comes with programs for this, which know more of it than we do; nothing is done in their place. */
function sqliteOf(options: SharedOptions, what: string, file: string): string {
  const target = accountTarget(process.env.DATABASE_URL, storeOf(options));
  if ("sqlite" in target) return target.sqlite;
  throw new CommandFailed(
    [
      `the account store is in the PostgreSQL of DATABASE_URL: ${what} with its own programs`,
      ...commandsFor(file),
    ].join("\n  "),
  );
}

/** To be run as they are, by a shell that has DATABASE_URL. */
function commandsFor(file: string): string[] {
  const quoted = `'${file.replaceAll("'", "'\\''")}'`;
  const restore = "pg_restore --clean --if-exists --no-owner --single-transaction --exit-on-error";
  return [
    `pg_dump --format=custom --no-owner --file=${quoted} "$DATABASE_URL"`,
    `${restore} --dbname="$DATABASE_URL" ${quoted}`,
    `psql --set=ON_ERROR_STOP=1 --command='delete from session; delete from magic_link; delete from pending_sign_in' "$DATABASE_URL"`,
  ];
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
  ["disputesOpen", "disputes open"],
];

function countsText({ kind, migration, ...counts }: AccountCounts & { readonly kind: string }): string {
  const lines = WORDS.map(([name, words]) => `${String(counts[name]).padStart(9)}  ${words}`);
  return [...lines, `in ${kind === "sqlite" ? "SQLite" : "PostgreSQL"}, migration ${migration}`].join("\n");
}
