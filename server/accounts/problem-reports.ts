/**
 * Problem reports: stores them for the moderators, and sends each to the operator. A closed report is deleted, so that only
 * its ID stays in the log of decisions.
 */

import type { Kysely, Selectable, Transaction } from "kysely";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { ProblemReport, ProblemReportRequest } from "../../schemas/public/account/problem-report.ts";
import { foldedEmail } from "../../schemas/public/account/registration.ts";
import { isContact } from "../../schemas/public/text.ts";
import { html } from "../../web/html.ts";
import { toOrganisationNetwork } from "../http/limits.ts";
import type { Site } from "../http/own-site.ts";
import type { Quotas } from "../http/quotas.ts";
import { ProblemError } from "../http/response.ts";
import { countAttempt, removeExpiredAttempts } from "./attempts.ts";
import type { Accounts } from "./database.ts";
import type { Message, Outbox } from "./mail.ts";
import type { Moderated } from "./moderated.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type ReportRow = Selectable<AccountTables["problem_report"]>;

export const PROBLEM_REPORTS: Moderated<ReportRow> = {
  kind: "report",
  plural: "reports",
  letter: "p",
  table: "problem_report",
  states: { pending: "pending", approved: "closed", rejected: "closed" },
  verdicts: ["close"],
  describe: ({ page, text, reply_to: replyTo }) => ({ asks: "report", reason: text, page, replyTo }),
  decide: async (trx, { id }) => {
    await trx.deleteFrom("problem_report").where("id", "=", id).execute();
    return {};
  },
};

/** Days after which a report is deleted, also if nobody has closed it. The privacy view promises the same number. */
const MAX_DAYS = 365;

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export interface ReportServices {
  readonly accounts: Accounts;
  readonly outbox: Pick<Outbox, "hasRoom" | "post">;
  readonly site: Site;
  /** The operator's email address or https URL; null if unset. Without an email address, no email is sent. */
  readonly contact: string | null;
  readonly quotas: Pick<Quotas, "report" | "reports">;
  readonly now: Effects["now"];
}

interface Sender {
  /** The account of the sender; null if the sender is not signed in. */
  readonly accountId: string | null;
  readonly address: string;
}

/**
 * Stores a report about a page, and sends it to the operator.
 * @throws ProblemError `rate-limited` if the sender's network, or all senders together, have sent too many reports
 */
export async function addReport(
  { page, text, email }: ProblemReportRequest,
  { accountId, address }: Sender,
  services: ReportServices,
): Promise<void> {
  const { accounts, now } = services;
  const at = now();
  const report = {
    id: newId("p"),
    account_id: accountId,
    page,
    text,
    reply_to: email === undefined ? null : foldedEmail(email),
    state: "pending",
    decision_reason: null,
    created_at: at.toISOString(),
    decided_at: null,
  };
  await accounts.db.transaction().execute(async (trx) => {
    await countReport(trx, accounts.pseudonym(`report ${toOrganisationNetwork(address)}`), at, services);
    await trx.insertInto("problem_report").values(report).execute();
  });
  await removeExpiredAttempts(accounts.db, at);
  sendToOperator(report, at, services);
}

async function countReport(
  trx: Transaction<AccountTables>,
  subject: string,
  now: Date,
  { quotas: { report, reports } }: Pick<ReportServices, "quotas">,
): Promise<void> {
  const seconds =
    (await countAttempt(trx, { kind: "report", subject, quota: report, now })) ??
    (await countAttempt(trx, { kind: "report", subject: "all", quota: reports, now }));
  if (seconds === null) return;
  throw new ProblemError("rate-limited", "Too many reports were sent. Try again later, or write to the operator.", {
    headers: { "retry-after": String(seconds) },
  });
}

export async function removeOldReports(db: Kysely<AccountTables>, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - MAX_DAYS * DAY_MILLISECONDS).toISOString();
  await db.deleteFrom("problem_report").where("created_at", "<", oldest).execute();
}

/** Emails a report to the operator, if possible. Otherwise it is only in the moderators' list. */
function sendToOperator(report: ReportRow, at: Date, { contact, outbox, site }: ReportServices): void {
  if (contact === null || !isContact(contact) || !outbox.hasRoom(contact)) return;
  outbox.post(reportMessage(report, contact, site, at));
}

function reportMessage({ id, page, text, reply_to: replyTo }: ReportRow, to: string, site: Site, at: Date): Message {
  const answer = replyTo === null ? "The sender gave no email address." : `Answer to: ${replyTo}`;
  const close = `Close it with: share-release account decide ${id} close`;
  return {
    to,
    subject: `Problem report ${id}`,
    text: `A problem with ${page} at ${site.origin}\n\n${text}\n\n${answer}\n${close}\n`,
    html: `${
      html`<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Problem report</title></head>
<body><p>A problem with <bdi>${page}</bdi> at ${site.origin}</p><p style="white-space:pre-wrap" dir="auto">${text}</p><p>${answer}</p><p>${close}</p></body>
</html>`.text
    }\n`,
    at,
    ...(replyTo === null ? {} : { headers: { "Reply-To": replyTo } }),
  };
}

/**
 * Returns the reports that an account has sent, and those with its email address, oldest first. A stranger may have
 * typed the address, so the text of such a report is null.
 */
export async function listReports(
  db: Kysely<AccountTables>,
  accountId: string,
  email: string | null,
): Promise<ProblemReport[]> {
  const rows = await db
    .selectFrom("problem_report")
    .selectAll()
    .where(({ eb, or }) =>
      or([eb("account_id", "=", accountId), ...(email === null ? [] : [eb("reply_to", "=", email)])]),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    page: row.page,
    text: row.account_id === accountId ? row.text : null,
    email: row.reply_to,
    createdAt: row.created_at,
  }));
}
