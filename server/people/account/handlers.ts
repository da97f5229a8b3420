/** The handlers of the addresses under /account: each is asked by one account, and reads and writes rows of that one alone. */

import type { ACCOUNT_ROUTES } from "../../../api-static/routes/account-routes.ts";
import { CACHE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { type Answer, contentHeaders } from "../../frame/answering/answer.ts";
import { madeAnswer } from "../../frame/answering/json-answer.ts";
import { deletedAnswer, shownAnswer } from "../../frame/answering/private-answers.ts";
import type { Handlers } from "../../frame/handler.ts";
import { addClaim, deleteClaim, listClaims } from "./claims.ts";
import type { AccountContext } from "./context.ts";
import { addDispute, deleteDispute, findDispute, listDisputes } from "./disputes.ts";
import { eraseAccount } from "./erase.ts";
import { exportOf } from "./export.ts";
import { accountPage } from "./me.ts";
import { deleteMeasurement, findMeasurement, listMeasurements, measure } from "./measurements.ts";
import { deleteSavedAuthor, listSavedAuthors, saveAuthor } from "./saved-authors.ts";
import { deleteSavedRecord, listSavedRecords, saveRecord } from "./saved-records.ts";
import { addSubmission, deleteSubmission, findSubmission, listSubmissions } from "./submissions.ts";
import { addVisibilityRequest, deleteVisibilityRequest, listVisibilityRequests } from "./visibility.ts";

export function accountHandlers(context: AccountContext): Handlers<keyof typeof ACCOUNT_ROUTES> {
  const shown = async (value: Promise<object>) => shownAnswer(await value);
  const created = async (value: Promise<object>) => madeAnswer(201, await value);
  const removed = async (work: Promise<void>) => {
    await work;
    return deletedAnswer();
  };
  return {
    me: ({ signed: { accountId } }) => shown(accountPage(accountId, context)),
    "erase-account": async ({ signed: { accountId } }, reply) => {
      await eraseAccount(accountId, context);
      context.signIn.cookies.clear(reply, "share_session");
      return deletedAnswer();
    },
    "export-account": ({ signed: { accountId } }) => exportAnswer(accountId, context),

    "profile-claims": ({ signed: { accountId }, query }) => shown(listClaims(accountId, query, context)),
    "new-profile-claim": ({ signed: { accountId }, body }) => created(addClaim(accountId, body, context)),
    "withdraw-profile-claim": ({ signed: { accountId }, key }) => removed(deleteClaim(accountId, key, context)),

    "visibility-requests": ({ signed: { accountId }, query }) =>
      shown(listVisibilityRequests(accountId, query, context)),
    "new-visibility-request": ({ signed: { accountId }, body }) =>
      created(addVisibilityRequest(accountId, body, context)),
    "withdraw-visibility-request": ({ signed: { accountId }, key }) =>
      removed(deleteVisibilityRequest(accountId, key, context)),

    "saved-records": ({ signed: { accountId }, query }) => shown(listSavedRecords(accountId, query, context)),
    "save-record": ({ signed: { accountId }, body }) => created(saveRecord(accountId, body, context)),
    "unsave-record": ({ signed: { accountId }, key }) => removed(deleteSavedRecord(accountId, key, context)),

    "saved-authors": ({ signed: { accountId }, query }) => shown(listSavedAuthors(accountId, query, context)),
    "save-author": ({ signed: { accountId }, body }) => created(saveAuthor(accountId, body, context)),
    "unsave-author": ({ signed: { accountId }, key }) => removed(deleteSavedAuthor(accountId, key, context)),

    "dataset-submissions": ({ signed: { accountId }, query }) => shown(listSubmissions(accountId, query, context)),
    "new-dataset-submission": ({ signed: { accountId }, body }) => created(addSubmission(accountId, body, context)),
    "dataset-submission": ({ signed: { accountId }, key }) => shown(findSubmission(accountId, key, context)),
    "withdraw-dataset-submission": ({ signed: { accountId }, key }) =>
      removed(deleteSubmission(accountId, key, context)),

    measurements: ({ signed: { accountId }, query }) => shown(listMeasurements(accountId, query, context)),
    "new-measurement": ({ signed: { accountId }, body }) => created(measure(accountId, body, context)),
    measurement: ({ signed: { accountId }, key }) => shown(findMeasurement(accountId, key, context)),
    "delete-measurement": ({ signed: { accountId }, key }) => removed(deleteMeasurement(accountId, key, context)),

    disputes: ({ signed: { accountId }, query }) => shown(listDisputes(accountId, query, context)),
    "new-dispute": ({ signed: { accountId }, body }) => created(addDispute(accountId, body, context)),
    dispute: ({ signed: { accountId }, key }) => shown(findDispute(accountId, key, context)),
    "withdraw-dispute": ({ signed: { accountId }, key }) => removed(deleteDispute(accountId, key, context)),
  };
}

/** No entity tag: it would have to be made whole first. */
async function exportAnswer(accountId: string, context: AccountContext): Promise<Answer> {
  const headers = {
    ...contentHeaders(JSON_TYPE, CACHE.never),
    "content-disposition": `attachment; filename="share-account-${accountId}.json"`,
  };
  return { status: 200, headers, body: await exportOf(accountId, context) };
}
