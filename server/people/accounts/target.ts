/** The place where accounts are kept: a file of the store, or the PostgreSQL that the configuration names. */

import { join } from "node:path";
import type { Store } from "../../../pipeline/store/store.ts";
import { AccountStoreError } from "./error.ts";

export type AccountTarget = { readonly sqlite: string } | { readonly postgres: string };

/**
 * `databaseUrl` is the value of DATABASE_URL; where it is not set or empty, `<store>/accounts.sqlite`.
 * @throws AccountStoreError for what is no address of a PostgreSQL; the value, which may hold a password, is not repeated
 */
export function accountTarget(databaseUrl: string | undefined, store: Pick<Store, "root">): AccountTarget {
  if (databaseUrl === undefined || databaseUrl === "") return { sqlite: join(store.root, "accounts.sqlite") };
  const protocol = URL.canParse(databaseUrl) ? new URL(databaseUrl).protocol : "";
  if (protocol !== "postgres:" && protocol !== "postgresql:") {
    throw new AccountStoreError(
      "DATABASE_URL is no address of a PostgreSQL; write postgresql://user@host:5432/database",
    );
  }
  return { postgres: databaseUrl };
}
