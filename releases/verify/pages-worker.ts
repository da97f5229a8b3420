/** A comparing worker: the pages of one range as they should be, against those that a release has. */

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
  /** Of the release. */
  readonly folder: string;
  readonly packs: readonly ManifestLine[];
  readonly tables: TablePaths;
  readonly memory: string;
  readonly spill: string;
}

/** Answers what differs. */
export async function work(task: ComparingTask): Promise<readonly string[]> {
  const { subject, range, versions, folder, packs, tables, memory, spill } = task;
  const pages = PageStore.over(folder, packs);
  try {
    const db = await openTables(tables, { threads: 1, memory, spill, asMade: true });
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

/** Takes pages as they should be, and compares them with those of a release, family by family in order. */
export class ComparedPages implements PageSink {
  readonly #families = new Map<string, Iterator<Entry>>();
  readonly #held = new Map<string, Entry | null>();
  readonly #wrong: string[] = [];
  readonly #digester = new PageDigester();

  /** Those of some families in the packs of a range. */
  constructor(pages: PageStore, families: readonly string[], range?: PlaceRange) {
    for (const family of families) {
      this.#families.set(family, pages.entries(family, range));
      this.#advance(family);
    }
  }

  write({ family, key }: PageAddress, page: Page): void {
    this.#tellBefore(family, placeOf(key));
    const held = this.#held.get(family);
    if (held?.key !== key) {
      this.#tell(`${nameOf(family, key)} should be there`);
      return;
    }
    if (!this.#digester.sha256(page).equals(held.sha256)) {
      this.#tell(`${nameOf(family, key)} is not what the tables give`);
    }
    this.#advance(family);
  }

  /** What differs; more than anyone lists is left out. */
  finish(): readonly string[] {
    for (const family of this.#families.keys()) this.#tellBefore(family, null);
    return this.#wrong;
  }

  /** Null: all that are left. */
  #tellBefore(family: string, place: Buffer | null): void {
    for (
      let held = this.#held.get(family);
      held && (place === null || placeOf(held.key).compare(place) < 0);
      held = this.#advance(family)
    ) {
      this.#tell(`${nameOf(family, held.key)} is a page of nothing in the tables`);
    }
  }

  #tell(message: string): void {
    if (this.#wrong.length <= MOST_LISTED) this.#wrong.push(message);
  }

  #advance(family: string): Entry | null {
    const next = this.#families.get(family)?.next();
    const held = next === undefined || next.done === true ? null : next.value;
    this.#held.set(family, held);
    return held;
  }
}

/** As people read it: the family and the key, or for a page of the release its path. */
function nameOf(family: string, key: string): string {
  return family === RELEASE_FAMILY ? key : `${family}/${key}`;
}
