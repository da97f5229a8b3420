/** Tables of what belongs to an account, what a moderator decided, and who is hidden. */

import { sql, type Transaction } from "kysely";
import type { Migration } from "./migration.ts";
import type { AccountTables } from "./tables.ts";

type Trx = Transaction<AccountTables>;

export const account: Migration = {
  number: 4,
  name: "account",
  async up(trx, kind) {
    await createClaims(trx);
    await createVisibility(trx);
    await createSaved(trx);
    await createSubmissions(trx);
    await createMeasurements(trx);
    await (kind === "sqlite" ? createAuditInSqlite(trx) : createAuditInPostgres(trx));
  },
};

async function createClaims(trx: Trx): Promise<void> {
  await trx.schema
    .createTable("profile_claim")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
    .addColumn("researcher_id", "text", (column) => column.notNull())
    .addColumn("slug", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("decision_reason", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("decided_at", "text")
    .execute();
  const index = (name: string) => trx.schema.createIndex(name).on("profile_claim");
  await index("profile_claim_account").columns(["account_id", "created_at"]).execute();
  await index("profile_claim_state").columns(["state", "created_at"]).execute();
  await index("profile_claim_approved")
    .column("researcher_id")
    .unique()
    .where(sql.ref("state"), "=", "approved")
    .execute();
  await index("profile_claim_once")
    .columns(["account_id", "researcher_id"])
    .unique()
    .where(sql.ref("state"), "in", ["pending", "approved"])
    .execute();
}

async function createVisibility(trx: Trx): Promise<void> {
  await trx.schema
    .createTable("visibility_request")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
    .addColumn("researcher_id", "text", (column) => column.notNull())
    .addColumn("slug", "text", (column) => column.notNull())
    .addColumn("request_type", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("decision_reason", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("decided_at", "text")
    .execute();
  const index = (name: string) => trx.schema.createIndex(name).on("visibility_request");
  await index("visibility_request_account").columns(["account_id", "created_at"]).execute();
  await index("visibility_request_state").columns(["state", "created_at"]).execute();
  await index("visibility_request_once")
    .columns(["account_id", "researcher_id", "request_type"])
    .unique()
    .where(sql.ref("state"), "=", "pending")
    .execute();
  await trx.schema
    .createTable("hidden_researcher")
    .addColumn("researcher_id", "text", (column) => column.primaryKey())
    .addColumn("slug", "text", (column) => column.notNull())
    .addColumn("since", "text", (column) => column.notNull())
    .execute();
}

async function createSaved(trx: Trx): Promise<void> {
  await trx.schema
    .createTable("saved_record")
    .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
    .addColumn("record_id", "text", (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("saved_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("saved_record_key", ["account_id", "record_id"])
    .execute();
  await trx.schema
    .createTable("saved_author")
    .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
    .addColumn("researcher_id", "text", (column) => column.notNull())
    .addColumn("slug", "text", (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("saved_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("saved_author_key", ["account_id", "researcher_id"])
    .execute();
  for (const [table, id] of [
    ["saved_record", "record_id"],
    ["saved_author", "researcher_id"],
  ] as const) {
    await trx.schema.createIndex(`${table}_saved_at`).on(table).columns(["account_id", "saved_at", id]).execute();
  }
}

/** A dataset is no personal matter: its submission outlives the account that made it, without it. */
async function createSubmissions(trx: Trx): Promise<void> {
  await trx.schema
    .createTable("dataset_submission")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.references("account.id").onDelete("set null"))
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("source_id", "text", (column) => column.notNull())
    .addColumn("rubric_version", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("decision_reason", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("decided_at", "text")
    .execute();
  const index = (name: string) => trx.schema.createIndex(name).on("dataset_submission");
  await index("dataset_submission_account").columns(["account_id", "created_at"]).execute();
  await index("dataset_submission_state").columns(["state", "created_at"]).execute();
  await index("dataset_submission_once")
    .columns(["source", "source_id"])
    .unique()
    .where(sql.ref("state"), "in", ["queued", "accepted"])
    .execute();
}

async function createMeasurements(trx: Trx): Promise<void> {
  await trx.schema
    .createTable("measurement")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("rubric_version", "text", (column) => column.notNull())
    .addColumn("record_id", "text", (column) => column.notNull())
    .addColumn("repository", "text")
    .addColumn("title", "text")
    .addColumn("total", "integer")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("evaluation", "text", (column) => column.notNull())
    .execute();
  await trx.schema
    .createIndex("measurement_account")
    .on("measurement")
    .columns(["account_id", "created_at", "id"])
    .execute();
}

const AUDIT_COLUMNS = sql`
  at text not null,
  actor text not null,
  action text not null,
  subject_kind text not null,
  subject_id text not null,
  detail text not null`;

/** An insert that names the number of an event would replace it: that is refused too. */
async function createAuditInSqlite(trx: Trx): Promise<void> {
  await sql`create table audit_event (number integer primary key autoincrement, ${AUDIT_COLUMNS})`.execute(trx);
  const refuse = sql`begin select raise(abort, 'audit_event is append-only'); end`;
  await sql`create trigger audit_event_update before update on audit_event ${refuse}`.execute(trx);
  await sql`create trigger audit_event_delete before delete on audit_event ${refuse}`.execute(trx);
  await sql`create trigger audit_event_replace before insert on audit_event
    when exists (select 1 from audit_event where number = new.number) ${refuse}`.execute(trx);
}

async function createAuditInPostgres(trx: Trx): Promise<void> {
  await sql`create table audit_event (
    number integer generated always as identity primary key, ${AUDIT_COLUMNS})`.execute(trx);
  await sql`create function audit_event_refuse() returns trigger language plpgsql as $$
    begin raise exception 'audit_event is append-only'; end $$`.execute(trx);
  await sql`create trigger audit_event_append_only before update or delete or truncate on audit_event
    for each statement execute function audit_event_refuse()`.execute(trx);
}
