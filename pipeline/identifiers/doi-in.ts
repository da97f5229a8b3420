/** The DOI in what people type or paste: more spellings than payloads use, made one of those. */

import { doiOf } from "../reading/identifiers.ts";

/** A resolver's address; what follows a question mark or a hash sign there is not of the DOI, which would have it encoded. */
const RESOLVER = /^(?:https?:\/\/)?(?:(?:dx|www)\.)?doi\.org\/([^?#]+)(?:[?#]\S*)?$/i;

const LABEL = /^(?:info:doi\/|urn:doi:|doi\s*(?:[:=]\s*)?(?=10\.))/i;

/** The DOI in lower case, or null. */
export function doiIn(text: string): string | null {
  const path = RESOLVER.exec(text)?.[1];
  if (path !== undefined) return doiOf(`https://doi.org/${path}`);
  return doiOf(text.replace(LABEL, ""));
}
