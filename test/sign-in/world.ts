/**
 * The world that tests of sign-in share: servers of one store, a mailbox behind real SMTP, a real identity provider, a clock
 * that the test sets, and the log of the servers.
 */

import { Writable } from "node:stream";
import { pino } from "pino";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { signedIn } from "../../schemas/public/account/sign-in.ts";
import { createServer, type ServerOptions, type ShareServer } from "../../server/index.ts";
import { EFFECTS, NOW, UNLIMITED } from "../server/test-store.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { Browser } from "./browser.ts";
import { type IdentityProvider, openIdentityProvider, type Person } from "./identity-provider.ts";
import { findToken, type Mailbox, openMailbox } from "./mailbox.ts";

export interface WorldOptions {
  /** Location of the account store. By default it is an SQLite file in the release store. */
  readonly accounts?: AccountTarget;
  readonly store?: Store;
  /**
   * The identity provider of the servers. By default it is a real one on this machine; null means that ORCID sign-in is not
   * configured.
   */
  readonly provider?: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string } | null;
  readonly server?: Partial<ServerOptions>;
}

export interface SignedInBrowser {
  readonly browser: Browser;
  readonly user: User;
}

/** A quota of sign-in links that tests do not reach, unless they set another. */
const LINKS = { requests: 1_000_000, seconds: 3600 };

export class SignInWorld implements AsyncDisposable {
  readonly mailbox: Mailbox;
  readonly provider: IdentityProvider;
  readonly store: Store;
  readonly #options: WorldOptions;
  readonly #log: string[] = [];
  readonly #cleanups: (() => Promise<void>)[] = [];
  readonly #servers: ShareServer[] = [];
  #now = NOW;
  /** Port of the first server. */
  port = 0;
  origin = "";

  private constructor(parts: { mailbox: Mailbox; provider: IdentityProvider; store: Store }, options: WorldOptions) {
    this.mailbox = parts.mailbox;
    this.provider = parts.provider;
    this.store = parts.store;
    this.#options = options;
  }

  static async make(options: WorldOptions = {}): Promise<SignInWorld> {
    const temporary = options.store === undefined ? await temporaryStore() : null;
    const store = options.store ?? temporary?.store;
    if (store === undefined) throw new Error("the world has no store");
    const [mailbox, provider] = await Promise.all([openMailbox(), openIdentityProvider()]);
    const world = new SignInWorld({ mailbox, provider, store }, options);
    world.#cleanups.push(
      async () => temporary?.[Symbol.asyncDispose](),
      () => provider.close(),
      () => mailbox.close(),
    );
    world.port = await world.serve();
    world.origin = options.server?.site?.origin ?? `http://localhost:${world.port}`;
    provider.allow(`${world.origin}/auth/orcid/callback`);
    return world;
  }

  /** Starts a server of the store, and returns its port. */
  async serve(options: Partial<ServerOptions> = {}): Promise<number> {
    const { provider = this.provider, accounts } = this.#options;
    const settings: ServerOptions = {
      logger: this.#logger(),
      pollMilliseconds: 10,
      quotas: { ...UNLIMITED, link: LINKS },
      signIn: {
        smtpUrl: this.mailbox.url,
        ...(provider === null ? {} : { orcid: provider }),
      },
      ...(accounts === undefined ? {} : { accounts }),
      ...this.#options.server,
      ...options,
    };
    const server = await createServer(this.store, settings, { ...EFFECTS, now: () => this.#now });
    this.#servers.push(server);
    const url = await server.app.listen({ port: 0, host: "127.0.0.1" });
    return Number(new URL(url).port);
  }

  /** Moves the clock of every server forward. */
  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds);
  }

  get now(): Date {
    return this.#now;
  }

  /** Returns a new simulated browser. By default it is on the site of the server at `port`. */
  browser({ port = this.port, origin }: { port?: number; origin?: string | null } = {}): Browser {
    const own = this.#options.server?.site?.origin ?? `http://localhost:${port}`;
    return new Browser({ port, origin: origin === undefined ? own : origin });
  }

  /** Requests a sign-in link, and returns the token from the email. */
  async linkFor(email: string, returnTo?: string): Promise<string> {
    const body = returnTo === undefined ? { email } : { email, returnTo };
    const reply = await this.browser().post("/auth/magic/request", body);
    if (reply.status !== 201) throw new Error(`the request for a sign-in link was rejected: ${reply.text}`);
    // Other emails, for example about decisions, can come before the one with the link.
    for (;;) {
      const token = findToken(await this.mailbox.next());
      if (token !== null) return token;
    }
  }

  async signInByMail(email: string, browser = this.browser()): Promise<SignedInBrowser> {
    const reply = await browser.post("/auth/magic/consume", { token: await this.linkFor(email) });
    return { browser, user: signedIn.parse(JSON.parse(reply.text)).user };
  }

  async signInByOrcid(person: Person, browser = this.browser()): Promise<SignedInBrowser> {
    const reply = await browser.get(await this.callbackFor(person, browser));
    return { browser, user: signedIn.parse(JSON.parse(reply.text)).user };
  }

  /**
   * Starts a sign-in in a browser and logs in at the provider. Returns the path of the callback, which the test can then open.
   */
  async callbackFor(person: Person, browser: Browser, returnTo = "/", add = true): Promise<string> {
    const start = await browser.get(`/auth/orcid/start?add=${add}&returnTo=${encodeURIComponent(returnTo)}`, {
      "sec-fetch-site": "same-origin",
    });
    if (start.status !== 200) throw new Error(`the start of the ORCID sign-in was rejected: ${start.text}`);
    const { pathname, search } = await this.provider.signIn(JSON.parse(start.text).authorizationUrl, person);
    return pathname + search;
  }

  /** Returns everything that the servers have logged so far, as text. */
  logged(): string {
    return this.#log.join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }

  #logger() {
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#log.push(chunk.toString("utf8"));
        done();
      },
    });
    return pino(destination);
  }
}
