/** OSF's bibliographic contributors, the authors of a citation, and the institutions a node belongs to. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { orcidOf, organisationPidOf } from "../../reading/identifiers.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asObject, asText, at, firstText, type Json, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { embeddedAttributes, embeddedList, isWhole } from "./embeds.ts";

const COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count"] as const;

export function readCreators(node: Json, reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const list = embeddedList(node, "bibliographic_contributors");
  if (list === "unreadable") reader.fail(COLUMNS);
  if (list === null || list === "unreadable") return { creators: [], evidence: {} };
  const creators = list.map((entry) => creatorOf(entry, vocabularies)).filter((creator) => creator !== null);
  const people = creators.filter((creator) => creator.person);
  const pids = new Set(people.map(({ orcid }) => orcid).filter((orcid) => orcid !== null)).size;
  // Behind the first page stand people nobody has seen: none of those shown speaks for them.
  const whole = isWhole(node, "bibliographic_contributors", list.length);
  return {
    creators,
    evidence: {
      creator_count: whole ? creators.length : null,
      person_creator_count: whole ? people.length : null,
      creator_pid_count: whole ? pids : pids || null,
    },
  };
}

/** A user; a name without an account; or, in place of a closed account, an error that still names the person. */
function creatorOf(entry: unknown, vocabularies: Vocabularies): Creator | null {
  const errors = at(entry, "embeds", "users", "errors");
  const closed = Array.isArray(errors) ? asObject(at(errors[0], "meta")) : null;
  const user = embeddedAttributes(entry, "users") ?? closed ?? {};
  const orcid = at(user, "social", "orcid");
  return readCreator(
    {
      name: firstText(at(entry, "attributes", "unregistered_contributor"), user.full_name),
      given: asText(user.given_name),
      family: asText(user.family_name),
      type: null,
      orcid: orcidOf(asText(Array.isArray(orcid) ? orcid[0] : orcid)),
      affiliations: [],
    },
    vocabularies,
  );
}

/** Institutions of the node; an answer older than their ROR ids cannot say that there is none. */
export function institutionEvidence(node: Json, reader: Reader): Partial<Evidence> {
  const list = embeddedList(node, "affiliated_institutions");
  if (list === "unreadable") reader.fail(["organization_pid_count"]);
  if (list === null || list === "unreadable") return {};
  const pids = new Set<string>();
  let carried = true;
  for (const entry of list) {
    const attributes = asObject(at(entry, "attributes")) ?? {};
    carried &&= Object.hasOwn(attributes, "ror_iri") || Object.hasOwn(attributes, "ror_uri");
    const pid = organisationPidOf(firstText(attributes.ror_iri, attributes.ror_uri), "ROR");
    if (pid !== null) pids.add(pid);
  }
  return { organization_pid_count: pids.size || (carried ? 0 : null) };
}
