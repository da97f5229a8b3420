/** Decides which addresses a harvest may contact: the source's own hosts over https, and a test's loopback one. */

import type { Source } from "../../sources/adapter/source.ts";
import { BadHarvestOption, ForbiddenHost } from "../session/errors.ts";

export interface HostOptions {
  readonly base: string;
  /** Hosts from configuration, for a source that others run too. */
  readonly installations: readonly string[];
  /** Allows `base` to be any address: for tests on loopback. */
  readonly allowPrivate: boolean;
}

export class AllowedHosts {
  private readonly name: string;
  private readonly hosts: readonly string[];
  /** Address of a test's own server; with its port, so that nothing else of that machine is meant. */
  private readonly extra: string | null;

  constructor(source: Source, { base, installations, allowPrivate }: HostOptions) {
    if (!URL.canParse(base)) throw new BadHarvestOption(`"${base}" is no address`);
    this.name = source.name;
    this.hosts = source.installations === true ? [...source.hosts, ...installations] : source.hosts;
    this.extra = allowPrivate ? new URL(base).origin : null;
    this.check(base);
  }

  /** The address as a URL; throws {@link ForbiddenHost} where it may not be contacted. */
  check(address: string): URL {
    const url = URL.canParse(address) ? new URL(address) : null;
    const why = url === null ? "it is not a URL" : this.objectionTo(url);
    if (url !== null && why === null) return url;
    throw new ForbiddenHost(`${address} was not contacted: ${why}`);
  }

  private objectionTo(url: URL): string | null {
    if (url.username !== "" || url.password !== "") return "it has a user name or a password in it";
    if (url.origin === this.extra) return null;
    const hosts = this.hosts.join(", ");
    if (!this.hosts.includes(url.hostname)) return `${this.name} is harvested from ${hosts} only`;
    return url.protocol === "https:" && url.port === ""
      ? null
      : `${this.name} is harvested over https on port 443 only`;
  }
}
