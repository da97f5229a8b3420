/** Handlers of the pages on which people do something. */

import type { SITE_FORM_ROUTES } from "../../../api-static/routes/site-form-routes.ts";
import { eraseView } from "../../../web/views/me.ts";
import type { Handlers } from "../../frame/handler.ts";
import type { SiteContext } from "../making/context.ts";
import { pageHandler } from "../making/page-handler.ts";
import { change, erase, getKey, makeAccount, measure } from "./account.ts";
import { check, checkDraft, makeCheck, makeJob } from "./check.ts";
import { askLink, makeSignIn, signOut, useLink } from "./sign-in.ts";

export function doingHandlers(context: SiteContext): Handlers<keyof typeof SITE_FORM_ROUTES> {
  return {
    check: pageHandler("check", context, makeCheck),
    "new-check": pageHandler("new-check", context, (asked, api) => check(asked, api, context)),
    "check-draft": pageHandler("check-draft", context, (asked, api) => checkDraft(asked, api, context)),
    "check-job": pageHandler("check-job", context, makeJob),
    "sign-in": pageHandler("sign-in", context, (asked) => makeSignIn(asked, context)),
    "ask-link": pageHandler("ask-link", context, (asked, api) => askLink(asked, api, context)),
    "use-link": pageHandler("use-link", context, (asked, api) => useLink(asked, api, context)),
    "sign-out": pageHandler("sign-out", context, (_asked, api) => signOut(api)),
    account: pageHandler("account", context, (asked, api) => makeAccount(asked, api, context)),
    "change-account": pageHandler("change-account", context, (asked, api) => change(asked, api, context)),
    "keep-measurement": pageHandler("keep-measurement", context, (asked, api) => measure(asked, api, context)),
    "get-key": pageHandler("get-key", context, (asked, api) => getKey(asked, api, context)),
    "erase-page": pageHandler("erase-page", context, async () => eraseView(null)),
    "erase-now": pageHandler("erase-now", context, (_asked, api) => erase(api)),
  };
}
