/** A worker that compares the expected pages of one range with those of a release. */

import type { Page } from "../../api-static/pages/read-page.ts";
import { type PageAddress, type PlaceRange, placeOf, RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import { PageDigester } from "../../pipeline/packs/pack-writer.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { openTables, type TablePaths } from "../../pipeline/pages/columns.ts";
import type { PageSink } from "../../pipeline/pages/keyed-pages.ts";
import { familiesOf, type RangeOfPages, writePages } from "../../pipeline/pages/keyed-pages.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { MOST_LISTED } from "./finding.ts";

export interface ComparingTask extends RangeOfPages {
  /** The release's folder. */
  readonly folder: string;
  readonly packs: readonly ManifestLine[];
  readonly tables: TablePaths;
  readonly memory: string;
  readonly spill: string;
}

/** Returns the differences. */
export async function work(task: ComparingTask): Promise<readonly string[]> {
  const { subject, range, versions, folder, packs, tables, memory, spill } = task;
  const pages = PageStore.ofLines(folder, packs);
  try {
    const db = await openTables(tables, { threads: 1, memory, spill, isOlder: true });
    try {
      const compared = new ComparedPages(pages, familiesOf(subject, versions), range);
      await writePages(db, compared, task);
      return compared.finish();
    } finally {
      db.close();
    }
  } finally {
    pages.close();
  }
}

interface Entry {
  readonly key: string;
  readonly sha256: Buffer;
}

/** Compares expected pages with those of a release, family by family in order. */
export class ComparedPages implements PageSink {
  readonly #families = new Map<string, Iterator<Entry>>();
  readonly #held = new Map<string, Entry | null>();
  readonly #wrong: string[] = [];
  readonly #digester = new PageDigester();

  /** Reads pages of these families in the packs of a range. */
  constructor(pages: PageStore, families: readonly string[], range?: PlaceRange) {
    for (const family of families) {
      this.#families.set(family, pages.entries(family, range));
      this.#advance(family);
    }
  }

  write({ family, key }: PageAddress, page: Page): void {
    this.#tellBefore(family, placeOf(key));
    const actual = this.#held.get(family);
    if (actual?.key !== key) {
      this.#tell(`${nameOf(family, key)} should be there`);
      return;
    }
    if (!this.#digester.sha256(page).equals(actual.sha256)) {
      this.#tell(`${nameOf(family, key)} does not match the tables`);
    }
    this.#advance(family);
  }

  /** Returns the differences, without those beyond the limit. */
  finish(): readonly string[] {
    for (const family of this.#families.keys()) this.#tellBefore(family, null);
    return this.#wrong;
  }

  /** Null means all that are left. */
  #tellBefore(family: string, place: Buffer | null): void {
    for (
      let actual = this.#held.get(family);
      actual && (place === null || placeOf(actual.key).compare(place) < 0);
      actual = this.#advance(family)
    ) {
      this.#tell(`${nameOf(family, actual.key)} is a page without a row in the tables`);
    }
  }

  #tell(message: string): void {
    if (this.#wrong.length <= MOST_LISTED) this.#wrong.push(message);
  }

  #advance(family: string): Entry | null {
    const next = this.#families.get(family)?.next();
    const actual = next === undefined || next.done === true ? null : next.value;
    this.#held.set(family, actual);
    return actual;
  }
}

/** Returns the family and key for people, or the path of a page of the release. */
function nameOf(family: string, key: string): string {
  return family === RELEASE_FAMILY ? key : `${family}/${key}`;
}
