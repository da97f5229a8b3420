/**
 * Emails about the decisions of moderators: one for each decision, to the account that made the request. The decisions
 * are read from their log, because moderators decide in another process. Several servers of one store share the work.
 */

import type { Effects } from "../../pipeline/stage/effects.ts";
import { html } from "../../web/html.ts";
import type { Site } from "../http/own-site.ts";
import { ORCID_MODERATOR } from "./audit.ts";
import type { Accounts } from "./database.ts";
import { selectFrom } from "./items.ts";
import type { Message, Outbox } from "./mail.ts";
import { type Look, Mailer } from "./mailer.ts";
import type { Moderated, RequestRow } from "./moderated.ts";
import { MODERATED } from "./moderation.ts";

interface Sending {
  readonly accounts: Accounts;
  readonly site: Site;
  readonly outbox: Pick<Outbox, "hasRoom" | "post">;
}

type RequestKind = Moderated<RequestRow>;

export function decisionMailer(
  sending: Sending,
  effects: Pick<Effects, "now" | "sleep" | "log">,
  pollMilliseconds: number,
): Mailer {
  const look: Look = async (_errors, signal) => {
    while (await mailNext(sending, effects.now)) if (signal.aborted) return;
  };
  return new Mailer(look, "decision-mails-not-sent", effects, pollMilliseconds);
}

/**
 * Sends the email about the next decision. Marks the decision first, so that a crash loses one email and never sends
 * two. Returns false if there is no further decision, or if too many messages wait.
 */
async function mailNext({ accounts: { db }, outbox, site }: Sending, now: Effects["now"]): Promise<boolean> {
  const { number: last } = await db.selectFrom("mailed_decision").select("number").executeTakeFirstOrThrow();
  const event = await db
    .selectFrom("audit_event")
    .selectAll()
    .where("number", ">", last)
    .orderBy("number")
    .executeTakeFirst();
  if (event === undefined) return false;
  const kind = MODERATED.find(({ kind: name }) => name === event.subject_kind);
  // A claim that was approved by ORCID needs no email, because the user saw the approval at once.
  const decided =
    kind === undefined || event.actor === ORCID_MODERATOR ? null : await findDecided(db, kind, event.subject_id);
  if (decided !== null && !outbox.hasRoom(decided.email)) return false;
  const { numUpdatedRows } = await db
    .updateTable("mailed_decision")
    .set({ number: event.number })
    .where("number", "=", last)
    .executeTakeFirst();
  if (decided !== null && numUpdatedRows > 0n) outbox.post(decisionMessage(decided, site, now()));
  return true;
}

interface Decided {
  readonly email: string;
  readonly mail: NonNullable<RequestKind["mail"]>;
  readonly verdict: string;
  readonly reason: string | null;
}

/**
 * Returns the content of the email about a decided request; null if the request or its account is gone, the account has
 * no email address, or no emails are sent about this kind of request.
 */
async function findDecided(db: Accounts["db"], kind: RequestKind, id: string): Promise<Decided | null> {
  const { mail, states } = kind;
  const row = await selectFrom(db, kind.table)
    .innerJoin("account as a", (join) => join.onRef("a.id", "=", "item.account_id"))
    .select(["item.state as state", "item.decision_reason as reason", "a.email as email"])
    .where("item.id", "=", id)
    .executeTakeFirst();
  if (mail === undefined || row === undefined || row.email === null) return null;
  const verdict = row.state === states.approved ? "approved" : "not approved";
  return { email: row.email, mail, verdict, reason: row.reason };
}

/** Writes the email about a decision. It does not name the researcher, who may have opted out since. */
function decisionMessage({ email, mail, verdict, reason }: Decided, site: Site, at: Date): Message {
  const [sentence, place] = [`${mail.about} was ${verdict}.`, site.buildUrl(mail.path)];
  return {
    to: email,
    subject: sentence.slice(0, -1),
    text: `${sentence}\n\n${reason === null ? "" : `The moderator's reason: ${reason}\n\n`}Your account: ${place}\n`,
    html: `${
      html`<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>${sentence}</title></head>
<body><p>${sentence}</p>${reason === null ? null : html`<p>The moderator's reason: <bdi>${reason}</bdi></p>`}<p><a href="${place}">Your account</a></p></body>
</html>`.text
    }\n`,
    at,
  };
}
