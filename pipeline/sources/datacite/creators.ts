/** DataCite creators: people, organisations and their identifiers. */

import type { Affiliation, Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { isniOf, orcidOf, organisationPidOf, rorOf } from "../../reading/identifiers.ts";
import { readCreator } from "../../reading/people.ts";
import { asList, asText, at, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

export interface Creators {
  readonly list: readonly Creator[];
  /** Distinct ORCID and ISNI of the people. */
  readonly personPids: ReadonlySet<string>;
  readonly organisationPids: ReadonlySet<string>;
  /** Some affiliation came as plain text, which cannot carry an identifier. */
  readonly plainAffiliations: boolean;
}

const COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count", "organization_pid_count"] as const;

/** The creators, or null where the payload carries none or they cannot be read. */
export function readCreators(reader: Reader, vocabularies: Vocabularies): Creators | null {
  const stated = reader.list("creators", COLUMNS);
  if (stated === null) return null;
  const list: Creator[] = [];
  const personPids = new Set<string>();
  const organisationPids = new Set<string>();
  let plainAffiliations = false;
  for (const entry of stated) {
    const orcid = personPidOf(entry, "orcid");
    const creator = readCreator(
      {
        name: asText(at(entry, "name")),
        given: asText(at(entry, "givenName")),
        family: asText(at(entry, "familyName")),
        type: typeOf(entry),
        orcid,
        affiliations: affiliationsOf(entry),
      },
      vocabularies,
    );
    if (creator === null) continue;
    list.push(creator);
    const pid = creator.person ? (orcid ?? personPidOf(entry, "isni")) : null;
    if (pid !== null) personPids.add(pid);
    for (const id of organisationPidsOf(entry, creator)) organisationPids.add(id);
    plainAffiliations ||= asList(at(entry, "affiliation")).some((affiliation) => typeof affiliation === "string");
  }
  return { list, personPids, organisationPids, plainAffiliations };
}

/** Without `?affiliation=true` affiliations are plain text: no identifier seen there is no sign of none. */
export function creatorEvidence(reader: Reader, creators: Creators | null): Partial<Evidence> {
  if (creators === null) return {};
  const organisations = creators.organisationPids.size;
  const carriesOrganisations = organisations > 0 || !(creators.plainAffiliations || reader.has("legacy"));
  return {
    creator_count: creators.list.length,
    person_creator_count: creators.list.filter((creator) => creator.person).length,
    creator_pid_count: creators.personPids.size,
    organization_pid_count: carriesOrganisations ? organisations : null,
  };
}

function typeOf(entry: unknown): "person" | "organisation" | null {
  const type = asText(at(entry, "nameType"))?.toLowerCase();
  return type === "personal" ? "person" : type === "organizational" ? "organisation" : null;
}

/** The creator's ORCID or ISNI: by its scheme, or by its address where the scheme says neither. */
function personPidOf(entry: unknown, kind: "orcid" | "isni"): string | null {
  for (const identifier of asList(at(entry, "nameIdentifiers"))) {
    const text = asText(at(identifier, "nameIdentifier"));
    const scheme = `${asText(at(identifier, "nameIdentifierScheme")) ?? ""} ${asText(at(identifier, "schemeUri")) ?? ""} ${text ?? ""}`;
    if (!scheme.toLowerCase().includes(kind)) continue;
    const pid = kind === "orcid" ? orcidOf(text) : isniOf(text);
    if (pid !== null) return pid;
  }
  return null;
}

/** Identifiers of the organisations a creator belongs to, or is. */
function* organisationPidsOf(entry: unknown, creator: Creator): Generator<string> {
  for (const affiliation of asList(at(entry, "affiliation"))) {
    const scheme = asText(at(affiliation, "affiliationIdentifierScheme")) ?? asText(at(affiliation, "schemeUri"));
    const pid = organisationPidOf(asText(at(affiliation, "affiliationIdentifier")), scheme);
    if (pid !== null) yield pid;
  }
  if (creator.person) return;
  for (const identifier of asList(at(entry, "nameIdentifiers"))) {
    const scheme = asText(at(identifier, "nameIdentifierScheme"));
    const pid = organisationPidOf(asText(at(identifier, "nameIdentifier")), scheme);
    if (pid !== null) yield pid;
  }
}

function affiliationsOf(entry: unknown): Affiliation[] {
  const stated = at(entry, "affiliation");
  const list = Array.isArray(stated) ? asList(stated) : stated === undefined || stated === null ? [] : [stated];
  return list.flatMap((affiliation) => {
    const text = typeof affiliation === "string" ? affiliation : at(affiliation, "name");
    if (typeof text !== "string" || text.trim() === "") return [];
    return [{ text, ror: rorOf(asText(at(affiliation, "affiliationIdentifier"))) }];
  });
}
