/** The handlers of the addresses of signing in and out. */

import type { SIGN_IN_ROUTES } from "../../../api-static/routes/sign-in-routes.ts";
import type { Handlers } from "../../frame/handler.ts";
import type { SignIn } from "./index.ts";
import { answerConsumption, answerLinkRequest } from "./link-answers.ts";
import { magicPageAnswer } from "./magic-page.ts";
import { answerCallback, answerStart } from "./orcid-answers.ts";
import { answerLogout, answerSessionEnd, answerSessions } from "./session-answers.ts";

/** `hasSite`: whether people are answered with pages. */
export function signInHandlers(signIn: SignIn, hasSite: boolean): Handlers<keyof typeof SIGN_IN_ROUTES> {
  const magicPage = magicPageAnswer(hasSite);
  return {
    "orcid-start": (asked, reply) => answerStart(asked, signIn, reply),
    "orcid-callback": ({ request }, reply) => answerCallback(request, signIn, reply),
    "magic-page": () => magicPage,
    "magic-request": ({ body, request }) => answerLinkRequest(body, request.caller, signIn),
    "magic-consume": (asked, reply) => answerConsumption(asked, signIn, reply),
    logout: ({ signed }, reply) => answerLogout(signed, signIn, reply),
    sessions: ({ signed, query }) => answerSessions(signed, query, signIn),
    session: ({ signed, key }, reply) => answerSessionEnd(signed, key, signIn, reply),
  };
}
