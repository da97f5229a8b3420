/** The source a command asks: by its name, through which door, in whose name, with which credentials. */

import type { HttpOptions } from "../../pipeline/1-harvest/index.ts";
import { nearest } from "../../pipeline/reading/identifiers.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { shown } from "../text/wrapped.ts";
import { emailOf, given } from "./contact.ts";
import { UsageError } from "./exit-codes.ts";

export interface Door {
  /** Another installation of the service. */
  readonly host?: string;
  /** Address of a service that speaks OAI-PMH. */
  readonly oai?: string;
}

/** The source called `name`; a name there is none of is a mistake of use, and the nearest is named. */
export function knownSource(name: string): Source {
  const source = sourceNamed(name);
  if (source !== null) return source;
  const meant = nearest(
    name,
    SOURCES.map((each) => each.name),
  );
  throw new UsageError(
    `there is no source called "${shown(name)}"; did you mean ${meant}? The sources are ${sourceNames()}`,
  );
}

export function sourceNames(): string {
  return SOURCES.map(({ name }) => name).join(", ");
}

/** The source as it is asked through a door. */
export function throughDoor(source: Source, { host, oai }: Door): Source {
  if (oai === undefined) {
    if (host !== undefined) requireInstallation(source, host);
    return source;
  }
  if (source.name !== "datacite") throw new UsageError("--oai brings DataCite's metadata: harvest datacite --oai …");
  if (host !== undefined) throw new UsageError("--oai says whom to ask, and so does --host: give one of them");
  if (!URL.canParse(oai)) throw new UsageError(`--oai ${oai} is not a URL; write it as https://zenodo.org/oai2d`);
  return dataciteByOai(oai);
}

/** The sources that others run installations of, for the help. */
export const INSTALLABLE = SOURCES.filter(({ installations }) => installations === true).map(({ name }) => name);

function requireInstallation(source: Source, host: string): void {
  if (source.installations !== true) {
    const hosts = source.hosts.join(" and ");
    throw new UsageError(`--host is for ${INSTALLABLE.join(", ")} only; ${source.name} is one service, at ${hosts}`);
  }
  const address = `https://${host}`;
  if (!URL.canParse(address) || new URL(address).host !== host.toLowerCase()) {
    throw new UsageError(`--host ${host} is not a host name; write it as dataverse.example.org`);
  }
}

type Asked = Required<Pick<HttpOptions, "contact" | "secret" | "installations" | "base">>;

/**
 * Returns the caller and the called: hosts that others run, and secrets, come from the environment and from nowhere else.
 * @throws UsageError if the host is neither the source's own nor listed in the environment
 */
export function askedAs(source: Source, { host, oai }: Door): Asked {
  const variable = oai === undefined ? `SHARE_${source.name.toUpperCase()}_HOSTS` : "SHARE_OAI_HOSTS";
  const installations = (process.env[variable] ?? "").split(",").flatMap((each) => each.trim() || []);
  const base = host === undefined ? source.walk.base : `https://${host}`;
  const { hostname } = new URL(base);
  if (source.installations === true && ![...source.hosts, ...installations].includes(hostname)) {
    throw new UsageError(
      `${hostname} is not an allowed host, and was not contacted. ${source.hosts.join(" and ")} can always be asked. ` +
        `If you trust ${hostname}, allow it with ${variable}=${[...installations, hostname].join(",")}`,
    );
  }
  return {
    contact: emailOf(process.env),
    secret: source.credential === undefined ? null : given(process.env, source.credential.variable),
    installations,
    base,
  };
}
