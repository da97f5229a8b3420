/** The way to a dataset for who gave a name of it where its id belongs: a DOI, or the identifier of a source. */

import { doiIn, parseIdentifier } from "../../../pipeline/identifiers/parse.ts";

/** As long as the parameters may be that it leads to (interface.md, "GET /records filters"). */
const LONGEST = 512;

/** A sentence with the address that looks `name` up; null where it is no name that could be looked up. */
export function lookUpInstead(name: string): string | null {
  if (name.length > LONGEST) return null;
  const doi = doiIn(name);
  if (doi !== null) return `A DOI is looked up with ?doi=, at /records?doi=${encodeURIComponent(doi)}.`;
  const identifier = parseIdentifier(name);
  if (identifier.kind !== "record") return null;
  const known = encodeURIComponent(`${identifier.source}/${identifier.sourceId}`);
  return `The identifier of a source is looked up with ?identifier=, at /records?identifier=${known}.`;
}
