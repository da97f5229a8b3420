/** Signing in: the parts that its addresses work with, opened and closed with the server. */

import { hash } from "node:crypto";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { CACHE, HTML_TYPE, type Route } from "../../api-static/routes/route.ts";
import { type SIGN_IN_ROUTES, sessionKey } from "../../api-static/routes/sign-in-routes.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { AccountListQuery } from "../../schemas/public/account/list.ts";
import {
  type LinkRequested,
  type SignedIn,
  type SignInStart,
  secretToken,
} from "../../schemas/public/account/sign-in.ts";
import { STYLE } from "../../web/components/style.ts";
import { SIGNING_IN } from "../../web/script/signing-in.ts";
import { signInPage } from "../../web/views/sign-in.ts";
import { prefersHtml } from "../http/content-negotiation.ts";
import { type Caller, type ReadRequest, type Signed, sentCookies } from "../http/read-request.ts";
import {
  type Answer,
  contentAnswer,
  deletedAnswer,
  madeAnswer,
  offsetOf,
  ProblemError,
  pageOf,
  shownAnswer,
} from "../http/response.ts";
import { type Asked, type BodyOf, type Handlers, type Replying, unknownKey } from "../http/routes.ts";
import { ConfigurationError, type Quota } from "../options.ts";
import type { Accounts } from "./database.ts";
import { LINK_SECONDS, linkUsed, MagicLinks } from "./magic-links.ts";
import { folderOffice, Outbox, smtpOffice } from "./mail.ts";
import { OrcidSignIn, Provider, type ProviderOptions } from "./orcid-sign-in.ts";
import { Cookies, Sessions } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

export interface SignInOptions {
  /** The identity provider; nobody signs in with one where there is none. */
  readonly orcid?: ProviderOptions;
  /** SMTP_URL; without, messages are written into the folder `mail` of the store. */
  readonly smtpUrl?: string;
  /** Whom messages come from; no-reply at the site's host unless something else is said. */
  readonly mailFrom?: string;
}

export interface SignInContext {
  readonly store: Pick<Store, "root">;
  readonly accounts: Accounts;
  /** The site's own address; null for plain http on this machine. */
  readonly site: URL | null;
  /** The port the server listens on, once it does. */
  readonly port: () => number;
  /** Links by mail. */
  readonly quota: Quota;
}

type SignInEffects = Pick<Effects, "now" | "sleep" | "log">;

/** How long a server that stops goes on sending. */
const MAIL_GRACE_MILLISECONDS = 5000;

export class SignIn {
  readonly site: Site;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
  readonly links: MagicLinks;
  /** Null where no provider is set up. */
  readonly orcid: OrcidSignIn | null;
  readonly #provider: Provider | null;
  readonly #outbox: Outbox;
  readonly #sweeper: Sweeper;

  /** @throws ConfigurationError for an address that cannot be a site's, a mail server's or a provider's */
  constructor({ store, accounts, site, port, quota }: SignInContext, options: SignInOptions, effects: SignInEffects) {
    const { now, log } = effects;
    this.site = new Site(site, port);
    this.cookies = new Cookies(this.site);
    this.sessions = new Sessions(accounts, now);
    this.#provider = options.orcid === undefined ? null : new Provider(options.orcid, now);
    const from = options.mailFrom ?? `SHARE <no-reply@${site?.hostname ?? "localhost"}>`;
    const office =
      options.smtpUrl === undefined
        ? folderOffice(join(store.root, "mail"), from, log)
        : smtpOffice(options.smtpUrl, from);
    this.#outbox = new Outbox(office, effects);
    const common = { accounts, sessions: this.sessions, site: this.site, now };
    this.links = new MagicLinks({ ...common, outbox: this.#outbox, quota });
    this.orcid = this.#provider === null ? null : new OrcidSignIn({ ...common, provider: this.#provider, log });
    this.#sweeper = new Sweeper(accounts, effects);
  }

  /** After the last request. */
  async close(): Promise<void> {
    await this.#sweeper.close();
    await this.#outbox.close(MAIL_GRACE_MILLISECONDS);
    await this.#provider?.close();
  }
}

type SweeperEffects = Pick<Effects, "now" | "sleep" | "log">;

/** How long an expired address may stay. */
const PAUSE_MILLISECONDS = 60_000;

/** Sweeps at once, and then every minute; every server does, and whoever comes second finds nothing. */
class Sweeper {
  readonly #db: Kysely<AccountTables>;
  readonly #effects: SweeperEffects;
  readonly #over = new AbortController();
  readonly #loop: Promise<void>;
  /** So that a database that stays away is logged once. */
  #failing = false;

  constructor({ db }: Pick<Accounts, "db">, effects: SweeperEffects) {
    this.#db = db;
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
        await sweep(this.#db, this.#effects.now());
        this.#failing = false;
      } catch (error) {
        const message = error instanceof Error && "code" in error ? String(error.code) : "unknown";
        if (!this.#failing) this.#effects.log({ level: "error", event: "sign-ins-not-swept", message });
        this.#failing = true;
      }
      await this.#effects.sleep(PAUSE_MILLISECONDS, this.#over.signal).catch(() => undefined);
    }
  }
}

/** Removes every row that means nothing any more. */
export async function sweep(db: Kysely<AccountTables>, now: Date): Promise<void> {
  const instant = now.toISOString();
  await db.deleteFrom("session").where("expires_at", "<=", instant).execute();
  await db.deleteFrom("magic_link").where("expires_at", "<=", instant).execute();
  await db.deleteFrom("pending_sign_in").where("expires_at", "<=", instant).execute();
}

/** Lets a request of an own-site route pass, and says on it who is signed in. */
export function ownSiteHook(route: Route, signIn: SignIn) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (route.method !== "get") refuseForeignPages(request, signIn);
    request.signed = await signedBy(request, reply, signIn);
    if (route.session && request.signed === null) {
      throw new ProblemError("no-session", "Nobody is signed in: the request has no cookie of a session that lasts.");
    }
  };
}

/** What browsers send in `Sec-Fetch-Site` for a page of this site, and for a person who typed the URL. */
const OWN_SITES = ["same-origin", "none"];

/**
 * Refuses a request that a page of another origin sent. Browsers send `Origin` with every request that changes something
 * (`null` if they hide it), or at least `Sec-Fetch-Site`; a program sends neither. Node joins repeated headers: two origins
 * are not one of the site's.
 */
function refuseForeignPages({ headers }: FastifyRequest, { site }: SignIn): void {
  const { origin, "sec-fetch-site": from = "none" } = headers;
  if ((origin === undefined || site.isOwn(origin)) && OWN_SITES.includes(String(from))) return;
  throw new ProblemError(
    "wrong-origin",
    `A page of another origin sent the request. Send it from a page of ${site.origin}, or from a program without the header Origin.`,
  );
}

async function signedBy(request: FastifyRequest, reply: FastifyReply, signIn: SignIn): Promise<Signed | null> {
  const token = signIn.cookies.read(sentCookies(request), "share_session");
  if (token === null) return null;
  const found = await signIn.sessions.find(token);
  if (found === null) return null;
  // Its end has moved: the browser has to keep the cookie for as long.
  if (found.renewed) signIn.cookies.set(reply, "share_session", token);
  const { accountId, sessionId } = found;
  return { accountId, sessionId };
}

/** Hosts that only this machine reaches: nobody listens in between, so plain HTTP will do. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"] as const;

/** The site's own address: where its pages may act from, where its cookies hold, and what its links begin with. */
export class Site {
  readonly #given: URL | null;
  readonly #port: () => number;

  /**
   * `given`: https, or http on loopback; null for plain http on this machine, at the port that `port` gives.
   * @throws ConfigurationError for an address that cannot be a site's
   */
  constructor(given: URL | null, port: () => number) {
    if (given !== null) requireSite(given);
    this.#given = given;
    this.#port = port;
  }

  /** `https://share.example`, without a slash at its end. */
  get origin(): string {
    return this.#given?.origin ?? `http://localhost:${this.#port()}`;
  }

  /** Whether browsers ask it over TLS: cookies are kept to that then. */
  get secure(): boolean {
    return this.#given?.protocol === "https:";
  }

  /** Whether a page of this origin is the site's own; without an address of its own, any spelling of this machine. */
  isOwn(origin: string): boolean {
    if (this.#given !== null) return origin === this.#given.origin;
    return LOOPBACK.some((host) => origin === `http://${host}:${this.#port()}`);
  }

  /** The full address of a path. */
  address(path: string): string {
    return `${this.origin}${path}`;
  }
}

function requireSite({ protocol, hostname, username, password, pathname, search, hash }: URL): void {
  if (username + password + search + hash !== "" || pathname !== "/")
    throw new ConfigurationError(
      "the site's address is a scheme, a host and perhaps a port, such as https://share.example",
    );
  if (protocol === "https:") return;
  if (protocol !== "http:" || !LOOPBACK.some((host) => host === hostname))
    throw new ConfigurationError(
      "a site that others reach needs https: over plain http its cookies could be read on the way",
    );
}

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
