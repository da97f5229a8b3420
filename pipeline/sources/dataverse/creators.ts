/** Dataverse authors and the others who took part: contributors, producers, distributors, contacts. */

import type { Affiliation, Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { isniOf, orcidOf, organisationPidOf, rorOf } from "../../reading/identifiers.ts";
import { type CreatorsRead, contributorCounts, readCreator } from "../../reading/people.ts";
import { asText, at } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { type Fields, part } from "./fields.ts";

const AUTHOR_COLUMNS = [
  "creator_count",
  "person_creator_count",
  "creator_pid_count",
  "organization_pid_count",
] as const;

export function readCreators(fields: Fields, vocabularies: Vocabularies): CreatorsRead {
  const stated = fields.list("author", AUTHOR_COLUMNS);
  const creators: Creator[] = [];
  const people = new Set<string>();
  const organisations = new Set<string>();
  let plain = false;
  for (const entry of stated ?? []) {
    const creator = authorOf(entry, vocabularies);
    if (creator === null) continue;
    creators.push(creator);
    const pid = creator.person ? (creator.orcid ?? isniIn(entry)) : null;
    if (pid !== null) people.add(pid);
    for (const id of organisationPids(entry, creator)) organisations.add(id);
    plain ||= creator.affiliations.some(({ ror }) => ror === null);
  }
  const authors: Partial<Evidence> = {
    creator_count: creators.length,
    person_creator_count: creators.filter(({ person }) => person).length,
    creator_pid_count: people.size,
    // Only installations with a look-up of institutions store more than their names: no id there is no sign of none.
    organization_pid_count: organisations.size || (plain ? null : 0),
  };
  return {
    creators,
    evidence: { ...(stated === null ? {} : authors), ...contributors(fields, creators, vocabularies) },
  };
}

function authorOf(entry: unknown, vocabularies: Vocabularies): Creator | null {
  return readCreator(
    {
      name: part(entry, "authorName"),
      given: null,
      family: null,
      type: null,
      orcid: schemeOf(entry).includes("orcid") ? orcidOf(part(entry, "authorIdentifier")) : null,
      affiliations: affiliationsOf(entry),
    },
    vocabularies,
  );
}

/** The scheme of an author's identifier, or the address it is given by. */
function schemeOf(entry: unknown): string {
  const scheme = part(entry, "authorIdentifierScheme") ?? part(entry, "authorIdentifier") ?? "";
  return scheme.toLowerCase();
}

function isniIn(entry: unknown): string | null {
  return schemeOf(entry).includes("isni") ? isniOf(part(entry, "authorIdentifier")) : null;
}

/** A name, or where the installation looks institutions up, their ROR address with the name beside it. */
function affiliationsOf(entry: unknown): Affiliation[] {
  const stated = at(entry, "authorAffiliation", "value");
  if (typeof stated !== "string" || stated.trim() === "") return [];
  const name = asText(at(entry, "authorAffiliation", "expandedvalue", "termName"));
  return [{ text: name ?? stated, ror: rorOf(stated) ?? rorOf(part(entry, "authorAffiliationIdentifier")) }];
}

function* organisationPids(entry: unknown, creator: Creator): Generator<string> {
  for (const { ror } of creator.affiliations) if (ror !== null) yield `ror:${ror}`;
  if (creator.person) return;
  const pid = organisationPidOf(part(entry, "authorIdentifier"), schemeOf(entry));
  if (pid !== null) yield pid;
}

const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

/** Fields that name people, and the role the field itself stands for. */
const TAKING_PART = [
  { field: "contributor", name: "contributorName", role: null },
  { field: "producer", name: "producerName", role: "Producer" },
  { field: "distributor", name: "distributorName", role: "Distributor" },
  { field: "datasetContact", name: "datasetContactName", role: "ContactPerson" },
] as const;

/** Every dataset has a contact, as a rule one of its authors. */
function contributors(fields: Fields, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const lists = TAKING_PART.map(({ field, name, role }) =>
    fields
      .list(field, CONTRIBUTOR_COLUMNS)
      ?.map((entry) => ({ name: part(entry, name), role: role ?? part(entry, "contributorType") })),
  );
  const stated = lists.filter((list) => list !== undefined);
  return stated.length < lists.length ? {} : contributorCounts(stated.flat(), creators, vocabularies);
}
