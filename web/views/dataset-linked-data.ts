/** A dataset for search engines (schema.org/Dataset), and its citation for people. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";

const MOST_NAMES = 50;

/** The score is no `Rating`: that is somebody's opinion of an item, by its definition, and this is a measurement. */
export function datasetLinkedData(record: RecordDetail, origin: string): Record<string, unknown> {
  const { title, doi, url, pubDate, license, version, authors, repository, identifier, score, id } = record;
  const known = {
    "@context": "https://schema.org",
    "@type": "Dataset",
    name: title ?? identifier,
    url: doi === null ? (url ?? `${origin}/datasets/${id}`) : doiAddress(doi),
    identifier: doi === null ? identifier : doiAddress(doi),
    datePublished: pubDate,
    license,
    version,
    creator: authors.slice(0, MOST_NAMES).map(({ name, orcid }) => ({
      "@type": "Person",
      name,
      ...(orcid === null ? {} : { sameAs: `https://orcid.org/${orcid}` }),
    })),
    includedInDataCatalog: repository === null ? null : { "@type": "DataCatalog", name: repository },
    additionalProperty:
      score === null
        ? null
        : { "@type": "PropertyValue", name: "SHARE score", value: score.total, minValue: 0, maxValue: 100 },
    subjectOf: { "@type": "WebPage", url: `${origin}/datasets/${id}` },
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}

/** Names, year, title, repository, address: as most styles order them. */
export function citationOf({ authors, pubDate, title, repository, doi, url, identifier }: RecordDetail): string {
  const names = authors.slice(0, 3).map(({ name }) => name);
  const who = authors.length > 3 ? [...names, "et al."] : names;
  const at = doi === null ? (url ?? identifier) : doiAddress(doi);
  return [
    who.join("; "),
    `(${pubDate?.slice(0, 4) ?? "n.d."})`,
    `${title ?? identifier}.`,
    repository === null ? null : `${repository}.`,
    at,
  ]
    .filter((part) => part !== null && part !== "")
    .join(" ");
}
