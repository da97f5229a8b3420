/** A licence statement as evidence: the text given, its SPDX id, and what that licence allows. */

import type { Evidence } from "../../schemas/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";

type LicenceEvidence = Pick<Evidence, "license_text" | "license_spdx" | "license_permissive" | "license_open">;

/** One licence statement in its several spellings (id, URL, name), the most exact first. */
export type LicenceStatement = readonly string[];

/** Reads the first statement that names an SPDX licence, else the first at all; none = carried, and none. */
export function readLicence(statements: readonly LicenceStatement[], vocabularies: Vocabularies): LicenceEvidence {
  for (const texts of statements) {
    const spdx = vocabularies.licences.resolve(texts);
    if (spdx === "") continue;
    return {
      license_text: texts[0] ?? spdx,
      license_spdx: spdx,
      license_permissive: vocabularies.licences.isPermissive(spdx),
      license_open: vocabularies.licences.isOpen(spdx),
    };
  }
  return { license_text: statements[0]?.[0] ?? "", license_spdx: "", license_permissive: false, license_open: false };
}
