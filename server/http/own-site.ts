/** The URL and title of the site that this server serves. */

import { ConfigurationError } from "../configuration-error.ts";

/** Hosts on this machine, for which plain HTTP is safe. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"] as const;

/** The site's URL, for links, cookies and the check of origins, and its title, for emails. */
export class Site {
  readonly title: string;
  readonly #url: URL | null;
  readonly #port: () => number;

  /**
   * `url` must be https, or http on this machine. Null means http on this machine, at the port that `port` returns.
   *
   * @throws ConfigurationError for any other URL
   */
  constructor(url: URL | null, port: () => number, title = "SHARE") {
    if (url !== null) requireSiteUrl(url);
    this.title = title;
    this.#url = url;
    this.#port = port;
  }

  /** The origin of the site, such as `https://share.example`, without a trailing slash. */
  get origin(): string {
    return this.#url?.origin ?? `http://localhost:${this.#port()}`;
  }

  /** True if the site uses HTTPS. Cookies then require it. */
  get isSecure(): boolean {
    return this.#url?.protocol === "https:";
  }

  /** True if an origin is the site's own. If no URL is configured, every name of this machine counts as its host. */
  isOwn(origin: string): boolean {
    if (this.#url !== null) return origin === this.#url.origin;
    return LOOPBACK.some((host) => origin === `http://${host}:${this.#port()}`);
  }

  buildUrl(path: string): string {
    return `${this.origin}${path}`;
  }
}

function requireSiteUrl({ protocol, hostname, username, password, pathname, search, hash }: URL): void {
  if (username + password + search + hash !== "" || pathname !== "/")
    throw new ConfigurationError(
      "the URL of the site (--site) may have only a scheme, a host and a port, such as https://share.example",
    );
  if (protocol === "https:") return;
  if (protocol !== "http:" || !LOOPBACK.some((host) => host === hostname))
    throw new ConfigurationError(
      "the URL of the site (--site) must use https, except on this machine, because over http others could read the cookies",
    );
}
