/** Signing in: people's accounts, their sessions, links sent by mail, and sign-ins under way at the identity provider. */

import type { Transaction } from "kysely";
import type { Migration } from "./migration.ts";
import type { AccountTables } from "./tables.ts";

export const signIn: Migration = {
  number: 3,
  name: "sign-in",
  async up(trx) {
    await createAccounts(trx);
    await createSessions(trx);
    await createLinks(trx);
    await createPending(trx);
  },
};

async function createAccounts(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("account")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text")
    .addColumn("email", "text", (column) => column.unique())
    .addColumn("orcid", "text", (column) => column.unique())
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
}

async function createSessions(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("session")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("digest", "text", (column) => column.notNull().unique())
    .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("agent", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("seen_at", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .execute();
  await trx.schema.createIndex("session_account_id").on("session").columns(["account_id", "seen_at"]).execute();
  await trx.schema.createIndex("session_expires_at").on("session").column("expires_at").execute();
}

async function createLinks(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("magic_link")
    .addColumn("digest", "text", (column) => column.primaryKey())
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("return_to", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .addColumn("used_at", "text")
    .execute();
  await trx.schema.createIndex("magic_link_expires_at").on("magic_link").column("expires_at").execute();
}

async function createPending(trx: Transaction<AccountTables>): Promise<void> {
  await trx.schema
    .createTable("pending_sign_in")
    .addColumn("digest", "text", (column) => column.primaryKey())
    .addColumn("return_to", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .execute();
  await trx.schema.createIndex("pending_sign_in_expires_at").on("pending_sign_in").column("expires_at").execute();
}
