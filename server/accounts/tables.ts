/**
 * The tables of the account store, as every migration so far leaves them. Instants are ISO 8601 text in UTC, to the
 * millisecond: one type on every database, in order when compared as text, and readable by whoever has to look.
 */

import type { Generated } from "kysely";

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
    /** The kind of attempt: `registration`, or a request for a sign-in link by email (attempts.ts). */
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
    /** A pseudonym of who asked first; '' of jobs that are older than this column. */
    caller: string;
    /** The source to be asked, as far as the identifier tells; '' of older jobs. */
    source: string;
    /** Whose turn it is: the jobs of a caller count up, and those of all others beside them. */
    turn: number;
    /** As it was asked for. */
    identifier: string;
    rubric_version: string;
    /** JOB_STATES of schemas/public/api/evaluation.ts. */
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
  /** A person. */
  account: {
    /** `u` and 24 hex digits, at random. */
    id: string;
    /** As ORCID has it. */
    name: string | null;
    /** Folded (schemas/public/account/registration.ts): the address that links were sent to. */
    email: string | null;
    /** The iD, in four groups of four. */
    orcid: string | null;
    created_at: string;
  };
  /** Who is signed in where. */
  session: {
    /** `s` and 24 hex digits, at random: a name for it, not a secret. */
    id: string;
    /** sha256 of the token in hex; the token itself is in the browser's cookie alone. */
    digest: string;
    account_id: string;
    /** SIGN_IN_METHODS of schemas/public/account/sign-in.ts. */
    method: string;
    /** What the browser called itself, shortened. */
    agent: string | null;
    created_at: string;
    /** To the hour or so. */
    seen_at: string;
    expires_at: string;
  };
  /** Links that were sent by mail and have not expired. */
  magic_link: {
    /** sha256 of the token in hex; the token itself is in the mail alone. */
    digest: string;
    /** Folded, as in `account`. */
    email: string;
    return_to: string;
    created_at: string;
    expires_at: string;
    used_at: string | null;
  };
  /** Who has gone to the identity provider and is expected back. */
  pending_sign_in: {
    /** sha256 of the secret in the browser's cookie, and of the account that an iD is to be added to (orcid-sign-in.ts). */
    digest: string;
    return_to: string;
    created_at: string;
    expires_at: string;
  };
  /** Who says to be which researcher. */
  profile_claim: {
    /** `c` and 24 hex digits, at random. */
    id: string;
    account_id: string;
    researcher_id: string;
    /** As it was when claimed: it may have changed with the name since. */
    slug: string;
    /** CLAIM_STATES of schemas/public/account/claim.ts. */
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
  };
  /** What a researcher asked for: to be hidden, or shown again. */
  visibility_request: {
    /** `v` and 24 hex digits, at random. */
    id: string;
    account_id: string;
    researcher_id: string;
    slug: string;
    /** `opt_out` or `opt_in`. */
    request_type: string;
    /** Of who asked. */
    reason: string | null;
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
  };
  /** Who has opted out. It stays when the account goes: nobody should reappear by leaving. */
  hidden_researcher: {
    researcher_id: string;
    slug: string;
    since: string;
  };
  saved_record: {
    account_id: string;
    record_id: string;
    note: string | null;
    saved_at: string;
    updated_at: string;
  };
  saved_author: {
    account_id: string;
    researcher_id: string;
    slug: string;
    note: string | null;
    saved_at: string;
    updated_at: string;
  };
  /** Datasets that people ask to have harvested. */
  dataset_submission: {
    /** `d` and 24 hex digits, at random. */
    id: string;
    /** Null once the account is gone. */
    account_id: string | null;
    /** As it was sent, white space around it aside. */
    identifier: string;
    source: string;
    source_id: string;
    rubric_version: string;
    /** SUBMISSION_STATES of schemas/public/account/submission.ts. */
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
    /** When the harvest was done with it; null before. */
    harvested_at: string | null;
    /** HARVEST_OUTCOMES of server/accounts/submissions.ts; null before. */
    harvest_outcome: string | null;
    /** Harvests in which its source did not answer for it. */
    harvest_attempts: Generated<number>;
  };
  /** Evaluations that are kept under an account. */
  measurement: {
    /** `m` and 24 hex digits, at random. */
    id: string;
    account_id: string;
    /** As it was asked for, white space around it aside. */
    identifier: string;
    rubric_version: string;
    /** What a list shows of the evaluation, so that no list has to read it. */
    record_id: string;
    repository: string | null;
    title: string | null;
    total: number | null;
    created_at: string;
    /** JSON, as the API shows it. */
    evaluation: string;
  };
  /** What was decided, by whom: rows are added and never change, which the database itself sees to. */
  audit_event: {
    number: Generated<number>;
    at: string;
    actor: string;
    action: string;
    subject_kind: string;
    subject_id: string;
    /** JSON: ids and reasons, never names or addresses of those it is about. */
    detail: string;
  };
}
