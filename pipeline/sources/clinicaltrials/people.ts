/** Who stands behind a trial: investigators, sponsors and collaborators. */

import type { Creator } from "../../../schemas/capture.ts";
import type { Evidence } from "../../../schemas/evidence.ts";
import { readCreator } from "../../reading/people.ts";
import { asList, asText, at, type Json } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

interface People {
  readonly creators: readonly Creator[];
  readonly evidence: Partial<Evidence>;
}

/**
 * Creators are the responsible and principal investigators; where the study names none, its lead sponsor.
 * Everybody else the study names (sponsor, collaborators, chairs, directors) is a contributor.
 */
export function readPeople(protocol: Json, vocabularies: Vocabularies): People {
  const officials = asList(at(protocol, "contactsLocationsModule", "overallOfficials"));
  const responsible = at(protocol, "sponsorCollaboratorsModule", "responsibleParty");
  const principal = officials.filter((official) => at(official, "role") === "PRINCIPAL_INVESTIGATOR");
  const investigators = distinct(
    [
      person(at(responsible, "investigatorFullName"), at(responsible, "investigatorAffiliation"), vocabularies),
      ...principal.map((official) => person(at(official, "name"), at(official, "affiliation"), vocabularies)),
    ].filter((creator) => creator !== null),
    vocabularies,
  );
  const sponsor = organisation(at(protocol, "sponsorCollaboratorsModule", "leadSponsor"), vocabularies);
  const creators = investigators.length > 0 ? investigators : sponsor === null ? [] : [sponsor];
  return { creators, evidence: evidenceOf(protocol, creators, sponsor, officials, vocabularies) };
}

function evidenceOf(
  protocol: Json,
  creators: readonly Creator[],
  sponsor: Creator | null,
  officials: readonly unknown[],
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const collaborators = asList(at(protocol, "sponsorCollaboratorsModule", "collaborators"))
    .map((collaborator) => organisation(collaborator, vocabularies))
    .filter((collaborator) => collaborator !== null);
  const others = officials.filter(
    (official) =>
      at(official, "role") !== "PRINCIPAL_INVESTIGATOR" && person(at(official, "name"), null, vocabularies) !== null,
  );
  const sponsorApart = sponsor !== null && !creators.includes(sponsor) ? 1 : 0;
  const inRole = others.filter((official) => vocabularies.roles.counts(asText(at(official, "role")) ?? ""));
  return {
    creator_count: creators.length,
    person_creator_count: creators.filter((creator) => creator.person).length,
    contributor_count: sponsorApart + collaborators.length + others.length,
    contributor_role_count: sponsorApart + collaborators.length + inRole.length,
    funder_count: (sponsor === null ? 0 : 1) + collaborators.length,
  };
}

function person(name: unknown, affiliation: unknown, vocabularies: Vocabularies): Creator | null {
  const text = typeof affiliation === "string" && affiliation.trim() !== "" ? affiliation : null;
  return readCreator(
    {
      name: asText(name),
      given: null,
      family: null,
      type: "person",
      orcid: null,
      affiliations: text === null ? [] : [{ text, ror: null }],
    },
    vocabularies,
  );
}

/** A sponsor of class INDIV is a person who sponsors their own trial. */
function organisation(sponsor: unknown, vocabularies: Vocabularies): Creator | null {
  const type = at(sponsor, "class") === "INDIV" ? "person" : "organisation";
  return readCreator(
    { name: asText(at(sponsor, "name")), given: null, family: null, type, orcid: null, affiliations: [] },
    vocabularies,
  );
}

/** The responsible party is usually listed again among the officials. */
function distinct(creators: readonly Creator[], vocabularies: Vocabularies): Creator[] {
  const byName = new Map<string, Creator>();
  for (const creator of creators) {
    const key = vocabularies.names.foldName(creator.name);
    if (!byName.has(key)) byName.set(key, creator);
  }
  return [...byName.values()];
}
