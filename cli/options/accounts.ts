/** Opens the accounts for a command, and reads which researchers are hidden. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { plural } from "../../pipeline/reading/text.ts";
import {
  AccountStoreError,
  type AccountTarget,
  accountTarget,
  hasRecordedAccounts,
  recordAccounts,
} from "../../pipeline/store/account-target.ts";
import { AGGREGATE_TABLES, publishedName } from "../../schemas/public/tables.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import { setting } from "./environment.ts";
import { CommandFailed } from "./exit-codes.ts";
import { openChosenStore, readableFile, type SharedOptions } from "./shared.ts";

/**
 * Opens the accounts of the store and runs `work` with them. Never creates accounts, because a mistyped --store would
 * then look like an empty store.
 *
 * @throws CommandFailed if there are no accounts
 */
export async function withAccounts<T>(options: SharedOptions, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const target = readAccountTarget(options);
  const mustExist = hasRecordedAccounts(openChosenStore(options), target);
  if ("sqlite" in target && !mustExist && !existsSync(target.sqlite)) {
    throw new CommandFailed(`there is no account store ${target.sqlite}. \`share-release serve\` creates it.`);
  }
  const { openAccounts } = await import("../../server/accounts/database.ts");
  const accounts = await openAccounts(target, { mustExist });
  await recordAccounts(openChosenStore(options), target);
  try {
    return await work(accounts);
  } finally {
    await accounts.close();
  }
}

/** True if the store has accounts. `share-release serve` creates them. */
export function hasAccounts(options: SharedOptions): boolean {
  const target = readAccountTarget(options);
  return "postgres" in target || existsSync(target.sqlite) || hasRecordedAccounts(openChosenStore(options), target);
}

function readAccountTarget(options: SharedOptions): AccountTarget {
  return accountTarget(setting("DATABASE_URL"), openChosenStore(options));
}

/**
 * Reads a file with one researcher id on each line.
 * @throws CommandFailed with the number of a line that is not an id
 */
export async function readExcluded(file: string): Promise<string[]> {
  const lines = (await readFile(await readableFile("--exclude-researchers", file), "utf8")).split(/\r?\n/);
  return lines.flatMap((line, i) => {
    const id = line.trim();
    if (id === "" || id.startsWith("#")) return [];
    if (!/^a[0-9a-f]{24}$/.test(id))
      throw new CommandFailed(
        `${file}:${i + 1}: "${id}" is not a researcher id: expected a and 24 hex digits, such as a030cdc907e27848db600444a`,
      );
    return [id];
  });
}

/**
 * Options of a command that must know the hidden researchers. The user can also list them in a file, with
 * --exclude-researchers.
 */
export interface HidingOptions extends SharedOptions {
  readonly excludeResearchers?: string;
}

/**
 * Returns the researchers that a release leaves out: those of --exclude-researchers, and those hidden in the accounts.
 * @throws AccountStoreError if the accounts cannot be read and --exclude-researchers is missing
 */
export async function excludedIds({ excludeResearchers, ...options }: HidingOptions): Promise<string[]> {
  if (excludeResearchers === undefined) {
    return hiddenIds(options).catch((error: unknown) => {
      if (!(error instanceof AccountStoreError)) throw error;
      throw new AccountStoreError(
        `${error.message.replace(/\.?$/, ".")} Without them the release would name researchers who opted out. If you cannot reach the accounts, write the list with \`share-release account list --hidden\` and give it with --exclude-researchers.`,
        { cause: error },
      );
    });
  }
  const listed = await readExcluded(excludeResearchers);
  const hidden = await hiddenIds(options).catch((error: unknown) => {
    if (error instanceof AccountStoreError) return [];
    throw error;
  });
  return [...new Set([...listed, ...hidden])].sort();
}

/**
 * Checks that a release does not contain researchers who were hidden after it was built.
 * @throws CommandFailed if it does; AccountStoreError if the accounts cannot be read
 */
export async function requireHiddenAbsent(options: HidingOptions, digest: string): Promise<void> {
  const hidden = options.excludeResearchers === undefined ? await hiddenIds(options) : await excludedIds(options);
  if (hidden.length === 0) return;
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    const { authorship } = AGGREGATE_TABLES;
    await db.inputOlder(authorship, join(openChosenStore(options).release(digest), "data", publishedName(authorship)));
    await db.fill(
      { name: "hidden", columns: { id: "text" } },
      hidden.map((id) => ({ id })),
    );
    const [row] = await db.rows(
      "select count(distinct researcher_id) as named from authorship semi join hidden on hidden.id = authorship.researcher_id",
    );
    if (row?.named === 0n) return;
    throw new CommandFailed(
      `${digest} names ${plural(Number(row?.named), "researcher")} who opted out since it was built. Build it again without them with \`share-release account hide\` or \`share-release build --exclude-researchers\`, or give a reason with --force.`,
    );
  } finally {
    db.close();
  }
}

/**
 * Returns the ids of hidden researchers; none if the store has no accounts.
 * @throws AccountStoreError
 */
async function hiddenIds(options: SharedOptions): Promise<string[]> {
  if (!hasAccounts(options)) return [];
  const { hiddenResearchers } = await import("../../server/accounts/moderation.ts");
  return (await withAccounts(options, ({ db }) => hiddenResearchers(db))).map(({ id }) => id);
}
