/** Creators of an EDI package, and everybody else its EML names. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { isniOf, orcidOf, organisationPidOf } from "../../reading/identifiers.ts";
import { type CreatorsRead, contributorCounts, readCreator } from "../../reading/people.ts";
import { asObject, asText, at, type Json, type Reader } from "../../reading/reader.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, elementsOf } from "./elements.ts";

const CREATOR_COLUMNS = [
  "creator_count",
  "person_creator_count",
  "creator_pid_count",
  "organization_pid_count",
] as const;
const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

/** EML's roles in DataCite's words, where they are not the same. */
const ROLES = new Map([
  ["author", "Researcher"],
  ["contentprovider", "DataCollector"],
  ["custodiansteward", "DataManager"],
  ["metadataprovider", "DataCurator"],
  ["originator", "Producer"],
  ["owner", "RightsHolder"],
  ["pointofcontact", "ContactPerson"],
  ["principalinvestigator", "ProjectLeader"],
  ["coprincipalinvestigator", "ProjectLeader"],
  ["pi", "ProjectLeader"],
  ["copi", "ProjectLeader"],
  ["processor", "DataCurator"],
  ["publisher", "Distributor"],
]);

/** Creators in their order, and what they and everybody else named are as evidence. */
export function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const parties = partiesOf(reader);
  const stated = distinct(parties("creator", CREATOR_COLUMNS));
  const read = stated.map((party) => ({ party, people: creatorsOf(party, vocabularies) }));
  const creators = read.flatMap(({ people }) => people);
  const personPids = read.flatMap(({ party, people }) => {
    const [first] = people;
    return first?.person && people.length === 1 ? [first.orcid ?? isniIn(party)] : [];
  });
  const organisationPids = stated.flatMap(organisationPidsOf);
  return {
    creators,
    evidence: {
      creator_count: creators.length,
      person_creator_count: creators.filter((creator) => creator.person).length,
      creator_pid_count: new Set(personPids.filter((pid) => pid !== null)).size,
      organization_pid_count: new Set(organisationPids).size,
      ...contributors(parties, creators, vocabularies),
    },
  };
}

type Parties = (name: string, columns: readonly EvidenceName[]) => Json[];

const PARTIES = ["creator", "contact", "associatedParty", "metadataProvider", "publisher"];

/** Parties by element name; one that only refers to another by its id is that other, with its own role. */
function partiesOf(reader: Reader): Parties {
  const personnel = allAt(reader.raw("project"), "personnel")
    .map(asObject)
    .filter((party) => party !== null);
  const all = [...PARTIES.flatMap((name) => elementsOf(reader, name, [])), ...personnel];
  const byId = new Map(all.filter((party) => party.references === undefined).map((party) => [party["@id"], party]));
  return (name, columns) => {
    const stated = name === "personnel" ? personnel : elementsOf(reader, name, columns);
    return stated.flatMap((party) => {
      const target = party.references === undefined ? party : byId.get(xmlTextOf(party.references));
      return target === undefined ? [] : [{ ...target, role: party.role }];
    });
  };
}

/** A creator that is listed again by reference is one creator. */
function distinct(parties: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return parties.filter((party) => {
    const id = asText(party["@id"]);
    if (id === null) return true;
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

/** The people a party names; where it names none, its organisation or its position. */
function creatorsOf(party: Json, vocabularies: Vocabularies): Creator[] {
  const organisation = xmlTextOf(allAt(party, "organizationName")[0]);
  const people = allAt(party, "individualName");
  const orcid = people.length === 1 ? orcidIn(party) : null;
  const country = xmlTextOf(at(allAt(party, "address")[0], "country"));
  const affiliations = organisation === null ? [] : [{ text: organisation, ror: null, country }];
  const read = people.map((name) => {
    const given = allAt(name, "givenName")
      .map(xmlTextOf)
      .filter((part) => part !== null)
      .join(" ");
    const family = xmlTextOf(at(name, "surName"));
    const stated = { name: null, given: given === "" ? null : given, family, type: "person", orcid } as const;
    return readCreator({ ...stated, affiliations }, vocabularies);
  });
  const named = read.filter((creator) => creator !== null);
  if (named.length > 0) return named;
  const name = organisation ?? xmlTextOf(allAt(party, "positionName")[0]);
  const nobody = { given: null, family: null, orcid: null, affiliations: [] };
  const body = readCreator({ ...nobody, name, type: "organisation" }, vocabularies);
  return body === null ? [] : [body];
}

function idsOf(party: Json): { readonly text: string | null; readonly directory: string }[] {
  return allAt(party, "userId").map((id) => ({
    text: xmlTextOf(id),
    directory: (asText(at(id, "@directory")) ?? "").toLowerCase(),
  }));
}

function orcidIn(party: Json): string | null {
  const ids = idsOf(party).filter(({ text, directory }) => /orcid/i.test(`${directory} ${text}`));
  return ids.map(({ text }) => orcidOf(text)).find((orcid) => orcid !== null) ?? null;
}

function isniIn(party: Json): string | null {
  const ids = idsOf(party).filter(({ text, directory }) => /isni/i.test(`${directory} ${text}`));
  return ids.map(({ text }) => isniOf(text)).find((isni) => isni !== null) ?? null;
}

/** An ISNI beside a person's name is the person's. */
function organisationPidsOf(party: Json): string[] {
  const isPerson = allAt(party, "individualName").length > 0;
  return idsOf(party)
    .filter(({ text, directory }) => !(isPerson && /isni|orcid/i.test(`${directory} ${text}`)))
    .map(({ text, directory }) => organisationPidOf(text, directory === "" ? null : directory))
    .filter((pid) => pid !== null);
}

/**
 * Associated parties, the project's staff and named contacts who are not creators. Being a contact says nothing of a part
 * in the work, so it is no role; contacts by position are the site's.
 */
function contributors(parties: Parties, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const contacts = parties("contact", CONTRIBUTOR_COLUMNS)
    .filter((party) => allAt(party, "individualName").length > 0)
    .map((party) => ({ ...party, role: null }));
  const stated = [...parties("associatedParty", CONTRIBUTOR_COLUMNS), ...parties("personnel", []), ...contacts];
  return contributorCounts(
    stated.flatMap((party) => {
      const role = xmlTextOf(party.role) ?? "";
      const word = ROLES.get(role.toLowerCase().replace(/[^a-z]/g, "")) ?? role;
      return creatorsOf(party, vocabularies).map(({ name }) => ({ name, role: word }));
    }),
    creators,
    vocabularies,
  );
}
