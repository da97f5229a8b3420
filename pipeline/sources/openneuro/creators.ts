/** OpenNeuro's authors, from the dataset's own description: names, and nothing besides. */

import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asText, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

export function readCreators(description: Reader, vocabularies: Vocabularies): CreatorsRead {
  const stated = description.list("Authors", ["creator_count", "person_creator_count"]);
  if (stated === null) return { creators: [], evidence: {} };
  const creators = stated
    .map((entry) =>
      readCreator(
        { name: asText(entry), given: null, family: null, type: null, orcid: null, affiliations: [] },
        vocabularies,
      ),
    )
    .filter((creator) => creator !== null);
  const people = creators.filter(({ person }) => person).length;
  return { creators, evidence: { creator_count: creators.length, person_creator_count: people } };
}
