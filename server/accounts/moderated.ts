/** Requests that a moderator decides: how each kind is shown, and what follows from a decision. */

import type { Transaction } from "kysely";
import { CLAIM_STATES } from "../../schemas/public/account/claim.ts";
import type { AuditDetail } from "./audit.ts";
import type { AccountTables } from "./tables.ts";

/** The states that a query can ask for. A kind of request can have other names for them. */
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

/** The subject of a request. */
export interface AccountRequest {
  /** The wish: `claim`, `opt_out`, `opt_in`, `submission` or `report`. */
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
  /** The name of this kind in the log of decisions. */
  readonly kind: string;
  /** The name of this kind on the command line. */
  readonly plural: string;
  /** The first letter of the IDs of requests of this kind. */
  readonly letter: string;
  /** The table of this kind, which has the columns of `RequestRow`. */
  readonly table: keyof AccountTables;
  /** The decisions that a moderator can make; approval and rejection by default. Closing a request counts as approval. */
  readonly verdicts?: readonly Verdict[];
  /** The names that this kind of request uses for the states. */
  readonly states: Readonly<Record<ModerationState, string>>;
  /**
   * How an email about a decision begins, and the path of the account view that it links to. Without them, no email is sent.
   */
  readonly mail?: { readonly about: string; readonly path: string };
  describe(row: Row): Partial<AccountRequest> & Pick<AccountRequest, "asks">;
  /**
   * Does what follows from a decision, and returns the details for the log.
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
