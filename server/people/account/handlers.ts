/** Who answers the addresses of api-static/routes/account-routes.ts, by the name of their route. */

import { CACHE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { accountListQuery } from "../../../schemas/public/account/list.ts";
import type { Answer } from "../../frame/answer.ts";
import { contentHeaders } from "../../frame/answer.ts";
import type { Handler, Replying } from "../../frame/handler.ts";
import { madeAnswer } from "../../frame/json-answer.ts";
import { deletedAnswer, shownAnswer } from "../../frame/private-answers.ts";
import { readQuery } from "../../frame/read-query.ts";
import type { ReadRequest } from "../../frame/read-request.ts";
import type { ServerContext } from "../../server-context.ts";
import { addClaim, deleteClaim, listClaims } from "./claims.ts";
import { eraseAccount } from "./erase.ts";
import { exportOf } from "./export.ts";
import { accountGone } from "./in-account.ts";
import { accountPage } from "./me.ts";
import { deleteMeasurement, findMeasurement, listMeasurements, measure } from "./measurements.ts";
import { deleteSavedAuthor, listSavedAuthors, saveAuthor } from "./saved-authors.ts";
import { deleteSavedRecord, listSavedRecords, saveRecord } from "./saved-records.ts";
import { addSubmission, deleteSubmission, findSubmission, listSubmissions } from "./submissions.ts";
import { addVisibilityRequest, deleteVisibilityRequest, listVisibilityRequests } from "./visibility.ts";

/** Each is asked on behalf of one account, and reads and writes rows of that one alone. */
type List = (accountId: string, asked: { page: number; limit: number }, context: ServerContext) => Promise<object>;
type Post = (accountId: string, body: unknown, context: ServerContext) => Promise<object>;
type One = (accountId: string, id: string, context: ServerContext) => Promise<object>;
type Delete = (accountId: string, id: string, context: ServerContext) => Promise<void>;

export const ACCOUNT: Readonly<Record<string, Handler>> = {
  me: async (request, context) => shownAnswer(await accountPage(accountOf(request), context)),
  "erase-account": answerErasure,
  "export-account": answerExport,
  "profile-claims": listed(listClaims),
  "new-profile-claim": posted(addClaim),
  "withdraw-profile-claim": removed("id", deleteClaim),
  "visibility-requests": listed(listVisibilityRequests),
  "new-visibility-request": posted(addVisibilityRequest),
  "withdraw-visibility-request": removed("id", deleteVisibilityRequest),
  "saved-records": listed(listSavedRecords),
  "save-record": posted(saveRecord),
  "unsave-record": removed("recordId", deleteSavedRecord),
  "saved-authors": listed(listSavedAuthors),
  "save-author": posted(saveAuthor),
  "unsave-author": removed("authorId", deleteSavedAuthor),
  "dataset-submissions": listed(listSubmissions),
  "new-dataset-submission": posted(addSubmission),
  "dataset-submission": found(findSubmission),
  "withdraw-dataset-submission": removed("id", deleteSubmission),
  measurements: listed(listMeasurements),
  "new-measurement": posted(measure),
  measurement: found(findMeasurement),
  "delete-measurement": removed("id", deleteMeasurement),
};

function listed(list: List): Handler {
  return async (request, context) =>
    shownAnswer(await list(accountOf(request), readQuery(accountListQuery, request.query), context));
}

function posted(add: Post): Handler {
  return async (request, context) => madeAnswer(201, await add(accountOf(request), request.body, context));
}

function found(find: One): Handler {
  return async (request, context) => shownAnswer(await find(accountOf(request), request.parameters.id ?? "", context));
}

function removed(key: string, remove: Delete): Handler {
  return async (request, context) => {
    await remove(accountOf(request), request.parameters[key] ?? "", context);
    return deletedAnswer();
  };
}

/** Routes of these handlers have `session`: somebody is signed in. */
function accountOf({ signed }: ReadRequest): string {
  if (signed === null) throw accountGone();
  return signed.accountId;
}

async function answerErasure(request: ReadRequest, context: ServerContext, reply: Replying): Promise<Answer> {
  await eraseAccount(accountOf(request), context.accounts);
  context.signIn.cookies.clear(reply, "share_session");
  return deletedAnswer();
}

/** No entity tag: it would have to be made whole first. */
async function answerExport(request: ReadRequest, context: ServerContext): Promise<Answer> {
  const accountId = accountOf(request);
  const headers = {
    ...contentHeaders(JSON_TYPE, CACHE.never),
    "content-disposition": `attachment; filename="share-account-${accountId}.json"`,
  };
  return { status: 200, headers, body: await exportOf(accountId, context) };
}
