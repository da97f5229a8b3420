/** Writes CITATION.cff (Citation File Format 1.2) for a release. */

import spdx from "spdx-license-list";
import { PUBLICATION } from "../../schemas/public/descriptors.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { UnsealedRelease } from "./index.ts";

type Cited = Pick<UnsealedRelease["receipt"], "scoreReleaseVersion" | "releaseDigest" | "asOf">;
type Licensed = Cited & Pick<UnsealedRelease["receipt"], "license">;

/** Returns the text of CITATION.cff: YAML in which strings are written as in JSON, which YAML allows. */
export function citationFile(receipt: Licensed): string {
  const { title, publisher, summary, keywords } = PUBLICATION;
  const text = (value: string) => JSON.stringify(value);
  return [
    "cff-version: 1.2.0",
    "type: dataset",
    `message: ${text("If you use these scores, cite the release that contains them. Its version and its digest identify it permanently.")}`,
    `title: ${text(title)}`,
    `abstract: ${text(summary)}`,
    `version: ${text(receipt.scoreReleaseVersion)}`,
    // The as-of date, as in the version. A rebuild has the same date, because it is the same work.
    `date-released: ${text(receipt.asOf)}`,
    "authors:",
    `  - name: ${text(publisher)}`,
    "identifiers:",
    "  - type: other",
    `    value: ${text(receipt.releaseDigest)}`,
    `    description: ${text("Digest of the content of the release")}`,
    `license: ${licenceIn(receipt).id}`,
    "keywords:",
    ...keywords.map((keyword) => `  - ${text(keyword)}`),
    "",
  ].join("\n");
}

interface DataLicence {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/**
 * Returns the licence with this SPDX id, in upper or lower case. Returns null if SPDX does not list it or lists no web page
 * for it.
 */
export function findLicence(id: string): DataLicence | null {
  const known = Object.keys(spdx).find((each) => each.toLowerCase() === id.toLowerCase());
  const entry = known === undefined ? undefined : spdx[known];
  const [url = ""] = entry?.url.trim().split(/\s+/) ?? [];
  if (known === undefined || entry === undefined || !URL.canParse(url)) return null;
  return { id: known, title: entry.name, url };
}

/** Returns the licence of a receipt, for descriptions of the release. */
export function licenceIn({ license }: Pick<Receipt, "license">): DataLicence {
  const licence = findLicence(license ?? "");
  if (licence === null)
    throw new Error(
      `the licence of the release, ${license}, is not an SPDX id with a web page; build again with --licence, for example CC-BY-4.0`,
    );
  return licence;
}
