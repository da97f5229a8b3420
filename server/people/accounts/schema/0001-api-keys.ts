/** API keys, their use by day, and how often somebody registered lately. */

import { randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import type { Migration } from "./migration.ts";
import type { AccountTables } from "./tables.ts";

export const apiKeys: Migration = {
  number: 1,
  name: "api-keys",
  async up(trx) {
    await createSecrets(trx);
    await createKeys(trx);
    await createAttempts(trx);
  },
};

async function createSecrets(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("secret")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
  const value = randomBytes(32).toString("hex");
  await trx.insertInto("secret").values({ name: "pseudonym", value }).execute();
}

async function createKeys(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("api_key")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("digest", "text", (column) => column.notNull().unique())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("description", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("revoked_at", "text")
    .execute();
  await trx.schema
    .createTable("api_key_usage")
    .addColumn("key_id", "text", (column) => column.notNull().references("api_key.id").onDelete("cascade"))
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("requests", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("api_key_usage_key", ["key_id", "day"])
    .execute();
}

async function createAttempts(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("attempt_window")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("instants", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("attempt_window_key", ["kind", "subject"])
    .execute();
  await trx.schema.createIndex("attempt_window_expires_at").on("attempt_window").column("expires_at").execute();
}
