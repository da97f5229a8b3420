/** The part that all descriptors of a release say alike: the words it is published under. */

/** Words for people and catalogues. */
export const PUBLICATION = {
  name: "share-scores",
  title: "SHARE scores",
  summary:
    "Data-sharing quality scores of scientific datasets: 25 signals of each, judged from its metadata, with the evidence behind every one, and the researchers, institutions and countries they add up to.",
  publisher: "SHARE scoring service",
  keywords: ["research data", "data sharing", "metadata quality", "FAIR", "open science"],
} as const;

/**
 * The licence that scores are published under unless a build says otherwise, as an id of SPDX: they are facts, for
 * anybody to use.
 */
export const DEFAULT_DATA_LICENCE = "CC0-1.0";

/** Descriptors of a release, each at its root, where those who read them look. */
export const DESCRIPTORS = {
  datapackage: "datapackage.json",
  roCrate: "ro-crate-metadata.json",
  croissant: "croissant.json",
  citation: "CITATION.cff",
  report: "report.html",
} as const;
