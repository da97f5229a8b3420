/** Location of the accounts: a file in the store, or the configured PostgreSQL. */

import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { replaceFile } from "../files/durable.ts";
import type { Store } from "./store.ts";

export type AccountTarget = { readonly sqlite: string } | { readonly postgres: string };

/** Host, port and database of a PostgreSQL. The store may record them, but no user or password. */
const postgresPlace = z.strictObject({ host: z.string(), port: z.string(), database: z.string() });
type PostgresPlace = z.infer<typeof postgresPlace>;

/**
 * Reads DATABASE_URL. If it is not set or empty, accounts are in `<store>/accounts.sqlite`.
 *
 * @throws AccountStoreError if it is not a PostgreSQL URL, or if it is missing although the store records a PostgreSQL.
 * The message does not repeat the URL, which may contain a password
 */
export function accountTarget(databaseUrl: string | undefined, store: Pick<Store, "root">): AccountTarget {
  if (databaseUrl === undefined || databaseUrl === "") {
    const place = recordedPlace(store);
    if (place === null) return { sqlite: join(store.root, "accounts.sqlite") };
    throw new AccountStoreError(
      `the accounts of this store are in the PostgreSQL database ${place.database} at ${place.host}:${place.port}, and DATABASE_URL is not set. ` +
        `Set DATABASE_URL to its URL; if the accounts are no longer there, remove ${recordOf(store)}.`,
    );
  }
  if (placeOf(databaseUrl) === null) {
    throw new AccountStoreError("DATABASE_URL is not a PostgreSQL URL; write postgresql://user@host:5432/database");
  }
  return { postgres: databaseUrl };
}

/** Records in the store that its accounts are in a PostgreSQL. Returns false if the store is not writable. */
export async function recordAccounts(store: Pick<Store, "root">, target: AccountTarget): Promise<boolean> {
  const place = "postgres" in target ? placeOf(target.postgres) : null;
  if (place === null || isDeepStrictEqual(place, recordedPlace(store))) return true;
  try {
    await stat(store.root);
    await replaceFile(recordOf(store), `${JSON.stringify({ postgres: place })}\n`);
    return true;
  } catch {
    return false;
  }
}

function recordOf(store: Pick<Store, "root">): string {
  return join(store.root, "accounts.json");
}

/** Returns null if the store does not record a PostgreSQL. */
function recordedPlace(store: Pick<Store, "root">): PostgresPlace | null {
  const path = recordOf(store);
  try {
    return z.strictObject({ postgres: postgresPlace }).parse(JSON.parse(readFileSync(path, "utf8"))).postgres;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw new AccountStoreError(
      `cannot read ${path}, which says where the accounts of this store are. Remove it, and start the server with DATABASE_URL as before.`,
      { cause },
    );
  }
}

function placeOf(databaseUrl: string): PostgresPlace | null {
  const url = URL.parse(databaseUrl);
  if (url === null || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) return null;
  // By default, the database has the name of the user.
  return {
    host: url.hostname || url.searchParams.get("host") || "localhost",
    port: url.port || "5432",
    database: decodeURIComponent(url.pathname.slice(1) || url.username),
  };
}

/** The account store cannot be opened, or this program may not write to it. */
export class AccountStoreError extends Error {
  readonly code = "ERR_ACCOUNT_STORE";

  /** `message` is printed, so it must not have a password or connection string. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AccountStoreError";
  }
}
