/**
 * The migrations of the account store. In this file the newest is first, but the list at the end is in the order in
 * which they run. Add a migration for every change of a table, and never edit a released migration.
 */

import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { AccountTables } from "./tables.ts";

/** Renames the outcome `refused` of a submission's harvest to `rejected`. */
const rejectedSubmissions: Migration = {
  number: 17,
  name: "rejected-submissions",
  async up(trx) {
    await sql`update dataset_submission set harvest_outcome = 'rejected' where harvest_outcome = 'refused'`.execute(
      trx,
    );
  },
};

/** Adds a column for the evidence of claims. */
const claimEvidence: Migration = {
  number: 16,
  name: "claim-evidence",
  async up(trx) {
    await trx.schema.alterTable("profile_claim").addColumn("evidence", "text").execute();
  },
};

/** Adds the table of saved searches. */
const savedSearches: Migration = {
  number: 15,
  name: "saved-searches",
  async up(trx) {
    await trx.schema
      .createTable("saved_search")
      .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
      .addColumn("query", "text", (column) => column.notNull())
      .addColumn("saved_at", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("saved_search_key", ["account_id", "query"])
      .execute();
  },
};

/**
 * Adds the table with the last decision that an email was sent about. Decisions before the migration cause no email.
 */
const decisionMails: Migration = {
  number: 14,
  name: "decision-mails",
  async up(trx) {
    await trx.schema
      .createTable("mailed_decision")
      .addColumn("number", "integer", (column) => column.notNull())
      .execute();
    await sql`insert into mailed_decision select coalesce(max(number), 0) from audit_event`.execute(trx);
  },
};

/** Adds the table of problem reports. */
const problemReports: Migration = {
  number: 13,
  name: "problem-reports",
  async up(trx) {
    await trx.schema
      .createTable("problem_report")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("account_id", "text", (column) => column.references("account.id").onDelete("cascade"))
      .addColumn("page", "text", (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("reply_to", "text")
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("decision_reason", "text")
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("decided_at", "text")
      .execute();
    const index = (name: string) => trx.schema.createIndex(name).on("problem_report");
    await index("problem_report_created_at").column("created_at").execute();
    await index("problem_report_account").column("account_id").execute();
    await index("problem_report_reply_to").column("reply_to").execute();
  },
};

/** Adds a column for the causes of the failed attempts of a job. */
const jobFailures: Migration = {
  number: 11,
  name: "job-failures",
  async up(trx) {
    await trx.schema
      .alterTable("evaluation_job")
      .addColumn("failures", "text", (column) => column.notNull().defaultTo("[]"))
      .execute();
  },
};

/** Adds a column that marks API keys whose email address belongs to the user who registered them. */
const confirmedKeys: Migration = {
  number: 12,
  name: "confirmed-keys",
  async up(trx) {
    await trx.schema
      .alterTable("api_key")
      .addColumn("confirmed", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

/** Adds the tables of saved repositories, and of accounts that get emails about changes. */
const changeMails: Migration = {
  number: 10,
  name: "change-mails",
  async up(trx) {
    await trx.schema
      .createTable("saved_repository")
      .addColumn("account_id", "text", (column) => column.notNull().references("account.id").onDelete("cascade"))
      .addColumn("repository", "text", (column) => column.notNull())
      .addColumn("saved_at", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("saved_repository_key", ["account_id", "repository"])
      .execute();
    await trx.schema
      .createTable("change_mail")
      .addColumn("account_id", "text", (column) => column.primaryKey().references("account.id").onDelete("cascade"))
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("since", "text", (column) => column.notNull())
      .addColumn("release", "text")
      .execute();
  },
};

const disputes: Migration = { number: 7, name: "disputes", up: async () => undefined };

const correctedDisputes: Migration = { number: 8, name: "corrected-disputes", up: async () => undefined };

const noDisputes: Migration = {
  number: 9,
  name: "no-disputes",
  async up(trx) {
    await trx.schema.dropTable("dispute").ifExists().execute();
  },
};

/** Adds columns for the caller and the source of a job, so that jobs of all callers and sources take turns. */
const jobTurns: Migration = {
  number: 6,
  name: "job-turns",
  async up(trx) {
    // SQLite adds one column per statement.
    const table = () => trx.schema.alterTable("evaluation_job");
    await table()
      .addColumn("caller", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await table()
      .addColumn("source", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await table()
      .addColumn("turn", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

const submissionHarvest: Migration = {
  number: 5,
  name: "submission-harvest",
  async up(trx) {
    // SQLite adds one column per statement.
    const table = () => trx.schema.alterTable("dataset_submission");
    await table().addColumn("harvested_at", "text").execute();
    await table().addColumn("harvest_outcome", "text").execute();
    await table()
      .addColumn("harvest_attempts", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

type Trx = Transaction<AccountTables>;

/** Creates the tables of account data, moderation and hidden researchers. */
const account: Migration = {
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

/** Creates the table of submitted datasets. Its rows stay when the account is deleted, because they are not personal data. */
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

/** Creates the log of decisions. Its triggers also reject an insert that would replace an event. */
async function createAuditInSqlite(trx: Trx): Promise<void> {
  await sql`create table audit_event (number integer primary key autoincrement, ${AUDIT_COLUMNS})`.execute(trx);
  const reject = sql`begin select raise(abort, 'audit_event is append-only'); end`;
  await sql`create trigger audit_event_update before update on audit_event ${reject}`.execute(trx);
  await sql`create trigger audit_event_delete before delete on audit_event ${reject}`.execute(trx);
  await sql`create trigger audit_event_replace before insert on audit_event
    when exists (select 1 from audit_event where number = new.number) ${reject}`.execute(trx);
}

async function createAuditInPostgres(trx: Trx): Promise<void> {
  await sql`create table audit_event (
    number integer generated always as identity primary key, ${AUDIT_COLUMNS})`.execute(trx);
  await sql`create function audit_event_refuse() returns trigger language plpgsql as $$
    begin raise exception 'audit_event is append-only'; end $$`.execute(trx);
  await sql`create trigger audit_event_append_only before update or delete or truncate on audit_event
    for each statement execute function audit_event_refuse()`.execute(trx);
}

const signIn: Migration = {
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

const evaluationJobs: Migration = {
  number: 2,
  name: "evaluation-jobs",
  async up(trx) {
    await trx.schema
      .createTable("evaluation_job")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("identifier", "text", (column) => column.notNull())
      .addColumn("rubric_version", "text", (column) => column.notNull())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("faults", "integer", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("started_at", "text")
      .addColumn("finished_at", "text")
      .addColumn("due_at", "text")
      .addColumn("result", "text")
      .addColumn("error", "text")
      .execute();
    const index = (name: string) => trx.schema.createIndex(name).on("evaluation_job");
    await index("evaluation_job_due").columns(["status", "due_at"]).execute();
    await index("evaluation_job_subject").columns(["subject", "created_at"]).execute();
    await index("evaluation_job_finished_at").column("finished_at").execute();
  },
};

const apiKeys: Migration = {
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

export const MIGRATIONS: readonly Migration[] = [
  apiKeys,
  evaluationJobs,
  signIn,
  account,
  submissionHarvest,
  jobTurns,
  disputes,
  correctedDisputes,
  noDisputes,
  changeMails,
  jobFailures,
  confirmedKeys,
  problemReports,
  decisionMails,
  savedSearches,
  claimEvidence,
  rejectedSubmissions,
];

export interface Migration {
  /** The number of the migration: 1, 2, 3 and so on, without gaps. It never changes after a release. */
  readonly number: number;
  readonly name: string;
  readonly up: (trx: Transaction<AccountTables>, kind: "sqlite" | "postgres") => Promise<void>;
}
