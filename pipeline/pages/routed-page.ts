/** The route that a page answers, from its pack and key. */

import type { Page } from "../../api-static/pages/read-page.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { type PageFile, pagePath, type Route } from "../../api-static/routes/route.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import { type PageAddress, type PlaceRange, pageAddress, RELEASE_FAMILY } from "../packs/format.ts";
import { explanationsOf, writeRecordPages } from "./record-pages.ts";
import { writeResearcherPages } from "./researcher-pages.ts";

/** A page as the table of routes knows it. */
export interface RoutedPage {
  readonly route: Route;
  readonly file: PageFile;
  /** What stands for the path parameter; empty where there is none. */
  readonly key: string;
}

const PAGES = ROUTES.flatMap((route) => route.pages.map((file) => ({ route, file })));

const BY_FAMILY = new Map(
  PAGES.filter(({ route }) => route.subject !== "release").map((page) => [
    pageAddress(page.route, page.file, "").family,
    page,
  ]),
);

/** Pages of the release; those without a key come first, whose paths a key could spell. */
const OF_RELEASE = PAGES.filter(({ route }) => route.subject === "release").sort(
  (one, other) => Number(one.route.key !== null) - Number(other.route.key !== null),
);

/** @throws Error where no route has such a page */
export function routedPage({ family, key }: PageAddress): RoutedPage {
  const page = BY_FAMILY.get(family);
  if (page !== undefined) return { ...page, key };
  for (const { route, file } of family === RELEASE_FAMILY ? OF_RELEASE : []) {
    const [before = "", after = ""] = file.path.split("{key}");
    const inside = route.key === null ? "" : key.slice(before.length, key.length - after.length);
    if (pagePath(route, file, inside) === key) return { route, file, key: inside };
  }
  throw new Error(`no route has the page ${key} of ${family}`);
}

/** Where pages go: packs of a build under way, or digests that are compared. */
export interface PageSink {
  /** Takes one page. The keys of a family come in the order of their places (pipeline/packs/format.ts). */
  write(page: PageAddress, text: Page): void;
}

export interface RangeOfPages {
  readonly subject: "record" | "researcher";
  readonly range: PlaceRange;
  readonly versions: readonly PublicVersion[];
  /** Where researchers and their lists are laid down (listings.ts). */
  readonly listings: string;
}

export async function writePages(
  db: Database,
  sink: PageSink,
  { subject, range, versions, listings }: RangeOfPages,
): Promise<void> {
  if (subject === "record") {
    const ids = { from: `r${range.from}`, to: `r${range.to}` };
    await writeRecordPages(db, sink, ids, await explanationsOf(versions));
    return;
  }
  for (const version of versions) await writeResearcherPages(db, sink, { folder: listings, range }, version);
}
