/** POST /auth/magic/request and /auth/magic/consume. */

import { secretToken } from "../../../schemas/public/account/session.ts";
import {
  type LinkRequested,
  linkConsumption,
  linkRequest,
  type SignedIn,
} from "../../../schemas/public/account/sign-in.ts";
import type { Handler } from "../../frame/handler.ts";
import { madeAnswer } from "../../frame/json-answer.ts";
import { readBody } from "../../frame/read-body.ts";
import { LINK_SECONDS, linkUsed } from "./magic-links.ts";
import { admit } from "./session-answers.ts";

export const answerLinkRequest: Handler = async ({ body, caller }, { signIn }) => {
  await signIn.links.request(readBody(linkRequest, body), caller.address);
  return madeAnswer(201, { requested: true, expiresIn: LINK_SECONDS } satisfies LinkRequested);
};

export const answerConsumption: Handler = async (request, { signIn }, reply) => {
  const link = secretToken.safeParse(readBody(linkConsumption, request.body).token);
  // A text that cannot be a token is a link as unknown as any other.
  if (!link.success) throw linkUsed();
  const { user, returnTo, token } = await signIn.links.consume(link.data, request.headers["user-agent"] ?? null);
  await admit({ signIn, request, reply }, token);
  return madeAnswer(201, { user, returnTo } satisfies SignedIn);
};
