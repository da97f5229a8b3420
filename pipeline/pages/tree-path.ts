/** Where a page lies in a tree of files, for hosts that can do no more than files: from its pack and key. */

import { ROUTES } from "../../api-static/routes/index.ts";
import { pagePath } from "../../api-static/routes/route.ts";
import { type PageAddress, pageAddress, RELEASE_FAMILY } from "../packs/pack-names.ts";

/** The path below the folder of the tree; the same for the same page in every release. */
export function treePath({ family, key }: PageAddress): string {
  if (family === RELEASE_FAMILY) return key;
  for (const route of ROUTES) {
    const file = route.pages.find((page) => pageAddress(route, page, key).family === family);
    if (file !== undefined) return pagePath(route, file, key);
  }
  throw new Error(`no route has the pages of ${family}`);
}
