/** Renders pages that name the release again from its tables, and compares them. The digest cannot cover them. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { samplingOf } from "../../api-static/pages/metrics.ts";
import type { Page } from "../../api-static/pages/read-page.ts";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { pageOf } from "../../api-static/routes/route.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { type PageAddress, pageAddress, placeOf, RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { earlierHistory } from "../../pipeline/pages/previous-release.ts";
import { writeReleasePages } from "../../pipeline/pages/release-pages.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type MetricsSnapshot, metricsHistory } from "../../schemas/public/api/metrics.ts";
import { HISTORY_FILE, type ManifestLine, type Receipt } from "../../schemas/public/release.ts";
import { type Found, report, type Unproven } from "./finding.ts";
import { ComparedPages } from "./pages-worker.ts";

const HISTORY = routeNamed("history");

/** `db` has the tables of the release under their names; `packs` are the packs in its manifest. */
export async function verifyReleasePages(
  db: Database,
  folder: string,
  packs: readonly ManifestLine[],
  receipt: Receipt,
  predecessors: Store | null,
  found: Found,
  unproven: Unproven,
): Promise<void> {
  const own: [PageAddress, Page][] = [];
  const history = await writeReleasePages(
    db,
    { write: (page, text) => void own.push([page, text]) },
    {
      excerpts: rubricExcerpts(receipt),
      sampling: samplingOf(receipt.sources),
      attribution: receipt.attribution !== null,
      history: await historyBefore(folder, receipt, predecessors, found, unproven),
    },
  );
  own.sort(([one], [other]) => placeOf(one.key).compare(placeOf(other.key)));
  const pages = PageStore.ofLines(folder, packs);
  try {
    const compared = new ComparedPages(pages, [RELEASE_FAMILY]);
    for (const [page, text] of own) compared.write(page, text);
    report(found, "page", compared.finish());
  } finally {
    pages.close();
  }
  const carried = await readFile(join(folder, HISTORY_FILE), "utf8").catch(() => null);
  const expected = receipt.history ? `${JSON.stringify(history, null, 1)}\n` : null;
  if (carried !== expected) found("page", `${HISTORY_FILE} does not match the tables`);
}

/** Returns the history of the predecessor, or the release's own copy, which is then unproven. */
async function historyBefore(
  folder: string,
  receipt: Receipt,
  predecessors: Store | null,
  found: Found,
  unproven: Unproven,
): Promise<MetricsSnapshot[] | null> {
  const { history, previousReleaseDigest: previous, rubrics } = receipt;
  if (!history) return null;
  if (previous === null) return [];
  const known = predecessors === null ? null : await earlierHistory(predecessors, previous);
  if (known !== null) return known;
  unproven(HISTORY_FILE);
  for (const { version } of rubrics) unproven(pageAddress(HISTORY, pageOf(HISTORY, version), "").key);
  const carried = await historyIn(folder);
  if (carried === null) {
    found("page", `${HISTORY_FILE} cannot be read`);
    return [];
  }
  const before = carried.slice(0, -rubrics.length);
  if (predecessors !== null) await verifyAtHand(before, predecessors, found);
  return before;
}

/** Compares the history with earlier releases in the store, if the predecessor is missing. */
async function verifyAtHand(before: readonly MetricsSnapshot[], store: Store, found: Found): Promise<void> {
  for (const snapshot of before) {
    const own = await historyIn(store.release(snapshot.releaseDigest));
    const snapshots = own
      ?.filter(({ releaseDigest }) => releaseDigest === snapshot.releaseDigest)
      .map((each) => JSON.stringify(each));
    if (snapshots !== undefined && !snapshots.includes(JSON.stringify(snapshot)))
      found("page", `${HISTORY_FILE} does not match ${snapshot.releaseDigest} under SHARE ${snapshot.rubric}`);
  }
}

async function historyIn(folder: string): Promise<MetricsSnapshot[] | null> {
  try {
    return metricsHistory.parse(JSON.parse(await readFile(join(folder, HISTORY_FILE), "utf8")));
  } catch {
    return null;
  }
}
