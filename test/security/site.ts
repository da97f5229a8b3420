/**
 * The site that security tests attack: a listening server with real mail and a real identity provider, browsers of attackers and
 * of honest people, and a list of every secret that the site has issued.
 */

import { existsSync, readFileSync } from "node:fs";
import { sql } from "kysely";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { deriveSecrets } from "../../server/accounts/orcid-sign-in.ts";
import type { ServerOptions } from "../../server/index.ts";
import { problemIn } from "../account/world.ts";
import type { Reply } from "../server/ask.ts";
import { Browser, type BrowserOptions } from "../sign-in/browser.ts";
import type { Person } from "../sign-in/identity-provider.ts";
import { findToken } from "../sign-in/mailbox.ts";
import { SignInWorld } from "../sign-in/world.ts";

/** Secrets that the site has issued. Each has a description, so that a failed test can say which kind of secret it found. */
export type Secrets = Map<string, string>;

/** A browser that records the cookies, codes and keys that it receives. */
export class WatchedBrowser extends Browser {
  readonly #secrets: Secrets;

  constructor(options: BrowserOptions, secrets: Secrets) {
    super(options);
    this.#secrets = secrets;
  }

  override async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const query = new URLSearchParams(path.split("?")[1]);
    if (path.startsWith("/auth/orcid/callback")) this.#keep("code", query.get("code"));
    return this.#watch(await super.get(path, headers));
  }

  override async post(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#watch(await super.post(path, body, headers));
  }

  override async delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#watch(await super.delete(path, headers));
  }

  #watch(reply: Reply): Reply {
    for (const line of reply.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#keep(`cookie ${name}`, value);
      if (!name.endsWith("sign_in") || value === "") continue;
      for (const [check, derived] of Object.entries(deriveSecrets(value))) this.#keep(check, derived);
    }
    this.#keep("key", /share_live_\w{32}/.exec(reply.text)?.[0]);
    return reply;
  }

  /**
   * Records a value of at least 40 characters. A shorter value is not a secret, and could occur in a text by chance: attackers
   * invent such values, and cleared cookies are empty.
   */
  #keep(name: string, value: string | null | undefined): void {
    if (value != null && value.length >= 40) this.#secrets.set(value, name);
  }
}

export interface SiteOptions {
  readonly store?: Store;
  readonly server?: Partial<ServerOptions>;
}

export class AttackedSite implements AsyncDisposable {
  readonly world: SignInWorld;
  /** The account store of the site, opened a second time, as another process would open it. */
  readonly accounts: Accounts;
  readonly secrets: Secrets = new Map();
  readonly #target: AccountTarget;

  private constructor(world: SignInWorld, accounts: Accounts, target: AccountTarget) {
    this.world = world;
    this.accounts = accounts;
    this.#target = target;
  }

  static async open(target: AccountTarget, options: SiteOptions = {}): Promise<AttackedSite> {
    const world = await SignInWorld.make({ accounts: target, ...options });
    return new AttackedSite(world, await openAccounts(target), target);
  }

  /**
   * Returns a new browser without cookies. It sends the Origin `origin`, by default that of the site, or none if `origin` is
   * null.
   */
  browser({ port = this.world.port, origin }: { port?: number; origin?: string | null } = {}): WatchedBrowser {
    const from = origin === undefined ? `http://localhost:${port}` : origin;
    return new WatchedBrowser({ port, origin: from }, this.secrets);
  }

  async byMail(email: string, browser: Browser = this.browser()): Promise<SignedIn> {
    return signedIn(await this.world.signInByMail(email, browser));
  }

  async byOrcid(person: Person, browser: Browser = this.browser()): Promise<SignedIn> {
    return signedIn(await this.world.signInByOrcid(person, browser));
  }

  /** True if a request with this session token in the cookie `name` is signed in. */
  async opens(token: string, name = "share_session", port = this.world.port): Promise<boolean> {
    const browser = this.browser({ port });
    browser.cookies.set(name, token);
    return (await browser.get("/account/sessions")).status === 200;
  }

  /** Returns every row of every table as text. */
  async dump(): Promise<string> {
    const parts: string[] = [];
    for (const { name } of await this.accounts.db.introspection.getTables())
      parts.push(JSON.stringify([name, (await sql`select * from ${sql.table(name)}`.execute(this.accounts.db)).rows]));
    return parts.join("\n");
  }

  /**
   * Returns the kinds of secrets that were issued as `handed`, and the places where a secret is stored or logged as `found`.
   */
  async writtenDown(): Promise<{ readonly handed: readonly string[]; readonly found: readonly string[] }> {
    for (const message of this.world.mailbox.received) {
      const token = findToken(message);
      if (token !== null) this.secrets.set(token, "link");
    }
    this.secrets.set(this.world.provider.clientSecret, "client secret");
    const places = new Map([
      ["the database", await this.dump()],
      ["the log", this.world.logged()],
    ]);
    if ("sqlite" in this.#target) {
      // The file and its log of writes, whatever tables may have been forgotten.
      const { sqlite } = this.#target;
      for (const path of [sqlite, `${sqlite}-wal`].filter((each) => existsSync(each)))
        places.set(path, readFileSync(path, "latin1"));
    }
    const found = [...this.secrets].flatMap(([secret, name]) =>
      [...places].filter(([, text]) => text.includes(secret)).map(([place]) => `${name} in ${place}`),
    );
    return { handed: [...new Set(this.secrets.values())].sort(), found };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.accounts.close();
    await this.world[Symbol.asyncDispose]();
  }
}

export interface SignedIn {
  readonly browser: Browser;
  readonly user: User;
  /** The value of the session cookie. */
  readonly token: string;
}

function signedIn({ browser, user }: Pick<SignedIn, "browser" | "user">): SignedIn {
  return { browser, user, token: getToken(browser) };
}

/** Returns the session token of a browser, whether the cookie has the prefix `__Host-` or not. */
export function getToken({ cookies }: Browser): string {
  return cookies.get("share_session") ?? cookies.get("__Host-share_session") ?? "";
}

/** Returns status and type of a problem, such as `403 wrong-origin`, or the status alone if the request succeeded. */
export function describeVerdict(reply: Reply): string {
  if (reply.status < 400) return String(reply.status);
  const { status, type } = problemIn(reply);
  return `${status} ${type}`;
}
