/** POST /api-keys/register: a key for whoever asks, three an hour from one address. */

import type { RegistrationRequest, RegistrationResult } from "../../../schemas/public/account/registration.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { madeAnswer } from "../../frame/answering/json-answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Handlers } from "../../frame/handler.ts";
import type { Caller } from "../../frame/reading/caller.ts";
import type { Quota } from "../../running/quotas.ts";
import { attempt, forgetAttempts } from "../accounts/attempts.ts";
import type { Accounts } from "../accounts/index.ts";
import { addKey, keyOwner } from "./keys.ts";

const MESSAGE = "Keep this key: it is shown only now. Send it in the header X-API-Key.";

export interface RegistrationContext {
  readonly accounts: Accounts;
  /** Registrations of one address; DEFAULT_QUOTAS.registration unless configured. */
  readonly quota: Quota;
  readonly now: () => Date;
}

/**
 * 201 with the key, which is in the store by then.
 * @throws ProblemError `too-many-registrations`
 */
async function answerRegistration(
  body: RegistrationRequest,
  { address }: Pick<Caller, "address">,
  { accounts, quota, now }: RegistrationContext,
): Promise<Answer> {
  const who = keyOwner(body);
  const at = now();
  const subject = accounts.pseudonym(`registration ${address}`);
  const key = await accounts.db.transaction().execute(async (trx) => {
    const seconds = await attempt(trx, { kind: "registration", subject, quota, now: at });
    if (seconds !== null) throw tooMany(quota, seconds);
    return addKey(trx, who, at);
  });
  await forgetAttempts(accounts.db, at);
  const { name, email } = who;
  return madeAnswer(201, {
    key,
    name,
    email,
    createdAt: at.toISOString(),
    message: MESSAGE,
  } satisfies RegistrationResult);
}

export function registrationHandlers(context: RegistrationContext): Handlers<"register"> {
  return { register: ({ request, body }) => answerRegistration(body, request.caller, context) };
}

function tooMany({ requests, seconds }: Quota, retryAfter: number): ProblemError {
  return new ProblemError(
    "too-many-registrations",
    `An address may register ${requests} keys in ${seconds} seconds; try again in ${retryAfter} seconds.`,
    { headers: { "retry-after": String(retryAfter) } },
  );
}
