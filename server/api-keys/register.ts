/** POST /api-keys/register: a key for whoever asks, three an hour from one address. */

import { type RegistrationResult, registrationRequest } from "../../schemas/account/registration.ts";
import type { Problem } from "../../schemas/problem.ts";
import { attempt, forgetAttempts } from "../accounts/attempts.ts";
import type { Accounts } from "../accounts/index.ts";
import type { Answer } from "../answer.ts";
import { jsonAnswer } from "../json-answer.ts";
import type { Caller } from "../limits/caller.ts";
import type { Quota } from "../limits/quotas.ts";
import { ProblemError } from "../problem-error.ts";
import { addKey, keyOwner } from "./keys.ts";

const MESSAGE = "Keep this key: it is shown only now. Send it in the header X-API-Key.";

export interface RegistrationContext {
  readonly accounts: Accounts;
  /** Registrations of one address; DEFAULT_QUOTAS.registration unless configured. */
  readonly quota: Quota;
  readonly now: () => Date;
}

/**
 * 201 with the key, which is in the store by then. `body`: the parsed JSON of the request.
 * @throws ProblemError `invalid-body` naming every field at fault, or `too-many-registrations`
 */
export async function answerRegistration(
  body: unknown,
  { address }: Pick<Caller, "address">,
  { accounts, quota, now }: RegistrationContext,
): Promise<Answer> {
  const parsed = registrationRequest.safeParse(body);
  if (!parsed.success) throw malformed(parsed.error.issues);
  const at = now();
  const who = keyOwner(parsed.data);
  const subject = accounts.pseudonym(`registration ${address}`);
  const key = await accounts.db.transaction().execute(async (trx) => {
    const seconds = await attempt(trx, { kind: "registration", subject, quota, now: at });
    if (seconds !== null) throw tooMany(quota, seconds);
    return addKey(trx, who, at);
  });
  await forgetAttempts(accounts.db, at);
  return created({ key, name: who.name, email: who.email, createdAt: at.toISOString(), message: MESSAGE });
}

/** No cache may keep a key, and no entity tag stands for one. */
function created(result: RegistrationResult): Answer {
  const { headers, body } = jsonAnswer(result, "no-store");
  const { etag: _etag, ...kept } = headers;
  return { status: 201, headers: kept, body };
}

function tooMany({ requests, seconds }: Quota, retryAfter: number): ProblemError {
  return new ProblemError(
    "too-many-registrations",
    `An address may register ${requests} keys in ${seconds} seconds; try again in ${retryAfter} seconds.`,
    { headers: { "retry-after": String(retryAfter) } },
  );
}

function malformed(issues: readonly { readonly path: PropertyKey[]; readonly message: string }[]): ProblemError {
  const errors: NonNullable<Problem["errors"]> = [];
  for (const { path, message } of issues) {
    const name = path.map(String).join(".");
    // The first thing wrong with a field; the others often follow from it.
    if (!errors.some((error) => error.path === name)) errors.push({ path: name, message });
  }
  const named = errors.map(({ path, message }) => (path === "" ? `the body ${message}` : `${path} ${message}`));
  return new ProblemError("invalid-body", `The registration is malformed: ${named.join("; ")}.`, { errors });
}
