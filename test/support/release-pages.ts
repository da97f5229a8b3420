/** The pages of a release by the paths that a tree of files has for them. */

import { PageStore } from "../../pipeline/packs/page-store.ts";
import { treePath } from "../../pipeline/pages/tree-path.ts";

/** All of them, in order of path. */
export async function pagesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const store = await PageStore.open(folder);
  try {
    const pages: [string, Buffer][] = [];
    for (const family of store.families) {
      for (const { key, bytes } of store.each(family)) pages.push([treePath({ family, key }), Buffer.from(bytes)]);
    }
    return new Map(pages.sort(([one], [other]) => (one < other ? -1 : 1)));
  } finally {
    store.close();
  }
}

/** One of them. */
export async function pageIn(folder: string, path: string): Promise<Buffer> {
  const page = (await pagesIn(folder)).get(path);
  if (page === undefined) throw new Error(`${folder} has no page ${path}`);
  return page;
}
