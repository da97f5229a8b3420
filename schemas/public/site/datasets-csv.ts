/** The first columns in CSV files of datasets. The columns of buckets and signals follow them. */

interface CsvColumn {
  /** The path of the field in a row of the API. */
  readonly path: string;
  readonly meaning: string;
}

export const DATASETS_CSV: Readonly<Record<string, CsvColumn>> = {
  id: { path: "id", meaning: "ID of the dataset on this site" },
  doi: { path: "doi", meaning: "DOI" },
  title: { path: "title", meaning: "Title" },
  repository: { path: "repository", meaning: "Repository" },
  pubDate: { path: "pubDate", meaning: "Date of publication, as precise as the repository states it" },
  license: { path: "license", meaning: "Licence, in the words of the repository" },
  accessStatus: { path: "accessStatus", meaning: "Access, in the words of the repository" },
  countries: {
    path: "countries",
    meaning: "Countries of the creators, as ISO 3166-1 alpha-3 codes with commas between",
  },
  scoreStatus: {
    path: "scoreStatus",
    meaning:
      "scored; insufficient_evidence if too few signals could be judged; failed if the metadata could not be read",
  },
  score: { path: "score.total", meaning: "Score" },
  cap: { path: "cap", meaning: "Highest possible score" },
  shareOfCap: { path: "shareOfCap", meaning: "Score in percent of the highest possible score" },
  least: { path: "range.least", meaning: "Lowest score that is possible while some signals are not known" },
  most: { path: "range.most", meaning: "Highest score that is possible while some signals are not known" },
};
