/** Sessions as addresses: letting a browser in, listing where one is signed in, and signing out. */

import { accountListQuery } from "../../../schemas/public/account/list.ts";
import { sessionId } from "../../../schemas/public/account/session.ts";
import type { Handler, Replying } from "../../frame/handler.ts";
import { madeAnswer } from "../../frame/json-answer.ts";
import { deletedAnswer, offsetOf, pageOf, shownAnswer } from "../../frame/private-answers.ts";
import { ProblemError } from "../../frame/problem-error.ts";
import { readQuery } from "../../frame/read-query.ts";
import type { ReadRequest } from "../../frame/read-request.ts";
import type { ServerContext } from "../../server-context.ts";
import type { Signed } from "./sessions.ts";

interface Admission extends Pick<ServerContext, "signIn"> {
  readonly request: ReadRequest;
  readonly reply: Replying;
}

/** Gives the browser its new token. The session it came with is over: nobody can have planted it for later. */
export async function admit({ signIn, request: { signed }, reply }: Admission, token: string): Promise<void> {
  signIn.cookies.set(reply, "share_session", token);
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
}

export const answerLogout: Handler = async ({ signed }, { signIn }, reply) => {
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
  signIn.cookies.clear(reply, "share_session");
  return madeAnswer(201, { loggedOut: true });
};

export const answerSessions: Handler = async ({ signed, query }, { signIn }) => {
  const asked = readQuery(accountListQuery, query);
  const { accountId, sessionId: current } = requireSigned(signed);
  const rows = await signIn.sessions.list(accountId, current);
  const first = offsetOf(asked);
  return shownAnswer(pageOf(rows.slice(first, first + asked.limit), rows.length, asked));
};

export const answerSessionEnd: Handler = async ({ signed, parameters }, { signIn }, reply) => {
  const { accountId, sessionId: current } = requireSigned(signed);
  const id = sessionId.safeParse(parameters.id);
  if (!id.success || !(await signIn.sessions.end(accountId, id.data)))
    throw new ProblemError("session-not-found", "You have no session of this id.");
  if (id.data === current) signIn.cookies.clear(reply, "share_session");
  return deletedAnswer();
};

/** Who is signed in, on a route that lets nobody else through. */
export function requireSigned(signed: Signed | null): Signed {
  if (signed === null) throw new Error("a route with a session let a request through without one");
  return signed;
}
