/** The pages of the active release about the subject a moderator looks at. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { hasPage, pageOf, pagePath } from "../../api-static/routes/route.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { sIndexBasis } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { Subject } from "../../server/people/moderation/queue.ts";
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
  const folder = store.release(digest);
  const id = dataset === null ? null : `r${hash("sha256", `${dataset.source}/${dataset.sourceId}`).slice(0, 24)}`;
  return {
    researcher: researcher && (await pageIn(folder, "author", researcher.slug, researcherPage)),
    dataset: id === null ? null : await pageIn(folder, "record", id, recordPage),
  };
}

async function pageIn<T>(folder: string, name: string, key: string, schema: z.ZodType<T>): Promise<T | null> {
  if (!hasPage(key)) return null;
  const route = routeNamed(name);
  const path = join(folder, pagePath(route, pageOf(route, PUBLIC_VERSIONS[0]), key));
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  return schema.safeParse(JSON.parse(text)).data ?? null;
}
