/**
 * Links for programs on the page of a dataset: FAIR Signposting, level 1 as a `Link` header and level 2 as a link set
 * (RFC 9264).
 */

import { LINKSET_TYPE } from "../../api-static/routes/route.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import { datasetName } from "../components/record-rows.ts";

type Relation = "author" | "cite-as" | "describedby" | "license" | "type";

interface Signpost {
  readonly to: string;
  readonly relation: Relation;
  readonly type?: string;
}

function linksetPath(id: string): string {
  return `/datasets/${id}/linkset`;
}

/** Returns the value of the `Link` header. `licence` is the URL of the record's licence; null if unknown. */
export function signposts(record: RecordDetail, licence: string | null): string {
  return [
    ...listPosts(record, licence).map(({ to, relation, type }) => headerText(to, relation, type)),
    headerText(linksetPath(record.id), "linkset", LINKSET_TYPE),
  ].join(", ");
}

/** Returns the link set of a dataset with its authors. Its URLs are absolute, because a copy may be read elsewhere. */
export function buildLinkset(record: RecordDetail, licence: string | null, origin: string): object {
  const page = `${origin}/datasets/${record.id}`;
  const posts = [...listAuthorLinks(record), ...listPosts(record, licence)];
  const relations = [...new Set(posts.map(({ relation }) => relation))].toSorted();
  const targets = (relation: Relation) =>
    posts
      .filter((post) => post.relation === relation)
      .map(({ to, type }) => ({ href: new URL(to, origin).href, ...(type === undefined ? {} : { type }) }));
  return {
    linkset: [
      { anchor: page, ...Object.fromEntries(relations.map((relation) => [relation, targets(relation)])) },
      { anchor: `${origin}/records/${record.id}`, describes: [{ href: page, type: "text/html" }] },
    ],
  };
}

function listPosts({ id, doi }: RecordDetail, licence: string | null): Signpost[] {
  return [
    ...(doi === null ? [] : [{ to: doiAddress(doi), relation: "cite-as" } as const]),
    { to: `/records/${id}`, relation: "describedby", type: "application/ld+json" },
    { to: `/records/${id}`, relation: "describedby", type: "application/json" },
    ...(licence === null ? [] : [{ to: licence, relation: "license" } as const]),
    { to: "https://schema.org/AboutPage", relation: "type" },
    { to: "https://schema.org/Dataset", relation: "type" },
  ];
}

/** Returns links to the creators who have an ORCID iD. */
function listAuthorLinks({ authors }: RecordDetail): Signpost[] {
  const known = new Set(authors.flatMap(({ orcid }) => (orcid === null ? [] : [orcid])));
  return [...known].map((orcid) => ({ to: `https://orcid.org/${orcid}`, relation: "author" }));
}

/** Returns one link of the `Link` header. `to` is a serialised URL, which contains no `>`. */
function headerText(to: string, relation: string, type: string | undefined): string {
  return `<${to}>; rel="${relation}"${type === undefined ? "" : `; type="${type}"`}`;
}

const MAX_NAMES = 50;

/** Returns the schema.org description of a dataset. Its score is not a `Rating`, which schema.org defines as an opinion. */
export function datasetLinkedData(record: RecordDetail, origin: string): Record<string, unknown> {
  const { doi, url, pubDate, license, version, authors, repository, identifier, score, id } = record;
  const known = {
    "@context": "https://schema.org",
    "@type": "Dataset",
    name: datasetName(record),
    url: doi === null ? (url ?? `${origin}/datasets/${id}`) : doiAddress(doi),
    identifier: doi === null ? identifier : doiAddress(doi),
    datePublished: pubDate,
    license,
    version,
    creator: authors.slice(0, MAX_NAMES).map(({ name, orcid }) => ({
      "@type": "Person",
      name,
      ...(orcid === null ? {} : { sameAs: `https://orcid.org/${orcid}` }),
    })),
    includedInDataCatalog: repository === null ? null : { "@type": "DataCatalog", name: repository },
    additionalProperty:
      score === null
        ? null
        : { "@type": "PropertyValue", name: "SHARE score", value: score.total, minValue: 0, maxValue: record.cap },
    subjectOf: { "@type": "WebPage", url: `${origin}/datasets/${id}` },
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}
