/** Zenodo creators: a name, perhaps an ORCID, affiliations as plain text or, in InvenioRDM, by name and ROR id. */

import type { Affiliation, Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { orcidOf, rorOf } from "../../reading/identifiers.ts";
import { creatorCounts, readCreator } from "../../reading/people.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** The creators, or null where they cannot be read. */
export function readCreators(reader: Reader, vocabularies: Vocabularies): Creator[] | null {
  const stated = reader.list("creators", ["creator_count", "person_creator_count", "creator_pid_count"]);
  return (
    stated?.flatMap((entry) => {
      const affiliation = at(entry, "affiliation");
      const creator = readCreator(
        {
          name: asText(at(entry, "name")),
          given: null,
          family: null,
          type: typeOf(at(entry, "type")),
          orcid: orcidOf(asText(at(entry, "orcid"))),
          affiliations: (Array.isArray(affiliation) ? affiliation : [affiliation]).flatMap(affiliationOf),
        },
        vocabularies,
      );
      return creator === null ? [] : [creator];
    }) ?? null
  );
}

/** An institution that is given by its ROR id alone is named by that id's address. */
function affiliationOf(stated: unknown): Affiliation[] {
  const ror = rorOf(asText(at(stated, "id")));
  const text = typeof stated === "string" ? stated : (at(stated, "name") ?? (ror && `https://ror.org/${ror}`));
  return typeof text === "string" && text.trim() !== "" ? [{ text, ror }] : [];
}

function typeOf(type: unknown): "person" | "organisation" | null {
  const text = asText(type)?.toLowerCase();
  return text === "personal" ? "person" : text === "organizational" ? "organisation" : null;
}

export function creatorEvidence(creators: readonly Creator[] | null): Partial<Evidence> {
  return creators === null ? {} : creatorCounts(creators);
}
