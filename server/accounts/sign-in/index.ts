/** Signing in: the parts that its addresses work with, opened and closed with the server. */

import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import type { Route } from "../../../api-static/routes/route.ts";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import { ProblemError } from "../../http/answer.ts";
import { ConfigurationError, type Quota } from "../../http/poll.ts";
import { type Signed, sentCookies } from "../../http/read-request.ts";
import type { Accounts } from "../database/index.ts";
import type { AccountTables } from "../database/tables.ts";
import { Outbox } from "../mail/outbox.ts";
import { folderOffice, smtpOffice } from "../mail/post-office.ts";
import { MagicLinks } from "./magic-links.ts";
import { OrcidSignIn } from "./orcid-sign-in.ts";
import { Provider, type ProviderOptions } from "./provider.ts";
import { Cookies, Sessions } from "./sessions.ts";

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
