/** Determines where accounts are stored: in a file of the store, or in a PostgreSQL database. */

import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { replaceFile } from "../files/durable.ts";
import type { Store } from "./store.ts";

export type AccountTarget = { readonly sqlite: string } | { readonly postgres: string };

/** Host, port and database of PostgreSQL. The store may record these, but never a user or password. */
const postgresPlace = z.strictObject({ host: z.string(), port: z.string(), database: z.string() });
type PostgresPlace = z.infer<typeof postgresPlace>;

/** The content of accounts.json, the file in which a store records where its accounts are. */
const accountRecord = z.union([
  z.strictObject({ postgres: postgresPlace }),
  z.strictObject({ sqlite: z.literal("accounts.sqlite") }),
]);
type AccountRecord = z.infer<typeof accountRecord>;

/**
 * Determines from DATABASE_URL where the accounts are. If the variable is empty or not set, they are in
 * `<store>/accounts.sqlite`.
 *
 * @throws AccountStoreError if it is not a PostgreSQL URL, or if it is missing although the store records PostgreSQL.
 * The message does not repeat the URL, which may contain a password
 */
export function accountTarget(databaseUrl: string | undefined, store: Pick<Store, "root">): AccountTarget {
  if (databaseUrl === undefined || databaseUrl === "") {
    const record = recorded(store);
    if (record === null || "sqlite" in record) return { sqlite: fileIn(store) };
    const place = record.postgres;
    throw new AccountStoreError(
      `the accounts of this store are in the PostgreSQL database ${place.database} at ${place.host}:${place.port}, and DATABASE_URL is not set. ` +
        `Set DATABASE_URL to its URL; if the accounts are no longer there, remove ${getRecordPath(store)}.`,
    );
  }
  if (readPlace(databaseUrl) === null) {
    throw new AccountStoreError("DATABASE_URL is not a PostgreSQL URL; write postgresql://user@host:5432/database");
  }
  return { postgres: databaseUrl };
}

/** Records in the store where its accounts are. Returns false if the store is read-only. */
export async function recordAccounts(store: Pick<Store, "root">, target: AccountTarget): Promise<boolean> {
  const record = recordOfTarget(store, target);
  if (record === null || isDeepStrictEqual(record, recorded(store))) return true;
  try {
    await stat(store.root);
    await replaceFile(getRecordPath(store), `${JSON.stringify(record)}\n`);
    return true;
  } catch {
    return false;
  }
}

/**
 * True if the store records that its accounts are at this target. If no accounts are found there, the caller must not
 * create an empty database, because people who asked to be hidden would be shown again.
 */
export function hasRecordedAccounts(store: Pick<Store, "root">, target: AccountTarget): boolean {
  const record = recordOfTarget(store, target);
  return record !== null && isDeepStrictEqual(record, recorded(store));
}

/** Returns the entry to record for a target; null for a SQLite file outside the store, which is not recorded. */
function recordOfTarget(store: Pick<Store, "root">, target: AccountTarget): AccountRecord | null {
  if ("sqlite" in target) return target.sqlite === fileIn(store) ? { sqlite: "accounts.sqlite" } : null;
  const place = readPlace(target.postgres);
  return place === null ? null : { postgres: place };
}

function fileIn(store: Pick<Store, "root">): string {
  return join(store.root, "accounts.sqlite");
}

function getRecordPath(store: Pick<Store, "root">): string {
  return join(store.root, "accounts.json");
}

/** Returns where the accounts are according to accounts.json; null without that file. */
function recorded(store: Pick<Store, "root">): AccountRecord | null {
  const path = getRecordPath(store);
  const text = readRecord(path);
  if (text === null) return null;
  try {
    return accountRecord.parse(JSON.parse(text));
  } catch (cause) {
    throw new AccountStoreError(
      `${path}, which says where the accounts of this store are, is damaged. Remove it, and start the server with DATABASE_URL as before.`,
      { cause },
    );
  }
}

/** Returns the text of accounts.json; null without that file. Other errors do not show that the file is damaged. */
function readRecord(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
    if (code === "ENOENT") return null;
    throw new AccountStoreError(`cannot read ${path}, which says where the accounts of this store are (${code})`, {
      cause,
    });
  }
}

function readPlace(databaseUrl: string): PostgresPlace | null {
  const url = URL.parse(databaseUrl);
  if (url === null || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) return null;
  // By default, the database has the name of the user.
  return {
    host: url.hostname || url.searchParams.get("host") || "localhost",
    port: url.port || "5432",
    database: decodeURIComponent(url.pathname.slice(1) || url.username),
  };
}

/** The error if the accounts cannot be opened, or if this program version may not write to them. */
export class AccountStoreError extends Error {
  readonly code = "ERR_ACCOUNT_STORE";

  /** Takes a message that is shown to the operator. The message must not contain a password or connection string. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AccountStoreError";
  }
}
