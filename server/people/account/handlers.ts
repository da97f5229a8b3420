/** The handlers of the addresses under /account: each is asked by one account, and reads and writes rows of that one alone. */

import type { ACCOUNT_ROUTES } from "../../../api-static/routes/account-routes.ts";
import { CACHE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { type Answer, contentHeaders } from "../../frame/answering/answer.ts";
import { deletedAnswer, shown } from "../../frame/answering/private-answers.ts";
import type { Handlers } from "../../frame/handler.ts";
import { claimHandlers } from "./claims.ts";
import type { AccountContext } from "./context.ts";
import { eraseAccount } from "./erase.ts";
import { exportOf } from "./export.ts";
import { accountPage } from "./me.ts";
import { measurementHandlers } from "./measurements.ts";
import { savedAuthorHandlers } from "./saved-authors.ts";
import { savedRecordHandlers } from "./saved-records.ts";
import { submissionHandlers } from "./submissions.ts";
import { visibilityHandlers } from "./visibility.ts";

export function accountHandlers(context: AccountContext): Handlers<keyof typeof ACCOUNT_ROUTES> {
  return {
    me: ({ signed: { accountId } }) => shown(accountPage(accountId, context)),
    "erase-account": async ({ signed: { accountId } }, reply) => {
      await eraseAccount(accountId, context);
      context.signIn.cookies.clear(reply, "share_session");
      return deletedAnswer();
    },
    "export-account": ({ signed: { accountId } }) => exportAnswer(accountId, context),
    ...claimHandlers(context),
    ...visibilityHandlers(context),
    ...savedRecordHandlers(context),
    ...savedAuthorHandlers(context),
    ...submissionHandlers(context),
    ...measurementHandlers(context),
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
