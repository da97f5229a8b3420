/** The pages of the active release about the subject a moderator looks at. */

import { hash } from "node:crypto";
import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { pageOf, type Route } from "../../api-static/routes/route.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { sIndexBasis } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { Subject } from "../../server/accounts/moderation/queue.ts";
import type { Published } from "./moderation-text.ts";

/** A copy of a release may come without its pages, and be of another program: what cannot be read is not said. */
const researcherPage = z.object({
  name: z.string(),
  affiliation: z.string().nullable(),
  orcid: z.string().nullable(),
  sIndex: z.number(),
  sIndexBasis: sIndexBasis.nullable().default(null),
  datasetCount: z.number(),
});
const recordPage = z.object({ title: z.string().nullable(), shareScore: z.number().nullable() });

export async function publishedOf({ researcher, dataset }: Subject, store: Store): Promise<Published> {
  const digest = await currentDigest(store);
  if (digest === null) return { researcher: null, dataset: null };
  const pages = await PageStore.open(store.release(digest));
  const id = dataset === null ? null : `r${hash("sha256", `${dataset.source}/${dataset.sourceId}`).slice(0, 24)}`;
  try {
    return {
      researcher: researcher && pageIn(pages, "author", researcher.slug, researcherPage),
      dataset: id === null ? null : pageIn(pages, "record", id, recordPage),
    };
  } finally {
    pages.close();
  }
}

function pageIn<T>(pages: PageStore, name: string, key: string, schema: z.ZodType<T>): T | null {
  const route: Route = routeNamed(name);
  const page = pages.get(pageAddress(route, pageOf(route, PUBLIC_VERSIONS[0]), key));
  return page === null ? null : (schema.safeParse(JSON.parse(page.bytes.toString("utf8"))).data ?? null);
}
