/** The people and organisations behind a trial: investigators, sponsors and collaborators. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { counted } from "../../reading/normalised.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asText, at, type Json } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { Study } from "./normalise.ts";

const CREATOR_COLUMNS = ["creator_count", "person_creator_count"] as const;
const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

/** What the two modules of people hold; null = the answer does not carry it. */
interface Stated {
  readonly responsible: Json | null;
  readonly sponsor: Json | null;
  readonly collaborators: readonly unknown[] | null;
  readonly officials: readonly unknown[] | null;
}

/**
 * Creators are the responsible and principal investigators; where the study names none, its lead sponsor.
 * Everybody else the study names (sponsor, collaborators, chairs, directors) is a contributor.
 */
export function readCreators(study: Study, vocabularies: Vocabularies): CreatorsRead {
  const stated = statedPeople(study);
  const { responsible, officials } = stated;
  const principal = (officials ?? []).filter((official) => at(official, "role") === "PRINCIPAL_INVESTIGATOR");
  const investigators = distinct(
    [
      person(at(responsible, "investigatorFullName"), at(responsible, "investigatorAffiliation"), vocabularies),
      ...principal.map((official) => person(at(official, "name"), at(official, "affiliation"), vocabularies)),
    ].filter((creator) => creator !== null),
    vocabularies,
  );
  const sponsor = organisation(stated.sponsor, vocabularies);
  const creators = investigators.length > 0 ? investigators : sponsor === null ? [] : [sponsor];
  return { creators, evidence: evidenceOf(stated, creators, sponsor, vocabularies) };
}

function statedPeople(study: Study): Stated {
  const sponsors = study.module("protocolSection", "sponsorCollaboratorsModule");
  const contacts = study.module("protocolSection", "contactsLocationsModule");
  return {
    responsible: sponsors.object("responsibleParty", CREATOR_COLUMNS),
    sponsor: sponsors.object("leadSponsor", [...CREATOR_COLUMNS, ...CONTRIBUTOR_COLUMNS, "funder_count"]),
    collaborators: sponsors.list("collaborators", [...CONTRIBUTOR_COLUMNS, "funder_count"]),
    officials: contacts.list("overallOfficials", [...CREATOR_COLUMNS, ...CONTRIBUTOR_COLUMNS]),
  };
}

function evidenceOf(
  stated: Stated,
  creators: readonly Creator[],
  sponsor: Creator | null,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const collaborators = (stated.collaborators ?? [])
    .map((collaborator) => organisation(collaborator, vocabularies))
    .filter((collaborator) => collaborator !== null);
  const others = (stated.officials ?? []).filter(
    (official) =>
      at(official, "role") !== "PRINCIPAL_INVESTIGATOR" && person(at(official, "name"), null, vocabularies) !== null,
  );
  const sponsorApart = sponsor !== null && !creators.includes(sponsor) ? 1 : 0;
  const inRole = others.filter((official) => vocabularies.roles.counts(asText(at(official, "role")) ?? ""));
  const creatorsFrom = [stated.responsible, stated.sponsor, stated.officials];
  const contributorsFrom = [stated.sponsor, stated.collaborators, stated.officials];
  return {
    creator_count: counted(creators.length, creatorsFrom),
    person_creator_count: counted(creators.filter((creator) => creator.person).length, creatorsFrom),
    contributor_count: counted(sponsorApart + collaborators.length + others.length, contributorsFrom),
    contributor_role_count: counted(sponsorApart + collaborators.length + inRole.length, contributorsFrom),
    funder_count: counted((sponsor === null ? 0 : 1) + collaborators.length, [stated.sponsor, stated.collaborators]),
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
