/** Packs: each read once, every page what its index says, and all of a family the root that the digest covers. */

import { PackDamaged } from "../../pipeline/packs/format.ts";
import { RELEASE_FAMILY } from "../../pipeline/packs/pack-names.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { type Found, report } from "./finding.ts";

/** Answers the roots that the pages give, by family. */
export async function verifyPacks(folder: string, receipt: Receipt, found: Found): Promise<Record<string, string>> {
  const roots: Record<string, string> = {};
  const pages = await PageStore.open(folder).catch(() => null);
  if (pages === null) return roots;
  try {
    for (const family of new Set([...pages.families, ...Object.keys(receipt.content.pages ?? {})])) {
      const root = rootOf(pages, family, found);
      if (family === RELEASE_FAMILY || root === null) continue;
      roots[family] = root;
      const said = receipt.content.pages?.[family];
      if (said !== root) found("pages", `pages/${family} has the root ${root}, the receipt says ${said ?? "nothing"}`);
    }
  } finally {
    pages.close();
  }
  return roots;
}

/** Null where a pack cannot be read to its end. */
function rootOf(pages: PageStore, family: string, found: Found): string | null {
  const wrong: string[] = [];
  try {
    return pages.check(family, (message) => wrong.push(message));
  } catch (error) {
    // A file that is missing was named already.
    if (error instanceof PackDamaged) wrong.push(error.message);
    return null;
  } finally {
    report(found, "page", wrong);
  }
}
