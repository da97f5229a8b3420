/** Reads the pages of a release by their paths in the table of routes. */

import { pagePath } from "../../api-static/routes/route.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { routedPage } from "../../pipeline/pages/keyed-pages.ts";

/** Returns all pages of the release in a folder, in the order of their paths. */
export async function pagesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const store = await PageStore.open(folder);
  try {
    const pages: [string, Buffer][] = [];
    for (const family of store.families) {
      for (const { key: name, bytes } of store.each(family)) {
        const { route, file, key } = routedPage({ family, key: name });
        pages.push([pagePath(route, file, key), Buffer.from(bytes)]);
      }
    }
    return new Map(pages.sort(([one], [other]) => (one < other ? -1 : 1)));
  } finally {
    store.close();
  }
}

/** Returns the page at a path of the release in a folder. Throws if there is none. */
export async function pageIn(folder: string, path: string): Promise<Buffer> {
  const page = (await pagesIn(folder)).get(path);
  if (page === undefined) throw new Error(`${folder} has no page ${path}`);
  return page;
}
