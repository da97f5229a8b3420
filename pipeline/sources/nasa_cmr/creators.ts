/** The people and centres behind a CMR collection: investigators, the creator as cited, contacts, and the centres that made the data. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { counted } from "../../reading/normalised.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asList, asText, at, firstText, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** UMM's roles in DataCite's words; ARCHIVER and DISTRIBUTOR are left out, because that is the repository itself. */
const ROLES = new Map([
  ["ORIGINATOR", "Producer"],
  ["PROCESSOR", "Producer"],
  ["INVESTIGATOR", "Researcher"],
  ["SCIENCE CONTACT", "ContactPerson"],
  ["TECHNICAL CONTACT", "ContactPerson"],
  ["DATA CENTER CONTACT", "ContactPerson"],
  ["SCIENCE SOFTWARE DEVELOPMENT", "ResearchGroup"],
  ["METADATA AUTHOR", "DataCurator"],
]);

const CREATOR_COLUMNS = ["creator_count", "person_creator_count"] as const;
const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

/** Creators are the investigators; where none is named, the creators as the collection is cited. */
export function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const persons = reader.list("ContactPersons", [...CREATOR_COLUMNS, ...CONTRIBUTOR_COLUMNS]);
  const citations = reader.list("CollectionCitations", CREATOR_COLUMNS);
  const named = (persons ?? []).flatMap((entry) => {
    const creator = person(entry, vocabularies);
    return creator === null ? [] : [{ creator, roles: rolesOf(entry) }];
  });
  const investigators = named.filter(({ roles }) => roles.includes("INVESTIGATOR")).map(({ creator }) => creator);
  const cited = (citations ?? []).flatMap((entry) => asCited(at(entry, "Creator"), vocabularies));
  const creators = investigators.length > 0 ? investigators : cited;
  const people = creators.filter((creator) => creator.person).length;
  const contacts = named.filter(({ roles }) => !roles.includes("INVESTIGATOR")).map(({ roles }) => roles);
  return {
    creators,
    evidence: {
      creator_count: counted(creators.length, [persons, citations]),
      person_creator_count: counted(people, [persons, citations]),
      ...contributors(reader, contacts, persons, vocabularies),
    },
  };
}

/** Everybody named who is neither a creator nor the repository. */
function contributors(
  reader: Reader,
  contacts: readonly (readonly string[])[],
  persons: readonly unknown[] | null,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const centres = reader.list("DataCenters", CONTRIBUTOR_COLUMNS);
  const groups = reader.list("ContactGroups", CONTRIBUTOR_COLUMNS);
  const isNamed = (entry: unknown, key: string) => {
    const name = asText(at(entry, key));
    return name !== null && !vocabularies.placeholders.isPlaceholder(name, "name");
  };
  const makers = (centres ?? [])
    .filter((entry) => isNamed(entry, "ShortName"))
    .map(rolesOf)
    .filter((roles) => roles.some((role) => role === "ORIGINATOR" || role === "PROCESSOR"));
  const others = (groups ?? []).filter((entry) => isNamed(entry, "GroupName")).map(rolesOf);
  const all = [...contacts, ...makers, ...others];
  const inRole = all.filter((roles) => roles.some((role) => vocabularies.roles.counts(ROLES.get(role) ?? "")));
  const parts = [persons, centres, groups];
  return {
    contributor_count: counted(all.length, parts),
    contributor_role_count: counted(inRole.length, parts),
  };
}

function rolesOf(entry: unknown): string[] {
  const roles = at(entry, "Roles");
  return (Array.isArray(roles) ? asList(roles) : [roles])
    .map((role) => asText(role)?.toUpperCase() ?? "")
    .filter((role) => role !== "");
}

function person(entry: unknown, vocabularies: Vocabularies): Creator | null {
  const [first, middle, last] = ["FirstName", "MiddleName", "LastName"].map((key) => asText(at(entry, key)));
  const given = [first, middle].filter((part) => typeof part === "string").join(" ");
  const affiliation = firstText(at(entry, "NonDataCenterAffiliation"), at(entry, "Affiliation"));
  return readCreator(
    {
      name: null,
      given: given === "" ? null : given,
      family: last ?? null,
      type: "person",
      orcid: null,
      affiliations: affiliation === null ? [] : [{ text: affiliation, ror: null, country: countryOf(entry) }],
    },
    vocabularies,
  );
}

/** The country of a person's first address, in the words of the field for it. */
function countryOf(entry: unknown): string | null {
  return asText(at(asList(at(entry, "ContactInformation", "Addresses"))[0], "Country"));
}

/**
 * A citation names its creators in one free text: a project, a team, or any number of people in any style. Who in it
 * is one person cannot be told, so it is shown as it stands, and no person is made of it.
 */
function asCited(creator: unknown, vocabularies: Vocabularies): Creator[] {
  const stated = { name: asText(creator), given: null, family: null, orcid: null, affiliations: [] };
  const cited = readCreator({ ...stated, type: "organisation" }, vocabularies);
  return cited === null ? [] : [cited];
}
