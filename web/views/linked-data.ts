/**
 * Where things stand for programs that come to the page of a dataset: FAIR Signposting, level 1 as a `Link` header, level 2 as
 * a set of links of its own (RFC 9264).
 */

import { LINKSET_TYPE } from "../../api-static/routes/route.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";

type Relation = "author" | "cite-as" | "describedby" | "license" | "type";

interface Signpost {
  readonly to: string;
  readonly relation: Relation;
  readonly type?: string;
}

/** Path of the set of links of a dataset's page. */
function linksetPath(id: string): string {
  return `/datasets/${id}/linkset`;
}

/** One value for all. `licence`: address of the licence named in the record, null where it names none that has one. */
export function signposts(record: RecordDetail, licence: string | null): string {
  return [
    ...postsOf(record, licence).map(({ to, relation, type }) => headerText(to, relation, type)),
    headerText(linksetPath(record.id), "linkset", LINKSET_TYPE),
  ].join(", ");
}

/** The same and what a header has no room for, all addresses whole: where it is read is not where it was made. */
export function linksetOf(record: RecordDetail, licence: string | null, origin: string): object {
  const page = `${origin}/datasets/${record.id}`;
  const posts = [...authorsOf(record), ...postsOf(record, licence)];
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

function postsOf({ id, doi }: RecordDetail, licence: string | null): Signpost[] {
  return [
    ...(doi === null ? [] : [{ to: doiAddress(doi), relation: "cite-as" } as const]),
    { to: `/records/${id}`, relation: "describedby", type: "application/ld+json" },
    { to: `/records/${id}`, relation: "describedby", type: "application/json" },
    ...(licence === null ? [] : [{ to: licence, relation: "license" } as const]),
    { to: "https://schema.org/AboutPage", relation: "type" },
    { to: "https://schema.org/Dataset", relation: "type" },
  ];
}

/** Creators who are named by an iD. */
function authorsOf({ authors }: RecordDetail): Signpost[] {
  const known = new Set(authors.flatMap(({ orcid }) => (orcid === null ? [] : [orcid])));
  return [...known].map((orcid) => ({ to: `https://orcid.org/${orcid}`, relation: "author" }));
}

/** Every address is written so that nothing in it ends it. */
function headerText(to: string, relation: string, type: string | undefined): string {
  return `<${to}>; rel="${relation}"${type === undefined ? "" : `; type="${type}"`}`;
}

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
