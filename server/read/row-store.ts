/**
 * The rows that lists show, in an SQLite file. To read twenty rows from twenty places of wide tables, DuckDB takes longer than to find
 * out which rows a page has; SQLite takes a hundredth of that.
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Cell, Database } from "../../pipeline/engine/open.ts";
import { textOfRow } from "../../pipeline/pages/columns.ts";
import { COUNTRY, INSTITUTION, LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "../../pipeline/pages/listings.ts";
import { LIST_NAMES, type ListName } from "../../schemas/public/api/lists.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES } from "../../schemas/public/tables.ts";
import { SHARED_COLUMNS, TABLES } from "./list-tables.ts";

/** The columns of a row, in their order: those that are the same under every version come first. */
const COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: [...LISTED_RECORD, ...LISTED_SCORE],
  authors: RESEARCHER,
  institutions: INSTITUTION,
  geography: COUNTRY,
};

const AGGREGATES = {
  authors: { ...AGGREGATE_TABLES.researcher, id: "id" },
  institutions: { ...AGGREGATE_TABLES.institution, id: "id" },
  geography: { ...AGGREGATE_TABLES.country, id: "country_code" },
} as const;

/** Number of rows in a text of the file. More would be faster to write, and fewer to read. */
const ROWS_OF_TEXT = 16;

/** Number of rows that a statement reads, so that memory does not grow with the list. A multiple of ROWS_OF_TEXT. */
const ROWS_OF_STATEMENT = 65_536;

/** A text of the file differs from the one that was written. */
export class DamagedRows extends Error {
  readonly code = "ERR_DAMAGED_ROWS";
}

export class RowStore {
  readonly #file: DatabaseSync;
  readonly #texts: ReadonlyMap<ListName, StatementSync>;
  readonly #versions: readonly PublicVersion[];

  /** Opens a finished file, or a new one to write. `versions` are those of the release. */
  constructor(path: string, versions: readonly PublicVersion[], mode: "read" | "write") {
    this.#file = new DatabaseSync(path, { readOnly: mode === "read" });
    this.#versions = versions;
    if (mode === "write") {
      // An unfinished file is never used, so it needs no journal.
      this.#file.exec("pragma page_size = 8192; pragma journal_mode = off; pragma locking_mode = exclusive");
      for (const list of LIST_NAMES)
        this.#file.exec(`create table ${list} (place integer primary key, crc integer not null, rows text not null)`);
    }
    this.#texts = new Map(
      LIST_NAMES.map((list) => [list, this.#file.prepare(`select crc, rows from ${list} where place = ?`)]),
    );
  }

  /** Writes the rows of all lists from the prepared tables. `signal` cancels between two statements. */
  async write(db: Database, signal: AbortSignal): Promise<void> {
    this.#file.exec("begin");
    for (const list of LIST_NAMES) {
      const insert = this.#file.prepare(`insert into ${list} values (?, ?, ?)`);
      const sql = this.#rowsSql(list);
      const [known] = await db.rows(`select cast(count(*) as integer) as rows from ${TABLES.texts(list)}`);
      for (let from = 0; from < Number(known?.rows); from += ROWS_OF_STATEMENT) {
        signal.throwIfAborted();
        const rows = (await db.rows(sql, { from, to: from + ROWS_OF_STATEMENT - 1 })).map(({ row }) => String(row));
        for (let i = 0; i < rows.length; i += ROWS_OF_TEXT) {
          const text = rows.slice(i, i + ROWS_OF_TEXT).join("\n");
          insert.run((from + i) / ROWS_OF_TEXT, crc32(text), text);
        }
      }
    }
    this.#file.exec("commit");
  }

  /** Returns SQL for the rows from position $from to $to, in this order. Positions have no gaps. */
  #rowsSql(list: ListName): string {
    const shared = SHARED_COLUMNS[list].map((name) => `texts.${name}`);
    const figures = this.#versions.flatMap((_, i) =>
      figureColumns(list).map((name) => figureSql(list, name, `of${i}`)),
    );
    const texts = `(select * from ${TABLES.texts(list)} where position between $from and $to)`;
    const joins = this.#versions.map(
      (version, i) => `left join (${figuresSql(list, version)}) as of${i} using (position)`,
    );
    return `select ${textOfRow([...shared, ...figures])} as row from ${texts} as texts ${joins.join(" ")} order by position`;
  }

  /**
   * Reads the cells of rows, as listings.ts needs them.
   * @throws DamagedRows
   */
  read(list: ListName, version: PublicVersion, positions: readonly number[]): Cell[][] {
    const figures = figureColumns(list);
    const start = SHARED_COLUMNS[list].length + figures.length * this.#versions.indexOf(version);
    const places = COLUMNS[list].map((name) => {
      const shared = SHARED_COLUMNS[list].indexOf(name);
      return shared < 0 ? start + figures.indexOf(name) : shared;
    });
    return positions.map((position) => {
      const found = this.#texts.get(list)?.get(Math.floor(position / ROWS_OF_TEXT));
      const text = String(found?.rows ?? "");
      if (crc32(text) !== found?.crc) throw new DamagedRows(`row ${position} of ${list} is damaged`);
      const cells: readonly Cell[] = JSON.parse(text.split("\n")[position % ROWS_OF_TEXT] ?? "[]");
      return places.map((place) => cells[place] ?? null);
    });
  }

  close(): void {
    this.#file.close();
  }
}

function figureColumns(list: ListName): string[] {
  return COLUMNS[list].filter((name) => !SHARED_COLUMNS[list].includes(name));
}

/** Returns SQL for the figures of the rows from position $from to $to, with their positions. */
function figuresSql(list: ListName, version: PublicVersion): string {
  if (list === "records") return `select * from ${TABLES.listed(list, version)} where position between $from and $to`;
  const { name, id } = AGGREGATES[list];
  return `select texts.position, ${name}.* from ${name} join ${TABLES.texts(list)} as texts on texts.${id} = ${name}.${id}
    where rubric = '${version}' and texts.position between $from and $to`;
}

/** Returns SQL for a figure. Means become exact text. */
function figureSql(list: ListName, name: string, alias: string): string {
  const types: Readonly<Record<string, string>> = list === "records" ? {} : AGGREGATES[list].columns;
  return types[name] === "hundredths" ? `${alias}.${name}::varchar` : `${alias}.${name}`;
}
