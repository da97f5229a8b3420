/** Signing in and out: what is sent, and what comes back (interface.md, "Authentication"; decisions.md, "Accounts"). */

import { z } from "zod";
import { email, foldedEmail } from "./email.ts";
import { DEFAULT_RETURN_PATH, returnPath } from "./return-path.ts";
import { user } from "./user.ts";

/** POST /auth/magic/request; unknown members are ignored. */
export const linkRequest = z.object(
  {
    email: email.refine(
      (text) => email.safeParse(foldedEmail(text)).success,
      "must be an e-mail address in plain letters",
    ),
    returnTo: returnPath
      .default(DEFAULT_RETURN_PATH)
      .describe(
        "The path of this site to go to afterwards, without `//`, dot segments and `/auth`, however it is encoded.",
      ),
  },
  "must be a JSON object",
);
export type LinkRequest = z.infer<typeof linkRequest>;

/** Says nothing of the address: it is the same for every one. */
export const linkRequested = z
  .object({
    requested: z.literal(true),
    expiresIn: z.int().min(1).describe("Seconds for which the link works."),
  })
  .describe("The answer says that a link is on its way, whether or not the address has been seen before.");
export type LinkRequested = z.infer<typeof linkRequested>;

/** POST /auth/magic/consume. */
export const linkConsumption = z.object(
  { token: z.string("must be text").meta({ description: "The 43 characters that follow `#token=` in the link." }) },
  "must be a JSON object",
);

export const signedIn = z
  .object({ user, returnTo: z.string().describe("The path of this site that was asked for when it began.") })
  .describe("The user who is signed in from now on. The session is in the cookie.");
export type SignedIn = z.infer<typeof signedIn>;

/** GET /auth/orcid/start. */
export const startQuery = z.object({
  returnTo: returnPath
    .default(DEFAULT_RETURN_PATH)
    .meta({ description: "The path of this site to go to afterwards.", examples: ["/account"] }),
  add: z
    .enum(["true", "false"])
    .default("false")
    .meta({
      description:
        "True where the iD is to be added to the account that is signed in, which the page that asks must name.",
      examples: ["true"],
    }),
});

export const signInStart = z
  .object({ authorizationUrl: z.url().describe("The address to send the browser to, within ten minutes.") })
  .describe("The address of the identity provider at which the sign-in goes on.");
export type SignInStart = z.infer<typeof signInStart>;

/**
 * GET /auth/orcid/callback, as the provider sends the browser back (RFC 6749, 4.1.2; RFC 9207). It may say more than a
 * client knows, and that must be ignored.
 */
export const callbackQuery = z.looseObject({
  code: z
    .string()
    .max(2048)
    .optional()
    .meta({ description: "The provider's code; it works once.", examples: ["mh7yTb"] }),
  state: z
    .string()
    .max(200)
    .optional()
    .meta({
      description: "The text that tells this sign-in from others.",
      examples: ["8Zq1c0nVqGm6yqj3a0m3v1d6y4b7R2T9w5x8K1p2L3s"],
    }),
  iss: z
    .string()
    .max(300)
    .optional()
    .meta({ description: "The service that answers.", examples: ["https://orcid.org"] }),
  error: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "The reason that there is no code.", examples: ["access_denied"] }),
});

export const signedOut = z.object({ loggedOut: z.literal(true) }).describe("Nobody is signed in here any more.");
