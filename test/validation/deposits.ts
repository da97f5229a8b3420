/**
 * Deposits whose signals, citations and second source are chosen by the test, so that the results of the validation are known in
 * advance.
 */

import type { Capture } from "../support/temporary-store.ts";

/**
 * Returns for each of six parts of the metadata whether the deposit has it. The result looks random, but is always the same.
 */
function saidBy(index: number): boolean[] {
  let state = (Math.imul(index + 1, 2_654_435_761) >>> 0) ^ 0x5bd1e995;
  return Array.from({ length: 6 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 1;
  });
}

/** Returns a number from 0 to 9 that looks random and is independent of the content of the deposit. */
function chance(index: number): number {
  return (Math.imul(index + 11, 2_246_822_519) >>> 0) % 10;
}

/** Returns the number of citations of a deposit, from its index and from the number of the six parts that it has. */
export type CitationsOf = (index: number, said: number) => number;
export const BY_CHANCE: CitationsOf = (index) => chance(index);
export const BY_WHAT_IS_SAID: CitationsOf = (index, said) => 2 * said + chance(index);

/** Returns DataCite records that were published in three years. */
export function deposits(count: number, readCitations: CitationsOf): Capture[] {
  return Array.from({ length: count }, (_, index) => {
    const said = saidBy(index);
    const citations = readCitations(index, said.filter(Boolean).length);
    return datacite(`10.5072/planted.${index}`, said, {
      citationCount: citations,
      publicationYear: 2020 + (index % 3),
    });
  });
}

/** Returns datasets of Zenodo that DataCite has as well. Every fourth dataset has keywords in Zenodo, but not in DataCite. */
export function twins(count: number): Capture[] {
  return Array.from({ length: count }, (_, index) => {
    const doi = `10.5281/zenodo.${8_000_000 + index}`;
    const keywords = index % 2 === 0 ? ["river", "rain", "invented"] : [];
    const other = index % 4 === 0 ? [false] : [keywords.length > 0];
    const metadata = {
      title: "t",
      publication_date: "2021-03-04",
      resource_type: { type: "dataset" },
      creators: [],
      keywords,
    };
    return [
      { source: "zenodo", sourceId: String(8_000_000 + index), payload: { id: 8_000_000 + index, doi, metadata } },
      datacite(doi, other, { publicationYear: 2021 }),
    ];
  }).flat();
}

function datacite(doi: string, said: readonly boolean[], more: Readonly<Record<string, unknown>>): Capture {
  const [keywords, contributors, description, methods, rights, related] = said;
  const text = (length: number) => "Readings measured along an invented river. ".repeat(length);
  const attributes = {
    doi,
    titles: [{ title: "t" }],
    creators: [{ name: "Example, Ada", nameType: "Personal", givenName: "Ada", familyName: "Example" }],
    publisher: "An invented repository",
    types: { resourceTypeGeneral: "Dataset" },
    subjects: keywords ? [{ subject: "river" }, { subject: "rain" }, { subject: "invented" }] : [],
    contributors: contributors ? [{ name: "Example, Bo", contributorType: "DataCollector" }] : [],
    descriptions: [
      ...(description ? [{ descriptionType: "Abstract", description: text(9) }] : []),
      ...(methods ? [{ descriptionType: "Methods", description: text(3) }] : []),
    ],
    rightsList: rights ? [{ rights: "CC BY 4.0", rightsIdentifier: "cc-by-4.0" }] : [],
    relatedIdentifiers: related
      ? [{ relatedIdentifier: "10.5072/a-paper", relatedIdentifierType: "DOI", relationType: "IsSupplementTo" }]
      : [],
    fundingReferences: [],
    dates: [],
    ...more,
  };
  return { source: "datacite", sourceId: doi, payload: { id: doi, type: "dois", attributes } };
}
