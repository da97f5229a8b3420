/** Texts that all descriptors of a release share. */

import type { Receipt } from "./release.ts";

export const PUBLICATION = {
  name: "share-scores",
  title: "SHARE scores",
  summary:
    "Data-sharing quality scores of scientific datasets: 25 signals of each, judged from its metadata, with the evidence behind every one, and the researchers, institutions and countries they add up to.",
  publisher: "SHARE scoring service",
  keywords: ["research data", "data sharing", "metadata quality", "FAIR", "open science"],
} as const;

/** The default licence of scores, an SPDX id. Scores are facts without copyright. */
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
