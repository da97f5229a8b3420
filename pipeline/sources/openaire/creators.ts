/** Authors of a research product, and the organisations it is affiliated with. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { isniOf, orcidOf, organisationPidOf } from "../../reading/identifiers.ts";
import { readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { modernised, partlyMapped } from "./answer.ts";

interface Creators {
  readonly list: readonly Creator[];
  readonly personPids: ReadonlySet<string>;
}

const CREATOR_COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count"] as const;

/** The authors in their order, or null where they cannot be read. */
export function readCreators(reader: Reader, vocabularies: Vocabularies): Creators | null {
  const stated = reader.list("authors", CREATOR_COLUMNS);
  if (stated === null) return null;
  const list: Creator[] = [];
  const personPids = new Set<string>();
  for (const entry of stated) {
    const author = modernised(asObject(entry) ?? {});
    const { orcid, isni } = pidsOf(author);
    const creator = readCreator(
      {
        name: asText(author.fullName),
        given: asText(author.name),
        family: asText(author.surname),
        type: null,
        orcid,
        affiliations: [],
      },
      vocabularies,
    );
    if (creator === null) continue;
    list.push(creator);
    const pid = creator.person ? (orcid ?? isni) : null;
    if (pid !== null) personPids.add(pid);
  }
  return { list, personPids };
}

/** An `orcid_pending` is an iD that a source gave and nobody has confirmed: an iD given all the same. */
function pidsOf(author: unknown): { readonly orcid: string | null; readonly isni: string | null } {
  const stated = at(author, "pid") ?? at(author, "pids");
  const ids = (Array.isArray(stated) ? asList(stated) : [stated]).map((pid) => at(pid, "id") ?? pid);
  const idUnder = (scheme: string) =>
    asText(
      at(
        ids.find((id) => asText(at(id, "scheme"))?.toLowerCase().startsWith(scheme)),
        "value",
      ),
    );
  return { orcid: orcidOf(idUnder("orcid")), isni: isniOf(idUnder("isni")) };
}

export function creatorEvidence(creators: Creators | null): Partial<Evidence> {
  if (creators === null) return {};
  return {
    creator_count: creators.list.length,
    person_creator_count: creators.list.filter((creator) => creator.person).length,
    creator_pid_count: creators.personPids.size,
  };
}

/** Organisations with an identifier; an answer that names them without their identifiers does not say there is none. */
export function organisationEvidence(reader: Reader): Partial<Evidence> {
  const organisations = partlyMapped(reader, "organizations", ["organization_pid_count"]);
  if (organisations === null) return {};
  const identified = organisations.filter((organisation) => asList(at(organisation, "pids")).some(isOrganisationPid));
  const carried = organisations.every((organisation) => Array.isArray(at(organisation, "pids")));
  return { organization_pid_count: identified.length > 0 || carried ? identified.length : null };
}

function isOrganisationPid(pid: unknown): boolean {
  return organisationPidOf(asText(at(pid, "value")), asText(at(pid, "scheme"))) !== null;
}
