/** Who answers the addresses of api-static/routes/sign-in-routes.ts, by the name of their route. */

import type { Handler } from "../../frame/handler.ts";
import { answerConsumption, answerLinkRequest } from "./link-answers.ts";
import { answerMagicPage } from "./magic-page.ts";
import { answerCallback, answerStart } from "./orcid-answers.ts";
import { answerLogout, answerSessionEnd, answerSessions } from "./session-answers.ts";

export const SIGN_IN: Readonly<Record<string, Handler>> = {
  "orcid-start": answerStart,
  "orcid-callback": answerCallback,
  "magic-page": answerMagicPage,
  "magic-request": answerLinkRequest,
  "magic-consume": answerConsumption,
  logout: answerLogout,
  sessions: answerSessions,
  session: answerSessionEnd,
};
