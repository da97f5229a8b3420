/** Where in a release's list of researchers those are who are left out: looked up once for each set of them. */

import type { ResearcherIds } from "../../people/hidden/researcher-ids.ts";
import { TABLES } from "./lists.ts";
import type { Prepared } from "./prepared.ts";

export class HiddenPositions {
  readonly #prepared: Prepared;
  readonly #known = new WeakMap<ResearcherIds, Promise<string | null>>();

  /** `prepared`: of no request in particular, since what is found is for all. */
  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  /** Positions with commas between them, as one value of a statement; null where the release has none of them. */
  positionsOf(hidden: ResearcherIds): Promise<string | null> {
    if (hidden.size === 0) return Promise.resolve(null);
    const known = this.#known.get(hidden);
    if (known !== undefined) return known;
    const found = this.#find(hidden);
    this.#known.set(hidden, found);
    found.catch(() => this.#known.delete(hidden));
    return found;
  }

  async #find(hidden: ResearcherIds): Promise<string | null> {
    const rows = await this.#prepared.rows(
      `select position from ${TABLES.texts("authors")}
       where id in (select unnest(string_split($ids, ','))) order by position`,
      { ids: [...hidden].join(",") },
    );
    return rows.length === 0 ? null : rows.map(([position]) => Number(position)).join(",");
  }
}
