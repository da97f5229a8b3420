/** The handlers of the addresses of signing in and out. */

import { hash } from "node:crypto";
import { CACHE, HTML_TYPE } from "../../api-static/routes/route.ts";
import { type SIGN_IN_ROUTES, sessionKey } from "../../api-static/routes/sign-in-routes.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import type { LinkRequested, SignedIn, SignInStart } from "../../schemas/public/account/sign-in.ts";
import { secretToken } from "../../schemas/public/account/sign-in.ts";
import { STYLE } from "../../web/components/style.ts";
import { SIGNING_IN } from "../../web/script/signing-in.ts";
import { signInPage } from "../../web/views/sign-in.ts";
import { type Asked, type BodyOf, type Handlers, type Replying, unknownKey } from "../http/add-routes.ts";
import {
  type Answer,
  contentAnswer,
  deletedAnswer,
  madeAnswer,
  offsetOf,
  ProblemError,
  pageOf,
  shownAnswer,
} from "../http/answer.ts";
import { prefersHtml } from "../http/content-negotiation.ts";
import type { Caller, ReadRequest, Signed } from "../http/read-request.ts";
import type { SignIn } from "./sign-in/index.ts";
import { LINK_SECONDS, linkUsed } from "./sign-in/magic-links.ts";
import type { OrcidSignIn } from "./sign-in/orcid-sign-in.ts";

/** `hasSite`: whether people are answered with pages. */
export function signInHandlers(signIn: SignIn, hasSite: boolean): Handlers<keyof typeof SIGN_IN_ROUTES> {
  const magicPage = magicPageAnswer(hasSite);
  return {
    "orcid-start": (asked, reply) => answerStart(asked, signIn, reply),
    "orcid-callback": ({ request }, reply) => answerCallback(request, signIn, reply),
    "magic-page": () => magicPage,
    "magic-request": ({ body, request }) => answerLinkRequest(body, request.caller, signIn),
    "magic-consume": (asked, reply) => answerConsumption(asked, signIn, reply),
    logout: ({ signed }, reply) => answerLogout(signed, signIn, reply),
    sessions: ({ signed, query }) => answerSessions(signed, query, signIn),
    session: ({ signed, key }, reply) => answerSessionEnd(signed, key, signIn, reply),
  };
}

async function answerLinkRequest(
  body: BodyOf<"magic-request">,
  { address }: Caller,
  { links }: SignIn,
): Promise<Answer> {
  await links.request(body, address);
  return madeAnswer(201, { requested: true, expiresIn: LINK_SECONDS } satisfies LinkRequested);
}

async function answerConsumption(
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

const digest = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;

/** It loads nothing, is shown in no frame, and asks nobody but this site. */
const POLICY = [
  "default-src 'none'",
  `script-src ${digest(SIGNING_IN)}`,
  `style-src ${digest(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** GET /auth/magic: the page that links in mails lead to, under a policy that lets its own script and style run and no other. */
function magicPageAnswer(hasSite: boolean): Answer {
  const answer = contentAnswer(Buffer.from(signInPage(hasSite)), HTML_TYPE, CACHE.never);
  return { ...answer, headers: { ...answer.headers, "content-security-policy": POLICY } };
}

async function answerStart(
  { request, query, signed }: Asked<"orcid-start">,
  signIn: SignIn,
  reply: Replying,
): Promise<Answer> {
  const orcid = requireOrcid(signIn);
  const adding = query.add === "true" && isFromOwnPage(request, signIn) ? signed : null;
  const { authorizationUrl, secret } = await orcid.start(query.returnTo, adding);
  signIn.cookies.set(reply, "share_sign_in", secret);
  return prefersHtml(request) ? seeOther(authorizationUrl) : shownAnswer({ authorizationUrl } satisfies SignInStart);
}

/** The provider's answer is checked as it was sent, by the client of its protocol. */
async function answerCallback(request: ReadRequest, signIn: SignIn, reply: Replying): Promise<Answer> {
  const orcid = requireOrcid(signIn);
  const secret = signIn.cookies.read(request.cookies, "share_sign_in");
  const { query, signed, headers } = request;
  const finished = await orcid.finish({ secret, query, signed, agent: headers["user-agent"] ?? null });
  const { user, returnTo, token } = finished;
  signIn.cookies.clear(reply, "share_sign_in");
  await admit({ signIn, request, reply }, token);
  return prefersHtml(request) ? seeOther(returnTo) : shownAnswer({ user, returnTo } satisfies SignedIn);
}

function requireOrcid({ orcid }: SignIn): OrcidSignIn {
  if (orcid !== null) return orcid;
  throw new ProblemError("sign-in-not-configured", "Signing in with ORCID is not set up here.");
}

/**
 * Whether a page of this site asks, as browsers alone can say (Fetch Metadata): a link on another site, or an address
 * typed in, is none of its pages'.
 */
function isFromOwnPage({ headers }: ReadRequest, { site }: SignIn): boolean {
  if (headers["sec-fetch-site"] !== undefined) return headers["sec-fetch-site"] === "same-origin";
  return headers.origin !== undefined && site.isOwn(headers.origin);
}

/** RFC 9110, 15.4.4: asked for with GET, whatever was asked here. */
function seeOther(location: string): Answer {
  return { status: 303, headers: { location, "cache-control": CACHE.never }, body: null };
}

interface Admission {
  readonly signIn: SignIn;
  readonly request: ReadRequest;
  readonly reply: Replying;
}

/** Gives the browser its new token. The session it came with is over: nobody can have planted it for later. */
async function admit({ signIn, request: { signed }, reply }: Admission, token: string): Promise<void> {
  signIn.cookies.set(reply, "share_session", token);
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
}

async function answerLogout(signed: Signed | null, signIn: SignIn, reply: Replying): Promise<Answer> {
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
  signIn.cookies.clear(reply, "share_session");
  return madeAnswer(201, { loggedOut: true });
}

async function answerSessions(
  { accountId, sessionId }: Signed,
  asked: AccountListQuery,
  { sessions }: SignIn,
): Promise<Answer> {
  const rows = await sessions.list(accountId, sessionId);
  const first = offsetOf(asked);
  return shownAnswer(pageOf(rows.slice(first, first + asked.limit), rows.length, asked));
}

async function answerSessionEnd(
  { accountId, sessionId }: Signed,
  id: string,
  signIn: SignIn,
  reply: Replying,
): Promise<Answer> {
  if (!(await signIn.sessions.end(accountId, id))) throw unknownKey(sessionKey);
  if (id === sessionId) signIn.cookies.clear(reply, "share_session");
  return deletedAnswer();
}
