/** Requests and responses of sign-in and sign-out (interface.md, "Authentication"; decisions.md, "Accounts"). */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { text } from "../text.ts";
import { defineAccountList } from "./list.ts";
import { user } from "./me.ts";
import { email, foldedEmail } from "./registration.ts";
import { EXAMPLE_MOMENTS, exampleOfShape, shape } from "./shape.ts";

/** Longest path to which a sign-in returns, in characters (interface.md, "Limits"). */
export const MAX_RETURN_PATH_LENGTH = 300;

const DEFAULT_RETURN_PATH = "/";

const HEX = "[0-9A-Fa-f]";
const CONTINUED = `%[89ABab]${HEX}`;

/**
 * Matches an encoded character (RFC 3986): visible ASCII without `\`, or well-formed UTF-8 (RFC 3629). `%25` must not be
 * followed by digits that would be an ASCII character after a second decoding.
 */
const ENCODED = [
  `%(?:2(?!5(?:[0-7]|%3[0-7])(?:${HEX}|%3[0-9]|%[46][1-6]))${HEX}|[346]${HEX}|7[0-9A-Ea-e]|5[0-9ABDEFabdef])`,
  `%(?:[Cc][2-9A-Fa-f]|[Dd]${HEX})${CONTINUED}`,
  `%[Ee](?:0%[ABab]${HEX}|[Dd]%[89]${HEX}|(?![0Dd])${HEX}${CONTINUED})${CONTINUED}`,
  `%[Ff](?:0%[9ABab]${HEX}|[1-3]${CONTINUED}|4%8${HEX})${CONTINUED}${CONTINUED}`,
].join("|");

const SLASH = "(?:/|%2[Ff])";
const DOT = "(?:\\.|%2[Ee])";
/** Matches the end of a path segment. */
const END = "(?:/|%2[Ff]|[?#]|%3[Ff]|%23|$)";
/** Matches encoded characters that look like a slash: U+2044, U+2215, U+29F5, U+29F8, U+29F9, U+FE68, U+FF0F, U+FF3C. */
const SLASH_LIKE = "%(?:[Ee]2%(?:81%84|88%95|[Aa]7%[Bb][589])|[Ee][Ff]%(?:[Bb]9%[Aa]8|[Bb][Cc]%(?:8[Ff]|[Bb][Cc])))";
/**
 * Matches the paths of sign-in (`/auth/…`). A return to such a path would repeat the sign-in, or add an ORCID iD that the
 * user did not request.
 */
const SIGN_IN = `/(?:[Aa]|%[46]1)(?:[Uu]|%[57]5)(?:[Tt]|%[57]4)(?:[Hh]|%[46]8)${END}`;

/**
 * Matches a path with query and fragment that a browser's URL parser (WHATWG) does not change. However often it is decoded,
 * it stays a path of this site: it contains neither two slashes, after which a host name would follow, nor dot segments,
 * which lead out of a folder.
 */
const RETURN_PATH = new RegExp(
  [
    `^(?!${SIGN_IN})(?![^?#]*${SLASH}(?:${SLASH}|${DOT}{1,2}${END}))(?!.*${SLASH_LIKE})`,
    `/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|${ENCODED})*`,
    `(?:\\?(?:[A-Za-z0-9._~!$&()*+,;=:@/?-]|${ENCODED})+)?`,
    `(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|${ENCODED})+)?$`,
  ].join(""),
);

export const returnPath = z
  .string("must be text")
  .max(MAX_RETURN_PATH_LENGTH, `must have at most ${MAX_RETURN_PATH_LENGTH} characters`)
  .regex(RETURN_PATH, "must be a path of this site, such as /account")
  .meta({
    examples: ["/account"],
    description: "A path of this site without a host, `//` or dot segments, and not under `/auth`, in any encoding.",
  });

/** Body of POST /auth/magic/request. Unknown fields are ignored. */
export const linkRequest = shape(
  "LinkRequest",
  z.object(
    {
      email: email.refine(
        (text) => email.safeParse(foldedEmail(text)).success,
        "must be an email address in ASCII, such as name@example.org",
      ),
      returnTo: returnPath
        .default(DEFAULT_RETURN_PATH)
        .describe(
          "The path of this site to return to, without `//` and dot segments, and not under `/auth`, in any encoding.",
        ),
    },
    "must be a JSON object",
  ),
  () => ({ email: "mirela.vance@example.org", returnTo: "/account" }),
);
export type LinkRequest = z.infer<typeof linkRequest>;

/**
 * The response to a request for a link. It is the same for every address, so that it does not reveal who has an account.
 */
export const linkRequested = shape(
  "LinkRequested",
  z
    .object({
      requested: z.literal(true),
      expiresIn: z.int().min(1).describe("Lifetime of the link in seconds."),
    })
    .describe("The link was sent. The response is the same for known and unknown addresses."),
  () => ({ requested: true as const, expiresIn: 900 }),
);
export type LinkRequested = z.infer<typeof linkRequested>;

/** Body of POST /auth/magic/consume. */
export const linkConsumption = shape(
  "LinkConsumption",
  z.object(
    { token: z.string("must be text").meta({ description: "The 43 characters after `#token=` in the link." }) },
    "must be a JSON object",
  ),
  () => ({ token: "Zk3vQ9x1T7b5Lr2Wm8Yc4Nd6Pf0Hj3Ks5Ua7Ge9Bi1Q" }),
);

export const signedIn = shape(
  "SignedIn",
  z
    .object({ user, returnTo: z.string().describe("The return path of the sign-in.") })
    .describe("The user. The cookie has the session."),
  (parts) => ({ user: exampleOfShape(user, parts), returnTo: "/account" }),
);
export type SignedIn = z.infer<typeof signedIn>;

/** Query of GET /auth/orcid/start. */
export const startQuery = z.object({
  returnTo: returnPath
    .default(DEFAULT_RETURN_PATH)
    .meta({ description: "The path of this site to return to.", examples: ["/account"] }),
  add: z
    .enum(["true", "false"])
    .default("false")
    .meta({
      description: "True to add the iD to the account of the current session.",
      examples: ["true"],
    }),
});

export const signInStart = shape(
  "SignInStart",
  z
    .object({ authorizationUrl: z.url().describe("The URL to open in the browser within ten minutes.") })
    .describe("The URL of the identity provider."),
  () => ({
    authorizationUrl:
      "https://orcid.org/oauth/authorize?client_id=APP-0123456789ABCDEF&response_type=code&scope=openid&redirect_uri=https%3A%2F%2Fshare.example%2Fauth%2Forcid%2Fcallback&state=8Zq1c0nVqGm6yqj3a0m3v1d6y4b7R2T9w5x8K1p2L3s&nonce=0Jm4t7W2e5r8Y1u4I7o0P3a6S9d2F5g8H1j4K7l0Z3x&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
  }),
);
export type SignInStart = z.infer<typeof signInStart>;

/** Query of GET /auth/orcid/callback (RFC 6749, 4.1.2; RFC 9207). Other parameters of the provider are ignored. */
export const callbackQuery = z.looseObject({
  code: text(2048)
    .optional()
    .meta({ description: "The provider's code, which works once.", examples: ["mh7yTb"] }),
  state: text(200)
    .optional()
    .meta({
      description: "The state of this sign-in.",
      examples: ["8Zq1c0nVqGm6yqj3a0m3v1d6y4b7R2T9w5x8K1p2L3s"],
    }),
  iss: text(300)
    .optional()
    .meta({ description: "The issuer.", examples: ["https://orcid.org"] }),
  error: text(200)
    .optional()
    // Without example: a provider sends either a code or an error, and the code has an example.
    .meta({ description: "The reason for a missing code, such as `access_denied`." }),
});

export const signedOut = shape(
  "SignedOut",
  z.object({ loggedOut: z.literal(true) }).describe("The session has ended."),
  () => ({ loggedOut: true as const }),
);

const SIGN_IN_METHODS = ["orcid", "mail"] as const;
export const signInMethod = z.enum(SIGN_IN_METHODS);
export type SignInMethod = z.infer<typeof signInMethod>;

/** A secret of 256 random bits in base64url: session cookies, tokens in links, and the secrets of unfinished sign-ins. */
export const secretToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, "must be the token of 43 characters from the link in the email");

/** The public id of a session: `s` and 24 hexadecimal digits. */
export const sessionId = z.string().regex(/^s[0-9a-f]{24}$/);

export const sessionRow = shape(
  "Session",
  z
    .object({
      id: sessionId,
      method: signInMethod.describe("The sign-in method."),
      agent: z.string().nullable().describe("The browser's `User-Agent`, shortened; null if it sent none."),
      createdAt: instant,
      seenAt: instant.describe("The hour of its last use."),
      expiresAt: instant.describe("The time at which it ends, 30 days after its last use."),
      current: z.boolean().describe("True for the session of this request."),
    })
    .describe("A session."),
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
export const sessionList = defineAccountList("SessionList", sessionRow);
export type SessionRow = z.infer<typeof sessionRow>;
