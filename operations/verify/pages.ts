/** Pages and badges, rendered again from the tables and compared with those the packs have. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rubricExcerpts } from "../../api-static/pages/rubric-excerpts.ts";
import { samplingOf } from "../../api-static/pages/sampling.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { pageOf } from "../../api-static/routes/route.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { type PageAddress, pageAddress, RELEASE_FAMILY } from "../../pipeline/packs/pack-names.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { placeOf } from "../../pipeline/packs/place.ts";
import { explanationsOf } from "../../pipeline/pages/explanations.ts";
import type { PageSink } from "../../pipeline/pages/page-sink.ts";
import { writeRecordPages } from "../../pipeline/pages/record-pages.ts";
import { writeReleasePages } from "../../pipeline/pages/release-pages.ts";
import { writeRepositoryPages } from "../../pipeline/pages/repository-pages.ts";
import { writeResearcherPages } from "../../pipeline/pages/researcher-pages.ts";
import { earlierHistory } from "../../pipeline/previous/earlier-history.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type MetricsSnapshot, metricsHistory } from "../../schemas/public/api/metrics.ts";
import { HISTORY_FILE, type Receipt } from "../../schemas/public/release.ts";
import { type Found, report, type Unproven } from "./finding.ts";

const HISTORY = routeNamed("history");

/** `db` holds the tables as they follow from the evidence, under their names. */
export async function verifyPages(
  db: Database,
  folder: string,
  receipt: Receipt,
  predecessors: Store | null,
  found: Found,
  unproven: Unproven,
): Promise<void> {
  const versions = receipt.rubrics.map(({ version }) => version);
  const pages = await PageStore.open(folder);
  try {
    const compared = new ComparedPages(pages);
    await writeRecordPages(db, compared, { from: "r", to: "s" }, await explanationsOf(versions));
    for (const version of versions) await writeResearcherPages(db, compared, { from: "", to: "g" }, version);
    await writeRepositoryPages(db, compared, versions);
    const own: [PageAddress, string][] = [];
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
    for (const [page, text] of own) compared.write(page, text);
    report(found, "page", compared.finish());
    const carried = await readFile(join(folder, HISTORY_FILE), "utf8").catch(() => null);
    const expected = receipt.history ? `${JSON.stringify(history, null, 1)}\n` : null;
    if (carried !== expected) found("page", `${HISTORY_FILE} is not what the tables give`);
  } finally {
    pages.close();
  }
}

/** That of its predecessor where it is at hand; else what the release carries, which then nothing proves. */
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
  const text = await readFile(join(folder, HISTORY_FILE), "utf8").catch(() => "");
  try {
    return metricsHistory.parse(JSON.parse(text)).slice(0, -rubrics.length);
  } catch {
    found("page", `${HISTORY_FILE} cannot be read`);
    return [];
  }
}

/** Takes pages as they should be, and compares them with those of a release, family by family in order. */
class ComparedPages implements PageSink {
  readonly #families = new Map<string, Generator<{ readonly key: string; readonly sha256: Buffer }>>();
  readonly #held = new Map<string, { readonly key: string; readonly sha256: Buffer } | null>();
  readonly #wrong: string[] = [];

  constructor(pages: PageStore) {
    for (const family of pages.families) {
      this.#families.set(family, pages.entries(family));
      this.#advance(family);
    }
  }

  write({ family, key }: PageAddress, text: string): void {
    const place = placeOf(key);
    for (
      let held = this.#held.get(family);
      held && placeOf(held.key).compare(place) < 0;
      held = this.#advance(family)
    ) {
      this.#tell(`${nameOf(family, held.key)} is a page of nothing in the tables`);
    }
    const held = this.#held.get(family);
    if (held?.key !== key) {
      this.#tell(`${nameOf(family, key)} should be there`);
      return;
    }
    if (!hash("sha256", text, "buffer").equals(held.sha256)) {
      this.#tell(`${nameOf(family, key)} is not what the tables give`);
    }
    this.#advance(family);
  }

  /** What differs; more than anyone lists is left out. */
  finish(): readonly string[] {
    for (const family of this.#families.keys()) {
      for (let held = this.#held.get(family); held; held = this.#advance(family)) {
        this.#tell(`${nameOf(family, held.key)} is a page of nothing in the tables`);
      }
    }
    return this.#wrong;
  }

  #tell(message: string): void {
    if (this.#wrong.length <= 1000) this.#wrong.push(message);
  }

  #advance(family: string) {
    const { done, value } = this.#families.get(family)?.next() ?? { done: true, value: null };
    const held = done === true ? null : value;
    this.#held.set(family, held);
    return held;
  }
}

/** As people read it: the family and the key, or for a page of the release its path. */
function nameOf(family: string, key: string): string {
  return family === RELEASE_FAMILY ? key : `${family}/${key}`;
}
