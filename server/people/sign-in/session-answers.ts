/** Sessions as addresses: letting a browser in, listing where one is signed in, and signing out. */

import { sessionKey } from "../../../api-static/routes/sign-in-routes.ts";
import type { AccountListQuery } from "../../../schemas/public/account/list.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { madeAnswer } from "../../frame/answering/json-answer.ts";
import { deletedAnswer, offsetOf, pageOf, shownAnswer } from "../../frame/answering/private-answers.ts";
import type { Replying } from "../../frame/handler.ts";
import { unknownKey } from "../../frame/read-asked.ts";
import type { ReadRequest, Signed } from "../../frame/reading/read-request.ts";
import type { SignIn } from "./index.ts";

interface Admission {
  readonly signIn: SignIn;
  readonly request: ReadRequest;
  readonly reply: Replying;
}

/** Gives the browser its new token. The session it came with is over: nobody can have planted it for later. */
export async function admit({ signIn, request: { signed }, reply }: Admission, token: string): Promise<void> {
  signIn.cookies.set(reply, "share_session", token);
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
}

export async function answerLogout(signed: Signed | null, signIn: SignIn, reply: Replying): Promise<Answer> {
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
  signIn.cookies.clear(reply, "share_session");
  return madeAnswer(201, { loggedOut: true });
}

export async function answerSessions(
  { accountId, sessionId }: Signed,
  asked: AccountListQuery,
  { sessions }: SignIn,
): Promise<Answer> {
  const rows = await sessions.list(accountId, sessionId);
  const first = offsetOf(asked);
  return shownAnswer(pageOf(rows.slice(first, first + asked.limit), rows.length, asked));
}

export async function answerSessionEnd(
  { accountId, sessionId }: Signed,
  id: string,
  signIn: SignIn,
  reply: Replying,
): Promise<Answer> {
  if (!(await signIn.sessions.end(accountId, id))) throw unknownKey(sessionKey);
  if (id === sessionId) signIn.cookies.clear(reply, "share_session");
  return deletedAnswer();
}
