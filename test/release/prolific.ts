/**
 * Makes records of made-up deposits: by a researcher with more than a hundred datasets, and in repositories with unusual names.
 */

/** A made-up researcher. The ORCID iD has a valid check digit, but is outside the blocks that ORCID assigns. */
export const PROLIFIC = { name: "Abbott, Prudence", orcid: "0000-0005-1299-0002", datasets: 104, versions: 6 } as const;

const LONG = "Readings of a gauge at the mouth of the river, taken by hand every morning at seven over a whole year. ";

export interface Deposit {
  readonly id: number;
  readonly concept?: number;
  readonly keywords?: number;
  readonly sentences?: number;
  readonly creator?: string;
  readonly orcid?: string | null;
}

/** Returns the Zenodo record of a deposit, published in 2024. */
export function zenodoRecord(deposit: Deposit) {
  const {
    id,
    concept = id + 1_000_000,
    keywords = 0,
    sentences = 0,
    creator = PROLIFIC.name,
    orcid = PROLIFIC.orcid,
  } = deposit;
  return {
    created: "2024-05-17T08:00:00.000000+00:00",
    modified: "2024-06-01T10:00:00.000000+00:00",
    updated: "2024-06-01T10:00:00.000000+00:00",
    id,
    conceptrecid: String(concept),
    doi: `10.5072/zenodo.${id}`,
    conceptdoi: `10.5072/zenodo.${concept}`,
    metadata: {
      title: `Gauge readings ${id}`,
      publication_date: "2024-05-17",
      description: LONG.repeat(sentences),
      access_right: "open",
      creators: [{ name: creator, affiliation: null, ...(orcid === null ? {} : { orcid }) }],
      keywords: Array.from({ length: keywords }, (_, i) => `word ${i}`),
      resource_type: { title: "Dataset", type: "dataset" },
    },
    files: [],
    status: "published",
    state: "done",
    submitted: true,
  };
}

/**
 * Returns 104 datasets with many different totals, and second versions of six of them. Three of the second versions have a
 * higher total than the first.
 */
export function prolificRecords() {
  const { datasets, versions } = PROLIFIC;
  const deposits: Deposit[] = Array.from({ length: datasets }, (_, i) => ({
    id: 99_100_000 + i,
    concept: 99_200_000 + i,
    keywords: i % 4,
    sentences: (i >> 2) % 4,
  }));
  const later = deposits.slice(0, versions).map((deposit, i) => ({
    ...deposit,
    id: deposit.id + 5000,
    keywords: i % 2 === 0 ? 5 : 0,
  }));
  return [...deposits, ...later].map(zenodoRecord);
}

/** Returns a DataCite record of a dataset in the repository `publisher`. */
export function dataciteRecord(id: string, publisher: string) {
  const attributes = {
    doi: `10.5072/${id}`,
    creators: [{ name: "Quill, Hester", nameType: "Personal", givenName: "Hester", familyName: "Quill" }],
    titles: [{ title: `Holdings of ${publisher}` }],
    publisher,
    publicationYear: 2023,
    types: { resourceTypeGeneral: "Dataset" },
    state: "findable",
    isActive: true,
    updated: "2025-01-20T12:00:00Z",
  };
  return { id: `10.5072/${id}`, type: "dois", attributes };
}
