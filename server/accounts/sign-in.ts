/** Sign-in and sign-out: the handlers of their endpoints, and what these use, opened and closed with the server. */

import { hash } from "node:crypto";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { CACHE, HTML_TYPE, type Route } from "../../api-static/routes/route.ts";
import { type SIGN_IN_ROUTES, sessionKey } from "../../api-static/routes/sign-in-routes.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import {
  type LinkRequested,
  type SignedIn,
  type SignInStart,
  secretToken,
} from "../../schemas/public/account/sign-in.ts";
import { SIGNING_IN } from "../../web/components/scripts.ts";
import { STYLE } from "../../web/components/style.ts";
import { signInPage } from "../../web/views/sign-in.ts";
import { prefersHtml } from "../http/content-negotiation.ts";
import { Site } from "../http/own-site.ts";
import type { Quota } from "../http/quotas.ts";
import { type ApiRequest, parseCookies, type Session } from "../http/read-request.ts";
import {
  computeOffset,
  contentResponse,
  deletedResponse,
  type HttpResponse,
  makeListPart,
  ProblemError,
  postResponse,
  privateResponse,
  seeOther,
} from "../http/response.ts";
import { type BodyOf, type Handlers, type ReplyHeaders, type TypedRequest, unknownKey } from "../http/routes.ts";
import { removeExpiredAttempts } from "./attempts.ts";
import type { Accounts } from "./database.ts";
import { invalidLink, LINK_SECONDS, MagicLinks } from "./magic-links.ts";
import { folderTransport, Outbox, smtpTransport } from "./mail.ts";
import { OrcidSignIn, Provider, type ProviderOptions } from "./orcid-sign-in.ts";
import { removeOldReports } from "./problem-reports.ts";
import { Cookies, Sessions } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

export interface SignInOptions {
  /** The identity provider. Without it, sign-in with ORCID is off. */
  readonly orcid?: ProviderOptions;
  /** The value of SMTP_URL. Without it, emails are written into the folder `mail` of the store. */
  readonly smtpUrl?: string;
  /** The sender of emails; `no-reply` at the site's host by default. */
  readonly mailFrom?: string;
}

export interface SignInServices {
  readonly store: Pick<Store, "root">;
  readonly accounts: Accounts;
  readonly site: URL | null;
  readonly port: () => number;
  /** The title of the site. */
  readonly title: string;
  readonly quota: Quota;
}

type SignInEffects = Pick<Effects, "now" | "sleep" | "log">;

/** The time in which waiting emails can still be sent when the server closes. */
const MAIL_GRACE_MILLISECONDS = 5000;

export class SignIn {
  readonly site: Site;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
  readonly links: MagicLinks;
  readonly orcid: OrcidSignIn | null;
  readonly #provider: Provider | null;
  readonly outbox: Outbox;
  readonly #sweeper: ExpiryLoop;

  /**
   * Prepares sign-in by email and, if it is configured, with ORCID.
   * @throws ConfigurationError for an invalid URL of the site, the mail server or the provider
   */
  constructor(
    { store, accounts, site, port, title, quota }: SignInServices,
    options: SignInOptions,
    effects: SignInEffects,
  ) {
    const { now, log } = effects;
    this.site = new Site(site, port, title);
    this.cookies = new Cookies(this.site);
    this.sessions = new Sessions(accounts, now);
    this.#provider = options.orcid === undefined ? null : new Provider(options.orcid, now);
    const from = options.mailFrom ?? `${asMailName(title)} <no-reply@${site?.hostname ?? "localhost"}>`;
    const office =
      options.smtpUrl === undefined
        ? folderTransport(join(store.root, "mail"), from, log)
        : smtpTransport(options.smtpUrl, from);
    this.outbox = new Outbox(office, effects);
    const common = { accounts, sessions: this.sessions, site: this.site, now };
    this.links = new MagicLinks({ ...common, outbox: this.outbox, quota });
    this.orcid = this.#provider === null ? null : new OrcidSignIn({ ...common, provider: this.#provider, log });
    this.#sweeper = new ExpiryLoop(accounts, effects);
  }

  /** Closes everything that signing in uses. Call it after the last request. */
  async close(): Promise<void> {
    await this.#sweeper.close();
    await this.outbox.close(MAIL_GRACE_MILLISECONDS);
    await this.#provider?.close();
  }
}

/** Returns a title as the quoted name of a sender, without characters that have a meaning there (RFC 5322, 3.2.3). */
function asMailName(title: string): string {
  return `"${title.replace(/["\\\r\n]/g, "")}"`;
}

type SweeperEffects = Pick<Effects, "now" | "sleep" | "log">;

const PAUSE_MILLISECONDS = 60_000;

/** Removes expired sessions, links and other rows, now and every minute. Every server of a store does this. */
class ExpiryLoop {
  readonly #accounts: Pick<Accounts, "db">;
  readonly #effects: SweeperEffects;
  readonly #over = new AbortController();
  readonly #loop: Promise<void>;
  /** True while the store fails, so that an outage is logged only once. */
  #failing = false;

  constructor(accounts: Pick<Accounts, "db">, effects: SweeperEffects) {
    this.#accounts = accounts;
    this.#effects = effects;
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        await removeExpired(this.#accounts.db, this.#effects.now());
        this.#failing = false;
      } catch (error) {
        if (!this.#failing)
          this.#effects.log({ level: "error", event: "sign-ins-not-swept", message: getErrorMessage(error) });
        this.#failing = true;
      }
      await this.#effects.sleep(PAUSE_MILLISECONDS, this.#over.signal).catch(() => undefined);
    }
  }
}

export async function removeExpired(db: Kysely<AccountTables>, now: Date): Promise<void> {
  const instant = now.toISOString();
  await db.deleteFrom("session").where("expires_at", "<=", instant).execute();
  await db.deleteFrom("magic_link").where("expires_at", "<=", instant).execute();
  await db.deleteFrom("pending_sign_in").where("expires_at", "<=", instant).execute();
  await removeOldReports(db, now);
  await removeExpiredAttempts(db, now);
}

/** Returns the hook of a route that only this site may call. It checks the origin of a request and reads its session. */
export function ownSiteHook(route: Route, signIn: SignIn) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (route.method !== "get") rejectForeignOrigins(request, signIn);
    request.signed = await findSession(request, reply, signIn);
    if (route.session && request.signed === null) {
      throw new ProblemError(
        "no-session",
        "You are not signed in: the request has no cookie of a valid session. Sign in first.",
      );
    }
  };
}

/** Values of `Sec-Fetch-Site` for a page of this site, and for a URL that the user typed. */
const OWN_SITES = ["same-origin", "none"];

/**
 * Rejects a request from a page of another origin. Browsers send `Origin` with every request that changes something
 * (`null` if they hide it), or at least `Sec-Fetch-Site`. Programs send neither. Node joins repeated headers, so two
 * origins do not match.
 */
function rejectForeignOrigins({ headers }: FastifyRequest, { site }: SignIn): void {
  const { origin, "sec-fetch-site": from = "none" } = headers;
  if ((origin === undefined || site.isOwn(origin)) && OWN_SITES.includes(String(from))) return;
  throw new ProblemError(
    "wrong-origin",
    `A page of another origin sent the request. Send it from a page of ${site.origin}, or from a program without the header Origin.`,
  );
}

async function findSession(request: FastifyRequest, reply: FastifyReply, signIn: SignIn): Promise<Session | null> {
  const token = signIn.cookies.read(parseCookies(request), "share_session");
  if (token === null) return null;
  const found = await signIn.sessions.find(token);
  if (found === null) return null;
  // The session was extended, so the cookie must be extended too.
  if (found.isRenewed) signIn.cookies.set(reply, "share_session", token);
  const { accountId, sessionId } = found;
  return { accountId, sessionId };
}

/** Returns the handlers of signing in and out. `hasSite` is true if the server also serves the site. */
export function signInHandlers(signIn: SignIn, hasSite: boolean): Handlers<keyof typeof SIGN_IN_ROUTES> {
  const magicPage = magicPageResponse(signIn.site.title, hasSite);
  return {
    "orcid-start": (request, reply) => startResponse(request, signIn, reply),
    "orcid-callback": ({ request }, reply) => callbackResponse(request, signIn, reply),
    "magic-page": () => magicPage,
    "magic-request": ({ body, request }) => linkRequestResponse(body, request, signIn),
    "magic-consume": (request, reply) => linkResponse(request, signIn, reply),
    logout: ({ signed }, reply) => logoutResponse(signed, signIn, reply),
    sessions: ({ signed, query }) => sessionsResponse(signed, query, signIn),
    session: ({ signed, key }, reply) => sessionEndResponse(signed, key, signIn, reply),
  };
}

async function linkRequestResponse(
  body: BodyOf<"magic-request">,
  { caller, id }: Pick<ApiRequest, "caller" | "id">,
  { links }: SignIn,
): Promise<HttpResponse> {
  await links.request(body, caller.address, id);
  return postResponse(201, { requested: true, expiresIn: LINK_SECONDS } satisfies LinkRequested);
}

async function linkResponse(
  { request, body }: TypedRequest<"magic-consume">,
  signIn: SignIn,
  reply: ReplyHeaders,
): Promise<HttpResponse> {
  const link = secretToken.safeParse(body.token);
  // A malformed token causes the same problem as an unknown link.
  if (!link.success) throw invalidLink();
  const { user, returnTo, token } = await signIn.links.consume(link.data, request.headers["user-agent"] ?? null);
  await openBrowserSession({ signIn, request, reply }, token);
  return postResponse(201, { user, returnTo } satisfies SignedIn);
}

const digest = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;

/** A content security policy for one script and one style, requests to this site only, and no frames. */
const POLICY = [
  "default-src 'none'",
  `script-src ${digest(SIGNING_IN)}`,
  `style-src ${digest(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Responds to GET /auth/magic with the page that the links in emails open. */
function magicPageResponse(title: string, hasSite: boolean): HttpResponse {
  const response = contentResponse(Buffer.from(signInPage(title, hasSite)), HTML_TYPE, CACHE.never);
  return { ...response, headers: { ...response.headers, "content-security-policy": POLICY } };
}

async function startResponse(
  { request, query, signed }: TypedRequest<"orcid-start">,
  signIn: SignIn,
  reply: ReplyHeaders,
): Promise<HttpResponse> {
  const orcid = requireOrcid(signIn);
  const adding = query.add === "true" && isFromOwnPage(request, signIn) ? signed : null;
  const { authorizationUrl, secret } = await orcid.start(query.returnTo, adding);
  signIn.cookies.set(reply, "share_sign_in", secret);
  return prefersHtml(request)
    ? seeOther(authorizationUrl)
    : privateResponse({ authorizationUrl } satisfies SignInStart);
}

/** Completes a sign-in with ORCID. The OpenID client checks the callback's query. */
async function callbackResponse(request: ApiRequest, signIn: SignIn, reply: ReplyHeaders): Promise<HttpResponse> {
  const orcid = requireOrcid(signIn);
  const secret = signIn.cookies.read(request.cookies, "share_sign_in");
  const { query, signed, headers } = request;
  const finished = await orcid.finish({ secret, query, signed, agent: headers["user-agent"] ?? null });
  const { user, returnTo, token } = finished;
  signIn.cookies.clear(reply, "share_sign_in");
  await openBrowserSession({ signIn, request, reply }, token);
  return prefersHtml(request) ? seeOther(returnTo) : privateResponse({ user, returnTo } satisfies SignedIn);
}

function requireOrcid({ orcid }: SignIn): OrcidSignIn {
  if (orcid !== null) return orcid;
  throw new ProblemError(
    "sign-in-not-configured",
    "Signing in with ORCID is not configured on this server. Sign in by email instead.",
  );
}

/** True if a page of this site sent the request (Fetch Metadata). A link on another site or a typed URL does not count. */
function isFromOwnPage({ headers }: ApiRequest, { site }: SignIn): boolean {
  if (headers["sec-fetch-site"] !== undefined) return headers["sec-fetch-site"] === "same-origin";
  return headers.origin !== undefined && site.isOwn(headers.origin);
}

interface AdmissionParts {
  readonly signIn: SignIn;
  readonly request: ApiRequest;
  readonly reply: ReplyHeaders;
}

/** Sets the cookie of the new session, and ends the previous one, which somebody else could have planted in the browser. */
async function openBrowserSession(
  { signIn, request: { signed }, reply }: AdmissionParts,
  token: string,
): Promise<void> {
  signIn.cookies.set(reply, "share_session", token);
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
}

async function logoutResponse(signed: Session | null, signIn: SignIn, reply: ReplyHeaders): Promise<HttpResponse> {
  if (signed !== null) await signIn.sessions.end(signed.accountId, signed.sessionId);
  signIn.cookies.clear(reply, "share_session");
  return postResponse(201, { loggedOut: true });
}

async function sessionsResponse(
  { accountId, sessionId }: Session,
  listQuery: AccountListQuery,
  { sessions }: SignIn,
): Promise<HttpResponse> {
  const rows = await sessions.list(accountId, sessionId);
  const first = computeOffset(listQuery);
  return privateResponse(makeListPart(rows.slice(first, first + listQuery.limit), rows.length, listQuery));
}

async function sessionEndResponse(
  { accountId, sessionId }: Session,
  id: string,
  signIn: SignIn,
  reply: ReplyHeaders,
): Promise<HttpResponse> {
  if (!(await signIn.sessions.end(accountId, id))) throw unknownKey(sessionKey);
  if (id === sessionId) signIn.cookies.clear(reply, "share_session");
  return deletedResponse();
}
