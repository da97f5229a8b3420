/** The vocabularies, read once for all requests. */

import { loadVocabularies, type Vocabularies } from "../../../pipeline/vocabularies/index.ts";

let loaded: Promise<Vocabularies> | undefined;

export function loadedVocabularies(): Promise<Vocabularies> {
  loaded ??= loadVocabularies();
  return loaded;
}
