/** GET /records/{id}/disputes: how disputes of a record were answered; what was written by people stays theirs. */

import { CACHE } from "../../../api-static/routes/route.ts";
import type { AnsweredDispute, RecordDisputes } from "../../../schemas/public/api/record-disputes.ts";
import { ANSWERED_STATES, answeredState } from "../../../schemas/public/dispute.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";
import { offsetOf, pageOf } from "../../frame/answering/private-answers.ts";
import type { Asked, Handlers } from "../../frame/handler.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";
import { keptDispute } from "../account/disputes.ts";
import { listedRecord } from "../account/listed-record.ts";
import { sameRecord } from "../account/same-record.ts";
import type { Accounts } from "../accounts/index.ts";

interface Context {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
}

export function recordDisputesHandlers(context: Context): Handlers<"record-disputes"> {
  return { "record-disputes": (asked) => answerRecordDisputes(asked, context) };
}

/** By whichever of its ids: what was disputed under one is answered under all. */
async function answerRecordDisputes({ key, query }: Asked<"record-disputes">, context: Context): Promise<Answer> {
  const { db } = context.accounts;
  const recordId = await listedRecord(key, context.active);
  const answered = db
    .selectFrom("dispute")
    .where("record_id", "in", await sameRecord(recordId, context.active))
    .where("state", "in", ANSWERED_STATES);
  const { total } = await answered.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await answered
    .selectAll()
    .orderBy("answered_at", "desc")
    .orderBy("id", "desc")
    .limit(query.limit)
    .offset(offsetOf(query))
    .execute();
  const data = rows.map((row) => told(keptDispute(row)));
  const { pagination } = pageOf(data, total, query);
  return jsonAnswer({ recordId, data, pagination } satisfies RecordDisputes, CACHE.person);
}

/** Member by member: what is not named here is told to nobody. */
function told(dispute: ReturnType<typeof keptDispute>): AnsweredDispute {
  const { contract, signal, publishedState, release, says, mendedIn, answer, answeredAt, correctedAt } = dispute;
  return {
    contract,
    signal,
    publishedState,
    release,
    says,
    state: answeredState.parse(dispute.state),
    answer: answer ?? "",
    answeredAt: answeredAt ?? dispute.createdAt,
    correctedAt,
    mendedIn,
  };
}
