/** Signing in and out: what is sent, and what comes back (interface.md, "Authentication"; decisions.md, "Accounts"). */

import { z } from "zod";
import { email, foldedEmail } from "./email.ts";
import { DEFAULT_RETURN_PATH, returnPath } from "./return-path.ts";
import { exampleOfShape, shape } from "./shape.ts";
import { user } from "./user.ts";

/** POST /auth/magic/request; unknown members are ignored. */
export const linkRequest = shape(
  "LinkRequest",
  z.object(
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
  ),
  () => ({ email: "mirela.vance@example.org", returnTo: "/account" }),
);
export type LinkRequest = z.infer<typeof linkRequest>;

/** Says nothing of the address: it is the same for every one. */
export const linkRequested = shape(
  "LinkRequested",
  z
    .object({
      requested: z.literal(true),
      expiresIn: z.int().min(1).describe("Seconds for which the link works."),
    })
    .describe("The answer says that a link is on its way, whether or not the address has been seen before."),
  () => ({ requested: true as const, expiresIn: 900 }),
);
export type LinkRequested = z.infer<typeof linkRequested>;

/** POST /auth/magic/consume. */
export const linkConsumption = shape(
  "LinkConsumption",
  z.object(
    { token: z.string("must be text").meta({ description: "The 43 characters that follow `#token=` in the link." }) },
    "must be a JSON object",
  ),
  () => ({ token: "Zk3vQ9x1T7b5Lr2Wm8Yc4Nd6Pf0Hj3Ks5Ua7Ge9Bi1Q" }),
);

export const signedIn = shape(
  "SignedIn",
  z
    .object({ user, returnTo: z.string().describe("The path of this site that was asked for when it began.") })
    .describe("The user who is signed in from now on. The session is in the cookie."),
  (parts) => ({ user: exampleOfShape(user, parts), returnTo: "/account" }),
);
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

export const signInStart = shape(
  "SignInStart",
  z
    .object({ authorizationUrl: z.url().describe("The address to send the browser to, within ten minutes.") })
    .describe("The address of the identity provider at which the sign-in goes on."),
  () => ({
    authorizationUrl:
      "https://orcid.org/oauth/authorize?client_id=APP-0123456789ABCDEF&response_type=code&scope=openid&redirect_uri=https%3A%2F%2Fshare.example%2Fauth%2Forcid%2Fcallback&state=8Zq1c0nVqGm6yqj3a0m3v1d6y4b7R2T9w5x8K1p2L3s&nonce=0Jm4t7W2e5r8Y1u4I7o0P3a6S9d2F5g8H1j4K7l0Z3x&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
  }),
);
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

export const signedOut = shape(
  "SignedOut",
  z.object({ loggedOut: z.literal(true) }).describe("Nobody is signed in here any more."),
  () => ({ loggedOut: true as const }),
);
