/** Parameters that people spell in many ways, each read to one. */

import { doiIn } from "../../../pipeline/identifiers/parse.ts";
import { orcidOf } from "../../../pipeline/reading/identifiers.ts";

interface Spelling {
  /** The one spelling; null for what is none. */
  readonly read: (text: string) => string | null;
  readonly wanted: string;
}

/** Spellings by the name of the parameter, the same at every address. */
export const SPELLINGS: Readonly<Record<string, Spelling>> = {
  doi: { read: (text) => doiIn(text.trim()), wanted: "must be a DOI such as 10.5072/example, or its address" },
  orcid: {
    read: orcidOf,
    wanted: "must be an ORCID iD such as 0000-0002-1825-0097, or its address; its last character is a check digit",
  },
};
