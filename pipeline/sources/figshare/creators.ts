/** Figshare authors: a full name, since 2023 its two parts, and an ORCID; no affiliations. */

import { orcidOf } from "../../reading/identifiers.ts";
import { type CreatorsRead, creatorCounts, readCreator } from "../../reading/people.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

const COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count"] as const;

export function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const stated = reader.list("authors", COLUMNS);
  if (stated === null) return { creators: [], evidence: {} };
  const creators = stated
    .map((entry) =>
      readCreator(
        {
          name: asText(at(entry, "full_name")),
          given: asText(at(entry, "first_name")),
          family: asText(at(entry, "last_name")),
          // An author of figshare is a person: it has no authors of another type.
          type: "person",
          orcid: orcidOf(asText(at(entry, "orcid_id"))),
          affiliations: [],
        },
        vocabularies,
      ),
    )
    .filter((creator) => creator !== null);
  return { creators, evidence: creatorCounts(creators) };
}
