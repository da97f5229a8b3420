/**
 * The cookies of signing in. Over TLS their names begin with `__Host-`: browsers take such a cookie only with Secure, for
 * the whole of one host, and from that host alone (RFC 6265bis, 4.1.3.2), so no neighbouring host can plant one. On this
 * machine's plain http they have neither.
 */

import type { FastifyReply } from "fastify";
import { secretToken } from "../../../schemas/public/account/session.ts";
import type { SentCookies } from "../../frame/reading/sent-cookies.ts";
import { SESSION_SECONDS } from "./sessions.ts";
import type { Site } from "./site.ts";

/** A reply that can tell a browser to keep a cookie. */
export type CookieReply = Pick<FastifyReply, "setCookie">;

/** How long somebody may take at the identity provider. */
export const PENDING_SECONDS = 600;

const SECONDS = { share_session: SESSION_SECONDS, share_sign_in: PENDING_SECONDS } as const;
type CookieName = keyof typeof SECONDS;

export class Cookies {
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  /** The token of a cookie; null where there is none, or what there is cannot be one. */
  read(sent: SentCookies, name: CookieName): string | null {
    const token = secretToken.safeParse(sent[this.#nameOf(name)]);
    return token.success ? token.data : null;
  }

  set(reply: CookieReply, name: CookieName, token: string): void {
    reply.setCookie(this.#nameOf(name), token, { ...this.#attributes(), maxAge: SECONDS[name] });
  }

  clear(reply: CookieReply, name: CookieName): void {
    reply.setCookie(this.#nameOf(name), "", { ...this.#attributes(), maxAge: 0 });
  }

  #nameOf(name: CookieName): string {
    return this.#site.secure ? `__Host-${name}` : name;
  }

  /** Lax: sent along when the identity provider sends the browser back, and not with what other sites post or embed. */
  #attributes() {
    return { path: "/", httpOnly: true, secure: this.#site.secure, sameSite: "lax" } as const;
  }
}
