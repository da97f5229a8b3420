/**
 * The tables of the account store, as every migration so far leaves them. Instants are ISO 8601 text in UTC, to the
 * millisecond: one type on every database, in order when compared as text, and readable by whoever has to look.
 */

export interface AccountTables {
  /** One row a migration that has run. */
  schema_migration: {
    number: number;
    name: string;
  };
  /** Random values that belong to this store alone. */
  secret: {
    name: string;
    value: string;
  };
  api_key: {
    /** The first 12 hex digits of `digest`. */
    id: string;
    /** sha256 of the key in hex; the key itself is kept nowhere. */
    digest: string;
    name: string;
    email: string;
    description: string | null;
    created_at: string;
    revoked_at: string | null;
  };
  api_key_usage: {
    key_id: string;
    /** UTC day, YYYY-MM-DD. */
    day: string;
    requests: number;
  };
  /** What somebody did lately, where there is a limit to how often (attempts.ts). */
  attempt_window: {
    /** What was done: `registration`. */
    kind: string;
    /** A pseudonym of who did it. */
    subject: string;
    /** JSON array of the instants still in the window, oldest first. */
    instants: string;
    /** When the last of them leaves the window: the row means nothing then. */
    expires_at: string;
  };
  /** Evaluations that are done in their own time (server/evaluations). */
  evaluation_job: {
    id: string;
    /** Canonical identifier and contract: what the job is of, however it was asked for. */
    subject: string;
    /** As it was asked for. */
    identifier: string;
    rubric_version: string;
    /** JOB_STATES of schemas/api/evaluation.ts. */
    status: string;
    /** How often it was taken; the latest taker alone may write what became of it. */
    attempts: number;
    /** How often it came to nothing: by a fault that passes, or since its taker fell silent. */
    faults: number;
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
    /** Queued: when it may be taken. Running: when its lease runs out. Null once it has ended. */
    due_at: string | null;
    /** JSON, as the API shows it. */
    result: string | null;
    /** JSON problem document. */
    error: string | null;
  };
}
