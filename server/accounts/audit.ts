/** The log of moderators' decisions. The database rejects every change and removal of a row. */

import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import type { AccountTables } from "./tables.ts";

/** The details of a decision: IDs and reasons, but never names or addresses of the people concerned. */
export type AuditDetail = Readonly<Record<string, string | null>>;

export interface AuditEvent {
  readonly number: number;
  readonly at: string;
  /** The moderator who decided, or `orcid` if a claim was approved automatically because the ORCID iDs are the same. */
  readonly actor: string;
  readonly action: string;
  /** The kind of the request; `researcher` if a moderator shows a hidden researcher again without a request. */
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly detail: AuditDetail;
}

export const ORCID_MODERATOR = "orcid";

const PART = 500;

const storedDetail = z.record(z.string(), z.string().nullable());

export async function addEvent(trx: Transaction<AccountTables>, event: Omit<AuditEvent, "number">): Promise<void> {
  const { at, actor, action, subjectKind, subjectId, detail } = event;
  await trx
    .insertInto("audit_event")
    .values({
      at,
      actor,
      action,
      subject_kind: subjectKind,
      subject_id: subjectId,
      detail: JSON.stringify(detail),
    })
    .execute();
}

export async function* auditEvents(db: Kysely<AccountTables>): AsyncGenerator<AuditEvent, void, undefined> {
  let after = 0;
  for (;;) {
    const rows = await db
      .selectFrom("audit_event")
      .selectAll()
      .where("number", ">", after)
      .orderBy("number")
      .limit(PART)
      .execute();
    yield* rows.map(readEvent);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

/** Returns the logged events of one request, such as a claim, oldest first. */
export async function readAuditEvents(db: Kysely<AccountTables>, subjectId: string): Promise<AuditEvent[]> {
  const rows = await db
    .selectFrom("audit_event")
    .selectAll()
    .where("subject_id", "=", subjectId)
    .orderBy("number")
    .execute();
  return rows.map(readEvent);
}

function readEvent(row: Selectable<AccountTables["audit_event"]>): AuditEvent {
  return {
    number: row.number,
    at: row.at,
    actor: row.actor,
    action: row.action,
    subjectKind: row.subject_kind,
    subjectId: row.subject_id,
    detail: storedDetail.parse(JSON.parse(row.detail)),
  };
}
