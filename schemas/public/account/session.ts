/** Sessions: the token a browser holds, and what the list of one's sessions shows. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

/** How somebody signed in. */
export const SIGN_IN_METHODS = ["orcid", "mail"] as const;
export const signInMethod = z.enum(SIGN_IN_METHODS);
export type SignInMethod = z.infer<typeof signInMethod>;

/** 256 random bits in base64url: a session's cookie, the token of a link, the secret of a sign-in under way. */
export const secretToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be a token of 43 characters");

/** `s` and 24 hexadecimal digits: a name for a session, of no use for signing in. */
export const sessionId = z.string().regex(/^s[0-9a-f]{24}$/);

export const sessionRow = shape(
  "Session",
  z
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
    .describe("A place where one is signed in."),
  () => ({
    id: "s3f9d1c07a52e4b68901c7de2",
    method: "mail" as const,
    agent: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
    createdAt: EXAMPLE_MOMENTS.begun,
    seenAt: EXAMPLE_MOMENTS.begun,
    expiresAt: "2026-12-02T12:00:00.000Z",
    current: true,
  }),
);
export const sessionList = accountListOf("SessionList", sessionRow);
export type SessionRow = z.infer<typeof sessionRow>;
