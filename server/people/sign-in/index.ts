/** Signing in: the parts that its addresses work with, opened and closed with the server. */

import { join } from "node:path";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Quota } from "../../running/quotas.ts";
import type { Accounts } from "../accounts/index.ts";
import { Outbox } from "../mail/outbox.ts";
import { folderOffice, smtpOffice } from "../mail/post-office.ts";
import { Cookies } from "./cookies.ts";
import { MagicLinks } from "./magic-links.ts";
import { OrcidSignIn } from "./orcid-sign-in.ts";
import { Provider, type ProviderOptions } from "./provider.ts";
import { Sessions } from "./sessions.ts";
import { Site } from "./site.ts";
import { Sweeper } from "./sweeper.ts";

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
