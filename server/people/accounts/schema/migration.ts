/** One step from what the tables were to what they are. */

import type { Transaction } from "kysely";
import type { AccountTables } from "./tables.ts";

export interface Migration {
  /** 1, 2, 3…: without gaps, and never changed once released. */
  readonly number: number;
  readonly name: string;
  readonly up: (trx: Transaction<AccountTables>, kind: "sqlite" | "postgres") => Promise<void>;
}
