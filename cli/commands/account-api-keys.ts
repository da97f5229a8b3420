/** share-release account api-keys: lists, revokes and deletes API keys, and shows their use. */

import type { Command } from "commander";
import { type ApiKeySummary, type ApiKeyUsage, apiKeyId } from "../../schemas/public/account/registration.ts";
import { deleteKey, isKeyId, listKeys, listUsage, revokeKey } from "../../server/accounts/api-keys.ts";
import { withAccounts } from "../options/accounts.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { command, countArgument, group, type SharedOptions } from "../options/shared.ts";
import { printLines } from "../terminal/text.ts";

const DAY_MILLISECONDS = 86_400_000;

export function apiKeysCommand(): Command {
  return group("api-keys", "List, revoke or delete API keys, and show their use", [
    listCommand(),
    revokeCommand(),
    deleteCommand(),
    usageCommand(),
  ]);
}

function listCommand(): Command {
  return command("list", "List all API keys, oldest first", [
    "account api-keys list",
    "account api-keys list --json",
  ]).action(async (options: SharedOptions) => {
    const rows = await withAccounts(options, ({ db }) => listKeys(db, new Date()));
    const revoked = rows.filter(({ revokedAt }) => revokedAt !== null).length;
    const summary = { keys: rows.length, revoked };
    print(options, { rows, summary, text: keyLine, none: "no keys" });
  });
}

function revokeCommand(): Command {
  return command("revoke", "Revoke an API key permanently", ["account api-keys revoke 3f9c0d21ab54"])
    .argument("<id>", "Public id from `account api-keys list`")
    .action(async (id: string, options: SharedOptions) => {
      requireId(id);
      const revokedAt = await withAccounts(options, ({ db }) => revokeKey(db, id, new Date()));
      if (revokedAt === null) throw noKey(id);
      const summary = { id, revokedAt };
      print(options, { rows: [], summary, text: keyLine, none: `revoked ${id} (${revokedAt})` });
    });
}

function deleteCommand(): Command {
  return command("delete", "Erase an API key, the data of its holder and its use; backups are not changed", [
    "account api-keys delete 3f9c0d21ab54",
  ])
    .argument("<id>", "Public id from `account api-keys list`")
    .action(async (id: string, options: SharedOptions) => {
      requireId(id);
      if (!(await withAccounts(options, (accounts) => deleteKey(accounts, id)))) throw noKey(id);
      print(options, { rows: [], summary: { id, deleted: true }, text: keyLine, none: `deleted ${id}` });
    });
}

function usageCommand(): Command {
  return command("usage", "Show requests per key and UTC day, without the last second", [
    "account api-keys usage --days 7",
    "account api-keys usage 3f9c0d21ab54 --json",
  ])
    .argument("[id]", "Public id (default: all keys)")
    .option("--days <n>", "Number of days, including today", countArgument(1, 36_500), 30)
    .action(async (id: string | undefined, { days, ...options }: SharedOptions & { readonly days: number }) => {
      if (id !== undefined) requireId(id);
      const since = new Date(Date.now() - (days - 1) * DAY_MILLISECONDS).toISOString().slice(0, 10);
      const rows = await withAccounts(options, async (accounts) => {
        if (id !== undefined && !(await isKeyId(accounts.db, id))) throw noKey(id);
        return listUsage(accounts, { id: id ?? null, since });
      });
      const summary = { since, requests: rows.reduce((sum, { requests }) => sum + requests, 0) };
      print(options, { rows, summary, text: usageLine, none: `no requests with a key since ${since}` });
    });
}

function requireId(id: string): void {
  // The error does not repeat the text, which may be a secret key.
  if (!apiKeyId.safeParse(id).success) {
    throw new UsageError(
      "the id of the API key is not valid: expected 12 hex digits, as shown by `share-release account api-keys list`",
    );
  }
}

function noKey(id: string): CommandFailed {
  return new CommandFailed(`there is no API key ${id}; \`share-release account api-keys list\` shows the ids`);
}

interface KeyOutput<T> {
  readonly rows: readonly T[];
  readonly summary: object;
  readonly text: (row: T) => string;
  readonly none: string;
}

function print<T>(options: SharedOptions, { rows, summary, text, none }: KeyOutput<T>): void {
  const lines = options.json ? [...rows, summary].map((row) => JSON.stringify(row)) : rows.map(text);
  printLines((lines.length === 0 ? [none] : lines).join("\n"));
}

function keyLine({ id, name, email, createdAt, revokedAt, requestsToday }: ApiKeySummary): string {
  const state = revokedAt === null ? `${requestsToday} today` : `revoked ${revokedAt}`;
  return `${id}  ${createdAt}  ${name} <${email}>  ${state}`;
}

function usageLine({ id, day, requests }: ApiKeyUsage): string {
  return `${day}  ${id}  ${String(requests).padStart(9)}`;
}
