/** A licence statement as evidence: the text given, its SPDX id, and what that licence allows. */

import type { Evidence } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";

type LicenceEvidence = Pick<Evidence, "license_text" | "license_spdx" | "license_permissive" | "license_open">;

/** One licence statement: the words it was given in, and all its spellings (id, URL, name), the most exact first. */
export interface LicenceStatement {
  readonly text: string;
  readonly spellings: readonly string[];
}

/**
 * Reads the first statement that names an SPDX licence, else the first that names a Creative Commons licence without its
 * version (its id is unknown, its clauses are the same in every version), else the first at all; none = carried, and none.
 */
export function readLicence(statements: readonly LicenceStatement[], vocabularies: Vocabularies): LicenceEvidence {
  for (const { text, spellings } of statements) {
    const spdx = vocabularies.licences.resolve(spellings);
    if (spdx === "") continue;
    return {
      license_text: text,
      license_spdx: spdx,
      license_permissive: vocabularies.licences.isPermissive(spdx),
      license_open: vocabularies.licences.isOpen(spdx),
    };
  }
  for (const { text, spellings } of statements) {
    const unversioned = vocabularies.licences.resolveUnversioned(spellings);
    if (unversioned === "") continue;
    return {
      license_text: text,
      license_spdx: null,
      license_permissive: vocabularies.licences.isPermissive(unversioned),
      license_open: vocabularies.licences.isOpen(unversioned),
    };
  }
  return { license_text: statements[0]?.text ?? "", license_spdx: "", license_permissive: false, license_open: false };
}
