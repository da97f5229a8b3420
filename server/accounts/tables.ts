/**
 * The tables of the account store after all migrations. Times are ISO 8601 text in UTC with milliseconds, because both
 * databases store text alike, people can read it, and it sorts in the order of time.
 */

import type { Generated } from "kysely";

export interface AccountTables {
  /** One row per migration that has run. */
  schema_migration: {
    number: number;
    name: string;
  };
  /** Random secrets of this store. */
  secret: {
    name: string;
    value: string;
  };
  api_key: {
    /** Id of the key: the first 12 hex digits of `digest`. */
    id: string;
    /** SHA-256 of the key in hex; the key itself is not stored. */
    digest: string;
    name: string;
    email: string;
    description: string | null;
    created_at: string;
    revoked_at: string | null;
    /** 1 if the owner of the email address was signed in at the registration, because anybody can register with any. */
    confirmed: Generated<number>;
  };
  api_key_usage: {
    key_id: string;
    /** The UTC day of the requests, as YYYY-MM-DD. */
    day: string;
    requests: number;
  };
  /** Recent attempts at actions whose number is limited for each client (attempts.ts). */
  attempt_window: {
    /** The kind of attempt, for example `registration` for an API key (`Attempt` in attempts.ts). */
    kind: string;
    subject: string;
    /** JSON array of the times of the attempts in the window, oldest first. */
    instants: string;
    /** The time from which the last attempt no longer counts, so that the row can be removed. */
    expires_at: string;
  };
  /** Evaluations in the background (server/evaluations). */
  evaluation_job: {
    id: string;
    /** The contract and the canonical identifier of the dataset, followed by `fresh` if the repository must be asked. */
    subject: string;
    /** A pseudonym of the first caller; '' for jobs older than this column. */
    caller: string;
    /** The source that is asked for the dataset, for example `datacite` for a DOI; '' for jobs older than this column. */
    source: string;
    /** The place of the job in the order of jobs. The first job of each caller comes before any second job. */
    turn: number;
    /** The identifier as the caller wrote it. */
    identifier: string;
    rubric_version: string;
    /** One of JOB_STATES in schemas/public/api/evaluation.ts. */
    status: string;
    /** Number of times that a server took the job. Only the server that took it last may write the result. */
    attempts: number;
    /** Number of attempts that failed temporarily, or whose server stopped responding. */
    faults: number;
    /** JSON array of the last failed attempts, oldest first: the time and the cause. */
    failures: string;
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
    /**
     * For a queued job, the time from which it may be taken. For a running job, the end of its lease. Null after its
     * end.
     */
    due_at: string | null;
    /** The evaluation as JSON, in the form of the API; null unless the job succeeded. */
    result: string | null;
    /** The problem of a failed job, as a problem document in JSON. */
    error: string | null;
  };
  account: {
    /** Id of the account: `u` and 24 random hex digits. */
    id: string;
    /** The name in ORCID; null if ORCID does not show one, or if the account has no iD. */
    name: string | null;
    /** The email address to which sign-in links go, in folded form (schemas/public/account/registration.ts). */
    email: string | null;
    /** The ORCID iD in four groups of four, such as `0000-0005-1200-0216`. */
    orcid: string | null;
    created_at: string;
  };
  session: {
    /** Id of the session: `s` and 24 random hex digits. It is not a secret. */
    id: string;
    /** SHA-256 of the token in hex; only the browser's cookie has the token. */
    digest: string;
    account_id: string;
    method: string;
    /** The User-Agent header of the browser, shortened. */
    agent: string | null;
    created_at: string;
    /** The time of the last use, exact to about an hour. */
    seen_at: string;
    expires_at: string;
  };
  magic_link: {
    /** SHA-256 of the token in hex; only the email has the token. */
    digest: string;
    /** The email address in folded form, as in the table `account`. */
    email: string;
    return_to: string;
    created_at: string;
    expires_at: string;
    used_at: string | null;
  };
  /** Sign-ins that are waiting for the identity provider's callback. */
  pending_sign_in: {
    /** SHA-256 of the secret in the browser's cookie and, if an ORCID iD is added to an existing account, the ID of that account. */
    digest: string;
    return_to: string;
    created_at: string;
    expires_at: string;
  };
  profile_claim: {
    /** Id of the claim: `c` and 24 random hex digits. */
    id: string;
    account_id: string;
    researcher_id: string;
    /** The slug at the time of the claim. */
    slug: string;
    /** The evidence as the user sent it, for the moderator. */
    evidence: string | null;
    /** One of CLAIM_STATES in schemas/public/account/claim.ts. */
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
  };
  /** Requests of researchers to be hidden or shown again. */
  visibility_request: {
    /** Id of the visibility request: `v` and 24 random hex digits. */
    id: string;
    account_id: string;
    researcher_id: string;
    slug: string;
    /** `opt_out` or `opt_in`. */
    request_type: string;
    reason: string | null;
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
  };
  /** Researchers who opted out. The row stays when the account is deleted, so that the researcher stays hidden. */
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
  saved_repository: {
    account_id: string;
    /** The label of the repository. */
    repository: string;
    saved_at: string;
  };
  saved_search: {
    account_id: string;
    /** The filters of `/records` as in a URL, for example `funder=Elsewhere+Science+Fund`, in the order of the API. */
    query: string;
    saved_at: string;
  };
  /** Accounts that get an email about changes after each release. */
  change_mail: {
    account_id: string;
    /**
     * Secret in the unsubscribe links of the emails: `n` and 48 random hex digits. Whoever has it can stop the emails,
     * but do nothing else.
     */
    id: string;
    since: string;
    /**
     * Digest of the release that the last email was about. Before the first email, it is the release that was active
     * when the emails were switched on; null if no release was active then.
     */
    release: string | null;
  };
  /** Datasets that users propose for the harvest. */
  dataset_submission: {
    /** Id of the submission: `d` and 24 random hex digits. */
    id: string;
    /** The account of the user; null if the account was deleted. */
    account_id: string | null;
    /** The identifier as sent, without spaces around it. */
    identifier: string;
    source: string;
    source_id: string;
    rubric_version: string;
    /** One of SUBMISSION_STATES in schemas/public/account/submission.ts. */
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
    /** When the harvest that decided the submission ended; null before. */
    harvested_at: string | null;
    /** One of HARVEST_OUTCOMES in server/accounts/submissions.ts; null before the harvest. */
    harvest_outcome: string | null;
    /** Number of harvests in which the source did not respond for this submission. */
    harvest_attempts: Generated<number>;
  };
  /** Problems with pages that people report. A closed report is deleted. */
  problem_report: {
    /** Id of the report: `p` and 24 random hex digits. */
    id: string;
    /** The account of the sender; null if the sender was not signed in. */
    account_id: string | null;
    /** The page as the sender typed it, usually a path of the site. */
    page: string;
    text: string;
    /** The email address in folded form, as in the table `account`. */
    reply_to: string | null;
    state: string;
    decision_reason: string | null;
    created_at: string;
    decided_at: string | null;
  };
  measurement: {
    /** Id of the saved evaluation: `m` and 24 random hex digits. */
    id: string;
    account_id: string;
    /** The identifier as sent, without spaces around it. */
    identifier: string;
    rubric_version: string;
    /** This column and the next three repeat parts of the evaluation, because lists do not read the evaluation itself. */
    record_id: string;
    repository: string | null;
    title: string | null;
    total: number | null;
    created_at: string;
    /** The evaluation as JSON, in the form of the API. */
    evaluation: string;
  };
  /** A single row with the number of the last event in `audit_event` that was checked for an email. */
  mailed_decision: {
    number: number;
  };
  /** The log of decisions, with the people who made them. The database rejects every change of a row. */
  audit_event: {
    number: Generated<number>;
    at: string;
    actor: string;
    action: string;
    subject_kind: string;
    subject_id: string;
    /** JSON: IDs and reasons, never names or addresses of the people concerned. */
    detail: string;
  };
}
