/** The site's own address: where its pages may act from, where its cookies hold, and what its links begin with. */

import { ConfigurationError } from "../../http/quotas.ts";

/** Hosts that only this machine reaches: nobody listens in between, so plain HTTP will do. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"] as const;

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
