/** Dryad authors: names in two parts, an ORCID, and one affiliation with the ROR id Dryad found for it. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import { orcidOf, organisationPidOf, rorOf } from "../../reading/identifiers.ts";
import { type CreatorsRead, creatorCounts, readCreator } from "../../reading/people.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

const COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count", "organization_pid_count"] as const;

export function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const stated = reader.list("authors", COLUMNS);
  if (stated === null) return { creators: [], evidence: {} };
  const creators: Creator[] = [];
  const organisations = new Set<string>();
  for (const entry of stated) {
    const creator = authorOf(entry, vocabularies);
    if (creator === null) continue;
    creators.push(creator);
    for (const [key, scheme] of [
      ["affiliationROR", "ROR"],
      ["affiliationISNI", "ISNI"],
    ] as const) {
      const pid = organisationPidOf(asText(at(entry, key)), scheme);
      if (pid !== null) organisations.add(pid);
    }
  }
  return { creators, evidence: { ...creatorCounts(creators), organization_pid_count: organisations.size } };
}

function authorOf(entry: unknown, vocabularies: Vocabularies): Creator | null {
  const affiliation = at(entry, "affiliation");
  const text = typeof affiliation === "string" && affiliation.trim() !== "" ? affiliation : null;
  return readCreator(
    {
      name: null,
      given: asText(at(entry, "firstName")),
      family: asText(at(entry, "lastName")),
      type: null,
      orcid: orcidOf(asText(at(entry, "orcid"))),
      affiliations: text === null ? [] : [{ text, ror: rorOf(asText(at(entry, "affiliationROR"))) }],
    },
    vocabularies,
  );
}
