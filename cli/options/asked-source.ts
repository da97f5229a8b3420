/** The source a command asks: by its name, through which door, in whose name, with which credentials. */

import type { HttpOptions } from "../../pipeline/1-harvest/index.ts";
import { nearest } from "../../pipeline/reading/nearest.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { shown } from "../text/wrapped.ts";
import { contactOf, given } from "./contact.ts";
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
    if (host !== undefined && source.installations !== true) {
      throw new UsageError(`${source.name} is one service: it has no other host`);
    }
    return source;
  }
  if (source.name !== "datacite") throw new UsageError("--oai brings DataCite's metadata: harvest datacite --oai …");
  if (host !== undefined) throw new UsageError("--oai says whom to ask, and so does --host: give one of them");
  if (!URL.canParse(oai)) throw new UsageError(`--oai ${oai} is no address; write it as https://zenodo.org/oai2d`);
  return dataciteByOai(oai);
}

type Asked = Required<Pick<HttpOptions, "contact" | "secret" | "installations" | "base">>;

/** The caller and the called: hosts that others run, and secrets, come from the environment and from nowhere else. */
export function askedAs(source: Source, { host, oai }: Door): Asked {
  const variable = oai === undefined ? `SHARE_${source.name.toUpperCase()}_HOSTS` : "SHARE_OAI_HOSTS";
  const installations = (process.env[variable] ?? "").split(",").flatMap((each) => each.trim() || []);
  return {
    contact: contactOf(process.env),
    secret: source.credential === undefined ? null : given(process.env, source.credential.variable),
    installations,
    base: host === undefined ? source.walk.base : `https://${host}`,
  };
}
