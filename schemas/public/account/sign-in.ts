/** Signing in and out: what is sent, and what comes back (interface.md, "Authentication"; decisions.md, "Accounts"). */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { user } from "./me.ts";
import { email, foldedEmail } from "./registration.ts";
import { EXAMPLE_MOMENTS, exampleOfShape, shape } from "./shape.ts";

/** interface.md, "Limits". */
export const LONGEST_RETURN_PATH = 300;

/** Where one goes who named no place. */
const DEFAULT_RETURN_PATH = "/";

/** Any host: a path leads to the one it is asked of. */
const ANYWHERE = "https://site.invalid";

/** What RFC 3986 lets stand in a path, a query and a fragment; no white space, no backslash, nothing beyond ASCII. */
const CHARACTERS = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$/;

/** What must not come out of any number of decodings. */
const CONTROL = /[\p{Cc}\\]/u;

const SLASH_LIKE = /[\u2044\u2215\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/u;

const ASCII_TRIPLET = /%([0-7][0-9A-Fa-f])/g;

/** Two slashes begin a host; dots step out of a folder. */
const STEPS = /\/\/|\/\.{1,2}(?:\/|$)/;

/** More decodings than any chain of programs makes; what is still encoded then is refused. */
const MOST_DECODINGS = 5;

/** Begun from there, signing in would go round in circles, or add an iD that nobody asked for. */
const SIGN_IN = /^\/auth(?:[/?#]|$)/i;

export const returnPath = z
  .string("must be text")
  .max(LONGEST_RETURN_PATH, `must have at most ${LONGEST_RETURN_PATH} characters`)
  .refine(isReturnPath, "must be a path of this site, such as /account")
  .meta({
    minLength: 1,
    maxLength: LONGEST_RETURN_PATH,
    pattern: CHARACTERS.source,
    examples: ["/account"],
    description:
      "A path of this site: no host, no `//`, no dot segments, nothing under `/auth`, however it is encoded.",
  });

function isReturnPath(text: string): boolean {
  return CHARACTERS.test(text) && staysAsItIs(text) && isPlainHoweverDecoded(text);
}

/** The parser of browsers (WHATWG URL) finds nothing to interpret: no host, no dot segments, nothing to strip or turn. */
function staysAsItIs(text: string): boolean {
  if (!URL.canParse(text, ANYWHERE)) return false;
  const url = new URL(text, ANYWHERE);
  return url.origin === ANYWHERE && url.pathname + url.search + url.hash === text;
}

function isPlainHoweverDecoded(text: string): boolean {
  if (!isWellEncoded(text)) return false;
  let decoded = text;
  for (let times = 0; times <= MOST_DECODINGS; times += 1) {
    const path = decoded.split(/[?#]/)[0] ?? "";
    if (CONTROL.test(decoded) || STEPS.test(path) || SIGN_IN.test(path)) return false;
    const next = decoded.replace(ASCII_TRIPLET, (_triplet, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) return true;
    decoded = next;
  }
  return false;
}

/** UTF-8, and nothing beyond ASCII that looks like a slash. */
function isWellEncoded(text: string): boolean {
  try {
    return !SLASH_LIKE.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}

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

/** How somebody signed in. */
const SIGN_IN_METHODS = ["orcid", "mail"] as const;
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
