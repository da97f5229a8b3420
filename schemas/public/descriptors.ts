/** Texts that occur in every file that describes a release. */

import type { Receipt } from "./release.ts";

export const PUBLICATION = {
  name: "share-scores",
  title: "SHARE scores",
  summary:
    "Data-sharing quality scores of scientific datasets: 25 signals of each, judged from its metadata, with the evidence behind every one, and the researchers, institutions and countries they add up to.",
  publisher: "SHARE scoring service",
  keywords: ["research data", "data sharing", "metadata quality", "FAIR", "open science"],
} as const;

/** SPDX id of the default licence of scores. Scores are facts, to which copyright does not apply. */
export const DEFAULT_DATA_LICENCE = "CC0-1.0";

export const DESCRIPTORS = {
  datapackage: "datapackage.json",
  roCrate: "ro-crate-metadata.json",
  croissant: "croissant.json",
  citation: "CITATION.cff",
  report: "report.html",
} as const;

/** Returns the citation of a release in one line. */
export function citationText(release: Pick<Receipt, "scoreReleaseVersion" | "releaseDigest" | "asOf">): string {
  const { scoreReleaseVersion, releaseDigest, asOf } = release;
  return `${PUBLICATION.publisher} (${asOf.slice(0, 4)}). ${PUBLICATION.title}, version ${scoreReleaseVersion}. ${releaseDigest}`;
}
