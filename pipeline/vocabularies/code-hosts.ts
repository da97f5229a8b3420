// Hosts of source code: a link to one is linked code.
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** The longest name of a host (RFC 1035), and as much of an address as can hold one and what stands before it. */
const LONGEST_HOST = 253;
const ADDRESS_HEAD = 1000;

/** Recognises source-code hosts. */
export interface CodeHosts {
  /** Whether the address (with or without scheme, or in the `git@host:path` form) is on a source-code host. */
  isCodeHost(url: string): boolean;
}

/** Reads code-hosts.csv: a host stands for itself and its subdomains, `git.*` for every host whose first label is git. */
export function readCodeHosts(table: VocabularyTable): CodeHosts {
  const hosts = new Set(indexRows(table.rows, (row) => row.filled("host").toLowerCase()).keys());
  return {
    isCodeHost(url) {
      const labels = hostOf(url).split(".");
      // `git.example.org` is somebody's server; `git.io` is a domain of its own.
      if (labels.length > 2 && hosts.has(`${labels[0]}.*`)) return true;
      return labels.some((_, start) => hosts.has(labels.slice(start).join(".")));
    },
  };
}

function hostOf(url: string): string {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/\/)?(?:[^@/?#]*@)?([a-z0-9.-]+)(?=[:/?#]|$)/i.exec(
    url.trim().slice(0, ADDRESS_HEAD),
  )?.[1];
  return host && host.length <= LONGEST_HOST ? host.toLowerCase() : "";
}
