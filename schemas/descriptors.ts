/** What every descriptor of a release says alike: the words and terms under which it is published. */

/** Words for people and catalogues. */
export const PUBLICATION = {
  name: "share-scores",
  title: "SHARE scores",
  summary:
    "Data-sharing quality scores of scientific datasets: 25 signals of each, judged from its metadata, with the evidence behind every one, and the researchers, institutions and countries they add up to.",
  publisher: "SHARE scoring service",
  keywords: ["research data", "data sharing", "metadata quality", "FAIR", "open science"],
  licence: { id: "Apache-2.0", title: "Apache License 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
} as const;

/** Descriptors of a release, each at its root, where those who read them look. */
export const DESCRIPTORS = {
  datapackage: "datapackage.json",
  roCrate: "ro-crate-metadata.json",
  croissant: "croissant.json",
  citation: "CITATION.cff",
  report: "report.html",
} as const;
