/** Where things stand for programs that come to the page of a dataset: FAIR Signposting, level 1, for a `Link` header. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";

interface Signpost {
  readonly to: string;
  readonly relation: "cite-as" | "describedby" | "license" | "type";
  readonly type?: string;
}

/** One value for all. `licence`: address of the licence named in the record, null where it names none that has one. */
export function signposts({ id, doi }: RecordDetail, licence: string | null): string {
  const posts: readonly (Signpost | null)[] = [
    doi === null ? null : { to: `https://doi.org/${doi}`, relation: "cite-as" },
    { to: `/records/${id}`, relation: "describedby", type: "application/ld+json" },
    { to: `/records/${id}`, relation: "describedby", type: "application/json" },
    licence === null ? null : { to: licence, relation: "license" },
    { to: "https://schema.org/AboutPage", relation: "type" },
    { to: "https://schema.org/Dataset", relation: "type" },
  ];
  return posts.flatMap((post) => (post === null ? [] : [textOf(post)])).join(", ");
}

/** An address as a header may have it: nothing in it ends it. */
function textOf({ to, relation, type }: Signpost): string {
  return `<${encodeURI(to)}>; rel="${relation}"${type === undefined ? "" : `; type="${type}"`}`;
}
