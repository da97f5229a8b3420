/**
 * Sign-in links by email: stores and sends them, and signs users in. Known and unknown addresses cause the same work
 * and response, so that nobody learns who has an account. The account is looked up only when the link is used.
 */

import type { Transaction } from "kysely";
import { plural } from "../../pipeline/reading/text.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { foldedEmail } from "../../schemas/public/account/registration.ts";
import type { LinkRequest } from "../../schemas/public/account/sign-in.ts";
import { html } from "../../web/html.ts";
import { toOrganisationNetwork } from "../http/limits.ts";
import type { Site } from "../http/own-site.ts";
import type { Quota } from "../http/quotas.ts";
import { ProblemError } from "../http/response.ts";
import { countAttempt, removeExpiredAttempts } from "./attempts.ts";
import type { Accounts } from "./database.ts";
import type { Message, Outbox } from "./mail.ts";
import type { OpenedSession, Sessions } from "./sessions.ts";
import { accountOfEmail, digestOfToken, newToken } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

export const LINK_SECONDS = 900;

/** An email address gets at most this many times the number of links that one organisation may request for it. */
const ORGANISATIONS = 10;

export interface LinkServices {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly outbox: Pick<Outbox, "hasRoom" | "post">;
  /**
   * The number of links that one caller may request, and that the network of one organisation may request for one email
   * address. All networks together may request ten times as many for an address.
   */
  readonly quota: Quota;
  readonly now: Effects["now"];
}

export interface ConsumedLink extends OpenedSession {
  readonly user: User;
  readonly returnTo: string;
}

type Trx = Transaction<AccountTables>;

export class MagicLinks {
  readonly #parts: LinkServices;

  constructor(parts: LinkServices) {
    this.#parts = parts;
  }

  /**
   * Stores a new link and queues the email.
   * @throws ProblemError `too-many-links`, or `overloaded` if too many emails wait
   */
  async request({ email, returnTo }: LinkRequest, callerAddress: string, requestId: string): Promise<void> {
    const { accounts, outbox, site, now } = this.#parts;
    const to = foldedEmail(email);
    if (!outbox.hasRoom(to)) {
      throw new ProblemError("overloaded", "Too many emails are waiting to be sent. Try again in a minute.", {
        headers: { "retry-after": "60" },
      });
    }
    const at = now();
    const token = newToken();
    await accounts.db.transaction().execute(async (trx) => {
      const { quota } = this.#parts;
      await this.#countRequest(trx, "link-caller", callerAddress, quota, at);
      // Counted by network, because otherwise a stranger could use up the links of somebody else, who then could not sign in.
      await this.#countRequest(trx, "link-address", `${to} ${toOrganisationNetwork(callerAddress)}`, quota, at);
      const all = { ...quota, requests: ORGANISATIONS * quota.requests };
      await this.#countRequest(trx, "link-address", to, all, at);
      const expires = new Date(at.getTime() + LINK_SECONDS * 1000);
      await trx
        .insertInto("magic_link")
        .values({
          digest: digestOfToken(token),
          email: to,
          return_to: returnTo,
          created_at: at.toISOString(),
          expires_at: expires.toISOString(),
          used_at: null,
        })
        .execute();
    });
    await removeExpiredAttempts(accounts.db, at);
    // The token is in the fragment, so that no server, log or referrer header contains it.
    const message = signInMessage({ to, link: site.buildUrl(`/auth/magic#token=${token}`), site, at });
    outbox.post({ ...message, requestId });
  }

  /** Uses a link and opens a session in one transaction, so that a second attempt fails even on another server. */
  async consume(token: string, agent: string | null): Promise<ConsumedLink> {
    const { accounts, sessions, now } = this.#parts;
    const at = now();
    return accounts.db.transaction().execute(async (trx) => {
      const link = await trx
        .updateTable("magic_link")
        .set({ used_at: at.toISOString() })
        .where("digest", "=", digestOfToken(token))
        .where("used_at", "is", null)
        .where("expires_at", ">", at.toISOString())
        .returning(["email", "return_to"])
        .executeTakeFirst();
      if (link === undefined) throw invalidLink();
      const user = await accountOfEmail(trx, link.email, at);
      const opened = await sessions.open(user.id, { method: "mail", agent }, trx);
      return { ...opened, user, returnTo: link.return_to };
    });
  }

  /** Counts a request for a link, or throws if the quota is used up. A rejected request does not count. */
  async #countRequest(
    trx: Trx,
    kind: "link-caller" | "link-address",
    client: string,
    quota: Quota,
    now: Date,
  ): Promise<void> {
    const { accounts } = this.#parts;
    const seconds = await countAttempt(trx, { kind, subject: accounts.pseudonym(`${kind} ${client}`), quota, now });
    if (seconds === null) return;
    throw new ProblemError(
      "too-many-links",
      `Only ${quota.requests} sign-in links are sent in ${quota.seconds} seconds. Try again in ${plural(seconds, "second")}.`,
      { headers: { "retry-after": String(seconds) }, usedUp: { name: "link", quota, resetSeconds: seconds } },
    );
  }
}

/** Returns the same problem for an unknown, an expired and a used link, so that it tells a guesser nothing about a token. */
export function invalidLink(): ProblemError {
  return new ProblemError("link-used", "This sign-in link is invalid, expired or already used. Request a new one.");
}

interface SignInLink {
  readonly to: string;
  readonly link: string;
  readonly site: Pick<Site, "title" | "origin">;
  readonly at: Date;
}

const ONCE = "It works once, for 15 minutes.";
const NOT_YOU =
  "If you did not request it, ignore this email and do not forward it. Nobody is signed in unless the link is opened.";

export function signInMessage({ to, link, site, at }: SignInLink): Message {
  return { to, subject: `Sign in to ${site.title}`, text: plainText(link, site), html: markup(link, site), at };
}

function plainText(link: string, { title, origin }: SignInLink["site"]): string {
  return `Sign in to ${title}, at ${origin}, with this link:

${link}

${ONCE}

${NOT_YOU}
`;
}

/** Returns the HTML of the email. Styles are inline, because mail programs ignore style sheets. */
function markup(link: string, { title, origin }: SignInLink["site"]): string {
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Sign in to ${title}</title></head>
<body style="margin:0;padding:2rem 1rem;font:16px/1.55 system-ui,'Segoe UI',Roboto,sans-serif;color:#1b2228;background:#ffffff">
<p style="margin:0 0 1.25rem">Sign in to ${title}, at ${origin}:</p>
<p style="margin:0 0 1.25rem"><a href="${link}" style="display:inline-block;padding:.7rem 1.2rem;border-radius:.5rem;background:#0b5a6e;color:#ffffff;text-decoration:none;font-weight:600">Sign in</a></p>
<p style="margin:0 0 1.25rem">${ONCE} If the button does not work, copy this address into your browser:<br><a href="${link}" style="color:#0b5a6e;word-break:break-all">${link}</a></p>
<p style="margin:0;color:#55616b">${NOT_YOU}</p>
</body>
</html>`.text
  }\n`;
}
