/** Rows of a list as the API shows them: fetched for the page alone, made by the functions that pages are made by. */

import { hash } from "node:crypto";
import type { Cell } from "../../../pipeline/engine/open.ts";
import {
  COUNTRY,
  countryRowOf,
  INSTITUTION,
  institutionRowOf,
  LISTED_RECORD,
  LISTED_SCORE,
  RESEARCHER,
  recordRowOf,
  researcherRowOf,
} from "../../../pipeline/pages/listings.ts";
import { loadVocabularies } from "../../../pipeline/vocabularies/index.ts";
import type { CountryRow, InstitutionRow } from "../../../schemas/public/api/attribution.ts";
import type { RecordRow } from "../../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { ResearcherIds } from "../../accounts/hidden/researcher-ids.ts";
import { type ListName, SHARED_COLUMNS, TABLES } from "./lists.ts";
import type { Parameters, Prepared } from "./prepared.ts";
import { ClientGone } from "./turns.ts";

export type ShownRow = RecordRow | ResearcherRow | InstitutionRow | CountryRow;

const COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: [...LISTED_RECORD, ...LISTED_SCORE],
  authors: RESEARCHER,
  institutions: INSTITUTION,
  geography: COUNTRY,
};

/** Rows of a page, at most; of more they are looked up otherwise. */
const MOST_VALUES = 250;

/** The rows found, in their order. */
export async function showRows(
  prepared: Prepared,
  list: ListName,
  version: PublicVersion,
  positions: readonly number[],
): Promise<ShownRow[]> {
  if (positions.length === 0) return [];
  const show = await rowMaker(list, version);
  const rows = await wideRows(prepared, list, version, positions);
  return positions.map((position) => {
    const cells = rows.get(position);
    if (cells === undefined) throw new Error(`the list ${list} has no row at ${position}`);
    return show(cells);
  });
}

async function rowMaker(list: ListName, version: PublicVersion): Promise<(cells: readonly Cell[]) => ShownRow> {
  const { countries } = await loadVocabularies();
  return {
    records: (cells: readonly Cell[]) => recordRowOf(cells, version),
    authors: (cells: readonly Cell[]) => researcherRowOf(cells, version),
    institutions: institutionRowOf,
    geography: (cells: readonly Cell[]) => countryRowOf(cells, countries),
  }[list];
}

/** By lists of values and not by a join with the page: the engine skips every group of rows that has none of them. */
async function wideRows(
  prepared: Prepared,
  list: ListName,
  version: PublicVersion,
  positions: readonly number[],
): Promise<ReadonlyMap<number, readonly Cell[]>> {
  const { where, parameters } = positions.length <= MOST_VALUES ? byValues(positions) : byRange(positions);
  const from = `${TABLES.texts(list)} as texts join ${TABLES.figures(list, version)} as figures using (position)
    where ${where}`;
  const rows = await prepared.rows(`select position, ${columnsOf(list).join(", ")} from ${from}`, parameters);
  return new Map(rows.map(([position, ...cells]) => [Number(position), cells]));
}

/** Which rows of `texts` and `figures` are wanted. */
interface Wanted {
  readonly where: string;
  readonly parameters: Parameters;
}

function byValues(positions: readonly number[]): Wanted {
  const parameters = Object.fromEntries(positions.map((position, i) => [`at${i}`, position]));
  const values = Object.keys(parameters).map((name) => `$${name}`);
  return { where: `texts.position in (${values}) and figures.position in (${values})`, parameters };
}

/** Of thousands a list of values would take longer to read than the rows; those that lie together still skip all others. */
function byRange(positions: readonly number[]): Wanted {
  return {
    where: `texts.position between $least and $most and figures.position between $least and $most
      and texts.position in (select cast(unnest(string_split($at, ',')) as integer))`,
    parameters: { least: Math.min(...positions), most: Math.max(...positions), at: positions.join(",") },
  };
}

function columnsOf(list: ListName): string[] {
  return COLUMNS[list].map((name) => (SHARED_COLUMNS[list].includes(name) ? `texts.${name}` : `figures.${name}`));
}

/** A total is a few hundred bytes with the digest of its key. */
const MOST = 10_000;

/** Numbers of rows by filter: a release never changes, so that one count serves all pages of a list. */
export class Totals {
  readonly #totals = new Map<string, Promise<number>>();
  readonly #most: number;

  /** `most`: filters remembered. */
  constructor(most = MOST) {
    this.#most = most;
  }

  /**
   * The total under a key, counted the first time. Requests at the same time share one count; a failed one is forgotten.
   * `key` may be long: it can hold whatever was searched for.
   */
  async of(key: string, count: () => Promise<number>): Promise<number> {
    const digest = hash("sha256", key, "base64url");
    for (;;) {
      const shared = this.#totals.get(digest);
      if (shared === undefined) return this.#keep(digest, this.#begin(digest, count));
      try {
        return await this.#keep(digest, shared);
      } catch (error) {
        // It was counted for a client that went away: whoever still waits counts anew.
        if (!(error instanceof ClientGone)) throw error;
      }
    }
  }

  #begin(digest: string, count: () => Promise<number>): Promise<number> {
    const total = count();
    total.catch(() => this.#forget(digest, total));
    return total;
  }

  #forget(digest: string, total: Promise<number>): void {
    if (this.#totals.get(digest) === total) this.#totals.delete(digest);
  }

  /** A map keeps the order of insertion: the last used goes to its end, and the first is the oldest. */
  #keep(digest: string, total: Promise<number>): Promise<number> {
    this.#totals.delete(digest);
    this.#totals.set(digest, total);
    for (const oldest of this.#totals.keys()) {
      if (this.#totals.size <= this.#most) break;
      this.#totals.delete(oldest);
    }
    return total;
  }
}

/** Where in a release's list of researchers those are who are left out: looked up once for each set of them. */
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
