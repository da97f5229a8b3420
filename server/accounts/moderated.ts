/** Requests that a moderator decides: how each kind is shown, and what follows from a decision. */

import type { Transaction } from "kysely";
import { CLAIM_STATES } from "../../schemas/public/account/claim.ts";
import type { AuditDetail } from "./audit.ts";
import type { AccountTables } from "./tables.ts";

/** The states of requests, such as `pending`. A kind of request can store them under other names, such as `queued`. */
export const MODERATION_STATES = CLAIM_STATES;
export type ModerationState = (typeof MODERATION_STATES)[number];

export type Verdict = "approve" | "reject" | "close";

export const USUAL_VERDICTS: readonly Verdict[] = ["approve", "reject"];

export interface Decision {
  readonly id: string;
  readonly verdict: Exclude<ModerationState, "pending">;
  readonly reason: string | null;
  readonly by: string;
  readonly now: Date;
}

/** The content of a request: the action, the researcher or dataset that it is about, and the reason. */
export interface AccountRequest {
  /** The action that the user asks for: `claim`, `opt_out`, `opt_in`, `submission` or `report`. */
  readonly asks: string;
  readonly researcher: { readonly id: string; readonly slug: string } | null;
  readonly dataset: { readonly identifier: string; readonly source: string; readonly sourceId: string } | null;
  readonly reason: string | null;
  /** The page of a problem report, and the address of its sender; absent for other requests. */
  readonly page?: string;
  readonly replyTo?: string | null;
}

/** The columns that every kind of request has. */
export interface RequestRow {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly decision_reason: string | null;
}

export interface Moderated<Row extends RequestRow> {
  /** The name of this kind of request in the log of decisions, such as `claim`. */
  readonly kind: string;
  /** The name of this kind of request on the command line, such as `claims`. */
  readonly plural: string;
  /** The first letter of the IDs of requests of this kind. */
  readonly letter: string;
  /** The table with the requests of this kind. It has the columns of `RequestRow`. */
  readonly table: keyof AccountTables;
  /** The decisions that a moderator can make; approval and rejection by default. Closing a request counts as approval. */
  readonly verdicts?: readonly Verdict[];
  /** The names that this kind of request uses for the states. */
  readonly states: Readonly<Record<ModerationState, string>>;
  /**
   * The beginning of an email about a decision, and the path of the account view to which the email links. If `mail` is
   * missing, no email is sent.
   */
  readonly mail?: { readonly about: string; readonly path: string };
  describe(row: Row): Partial<AccountRequest> & Pick<AccountRequest, "asks">;
  /**
   * Carries out a decision, for example hides the researcher, and returns the details for the log.
   * @throws ModerationError if the request cannot be approved
   */
  decide(trx: Transaction<AccountTables>, row: Row, decision: Decision): Promise<AuditDetail>;
}

export class ModerationError extends Error {
  readonly code = "ERR_MODERATION";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModerationError";
  }
}
