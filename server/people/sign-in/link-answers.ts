/** POST /auth/magic/request and /auth/magic/consume. */

import { secretToken } from "../../../schemas/public/account/session.ts";
import type { LinkRequested, SignedIn } from "../../../schemas/public/account/sign-in.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { madeAnswer } from "../../frame/answering/json-answer.ts";
import type { Asked, BodyOf, Replying } from "../../frame/handler.ts";
import type { Caller } from "../../frame/reading/caller.ts";
import type { SignIn } from "./index.ts";
import { LINK_SECONDS, linkUsed } from "./magic-links.ts";
import { admit } from "./session-answers.ts";

export async function answerLinkRequest(
  body: BodyOf<"magic-request">,
  { address }: Caller,
  { links }: SignIn,
): Promise<Answer> {
  await links.request(body, address);
  return madeAnswer(201, { requested: true, expiresIn: LINK_SECONDS } satisfies LinkRequested);
}

export async function answerConsumption(
  { request, body }: Asked<"magic-consume">,
  signIn: SignIn,
  reply: Replying,
): Promise<Answer> {
  const link = secretToken.safeParse(body.token);
  // A text that cannot be a token is a link as unknown as any other.
  if (!link.success) throw linkUsed();
  const { user, returnTo, token } = await signIn.links.consume(link.data, request.headers["user-agent"] ?? null);
  await admit({ signIn, request, reply }, token);
  return madeAnswer(201, { user, returnTo } satisfies SignedIn);
}
