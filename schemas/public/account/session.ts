/** Sessions: the token a browser holds, and what the list of one's sessions shows. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";

/** How somebody signed in. */
export const SIGN_IN_METHODS = ["orcid", "mail"] as const;
export const signInMethod = z.enum(SIGN_IN_METHODS);
export type SignInMethod = z.infer<typeof signInMethod>;

/** 256 random bits in base64url: a session's cookie, the token of a link, the secret of a sign-in under way. */
export const secretToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be a token of 43 characters");

/** `s` and 24 hexadecimal digits: a name for a session, of no use for signing in. */
export const sessionId = z.string().regex(/^s[0-9a-f]{24}$/);

export const sessionRow = z
  .object({
    id: sessionId,
    method: signInMethod.describe("The way in which it began."),
    agent: z
      .string()
      .nullable()
      .describe("The name that the browser gave itself, shortened; null where it did not say."),
    createdAt: instant,
    seenAt: instant.describe("The hour in which it was last used."),
    expiresAt: instant.describe(
      "The moment at which it ends unless it is used before: 30 days after it was last used.",
    ),
    current: z.boolean().describe("True of the session that asks."),
  })
  .describe("A place where one is signed in.");
export const sessionList = accountListOf(sessionRow);
export type SessionRow = z.infer<typeof sessionRow>;
