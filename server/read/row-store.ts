/**
 * The rows that lists show, in an SQLite file. The twenty rows of a page are at twenty places of wide tables. DuckDB
 * would take longer to read them there than to find out which rows the page has; SQLite takes a hundredth of that time.
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Cell, Database } from "../../pipeline/engine/open.ts";
import { textOfRow } from "../../pipeline/pages/columns.ts";
import { COUNTRY, INSTITUTION, LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "../../pipeline/pages/listings.ts";
import { LIST_NAMES, type ListName } from "../../schemas/public/api/lists.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATES, END, SHARED_COLUMNS, TABLES } from "./list-tables.ts";

/** The columns of a row that a list shows, in order. Columns that are the same under every version come first. */
const COLUMNS: Readonly<Record<ListName, readonly string[]>> = {
  records: [...LISTED_RECORD, ...LISTED_SCORE],
  authors: RESEARCHER,
  institutions: INSTITUTION,
  geography: COUNTRY,
};

/** Returns the column by which the tables with the texts and with the figures of a list are sorted and joined. */
function keyColumn(list: ListName): string {
  return list === "records" ? "position" : AGGREGATES[list].id;
}

/** Number of rows that are compressed together, as one text. More rows would take less space, but more time to read. */
const ROWS_OF_TEXT = 16;

/**
 * Number of rows that a statement reads, so that memory does not grow with the list. It is a multiple of ROWS_OF_TEXT.
 */
const ROWS_OF_STATEMENT = 65_536;

/** Options that add a checksum to each compressed text, because SQLite has no checksums. */
const WITH_CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 1 } };

/** The error for a file of rows that has too few rows, or other rows than were written. */
export class DamagedRows extends Error {
  readonly code = "ERR_DAMAGED_ROWS";
}

export class RowStore {
  readonly #file: DatabaseSync;
  readonly #texts: ReadonlyMap<ListName, StatementSync>;
  readonly #versions: readonly PublicVersion[];

  /** Opens a finished file, or creates a file to write. `versions` are the public versions of the release. */
  constructor(path: string, versions: readonly PublicVersion[], mode: "read" | "write") {
    this.#file = new DatabaseSync(path, { readOnly: mode === "read" });
    this.#versions = versions;
    if (mode === "write") {
      // An unfinished file is never used, so its journal need not survive.
      this.#file.exec("pragma journal_mode = memory; pragma locking_mode = exclusive");
      for (const list of LIST_NAMES)
        this.#file.exec(`create table ${list} (place integer primary key, rows blob not null)`);
    }
    this.#texts = new Map(
      LIST_NAMES.map((list) => [list, this.#file.prepare(`select rows from ${list} where place = ?`)]),
    );
  }

  /** Writes the rows of all lists from the prepared tables. `signal` cancels between two statements. */
  async write(db: Database, signal: AbortSignal): Promise<void> {
    this.#file.exec("begin");
    for (const list of LIST_NAMES) {
      const insert = this.#file.prepare(`insert into ${list} values (?, ?)`);
      const sql = this.#rowsSql(list);
      const ranges = await listRanges(db, list);
      let next = ranges[0] === undefined ? Promise.resolve([]) : db.rows(sql, ranges[0]);
      for (const [i] of ranges.entries()) {
        const texts = await next;
        signal.throwIfAborted();
        // DuckDB reads the next rows while these are compressed.
        const following = ranges[i + 1];
        if (following !== undefined) next = db.rows(sql, following);
        // If writing fails, nothing waits for the next rows, so an error of theirs is ignored.
        next.catch(() => undefined);
        for (const { place, rows } of texts) insert.run(Number(place), zstdCompressSync(String(rows), WITH_CHECKSUM));
      }
    }
    this.#file.exec("commit");
  }

  /**
   * Returns SQL for the texts of a range of rows. A text has several rows as JSON, in the order of their positions,
   * which have no gaps.
   */
  #rowsSql(list: ListName): string {
    const shared = SHARED_COLUMNS[list].map((name) => `texts.${name}`);
    const figures = this.#versions.flatMap((_, i) =>
      figureColumns(list).map((name) => figureSql(list, name, `of${i}`)),
    );
    const key = keyColumn(list);
    const within = `${key} >= $first and ${key} < $end`;
    const joins = this.#versions.map(
      (version, i) =>
        `left join (select * from ${figuresTable(list, version)} and ${within}) as of${i} on of${i}.${key} = texts.${key}`,
    );
    return `select texts.position // ${ROWS_OF_TEXT} as place,
        string_agg(${textOfRow([...shared, ...figures])}, chr(10) order by texts.position) as rows
      from (select * from ${TABLES.texts(list)} where ${within}) as texts
      ${joins.join(" ")} group by place order by place`;
  }

  /**
   * Reads the cells of rows, in the order that the functions of pipeline/pages/listings.ts expect.
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
      const rows = this.#readText(list, Math.floor(position / ROWS_OF_TEXT)).split("\n");
      const cells: readonly Cell[] = JSON.parse(rows[position % ROWS_OF_TEXT] ?? "[]");
      return places.map((place) => cells[place] ?? null);
    });
  }

  #readText(list: ListName, place: number): string {
    const packed = this.#texts.get(list)?.get(place)?.rows;
    if (!(packed instanceof Uint8Array)) throw new DamagedRows(`the list ${list} has no rows at place ${place}`);
    try {
      return zstdDecompressSync(packed).toString();
    } catch (cause) {
      throw new DamagedRows(`the rows of ${list} at place ${place} are damaged`, { cause });
    }
  }

  close(): void {
    this.#file.close();
  }
}

function figureColumns(list: ListName): string[] {
  return COLUMNS[list].filter((name) => !SHARED_COLUMNS[list].includes(name));
}

function figuresTable(list: ListName, version: PublicVersion): string {
  return list === "records"
    ? `${TABLES.listed(list, version)} where true`
    : `${AGGREGATES[list].table.name} where rubric = '${version}'`;
}

type Range = Readonly<Record<"first" | "end", string | number>>;

/**
 * Returns the bounds of the rows that each statement reads. They are positions for records, and ids for the other
 * lists.
 */
async function listRanges(db: Database, list: ListName): Promise<Range[]> {
  const rows = await db.rows(
    `select position, ${keyColumn(list)} as first from ${TABLES.texts(list)}
     where position % ${ROWS_OF_STATEMENT} = 0 order by position`,
  );
  const starts = rows.map(({ first }) => (typeof first === "number" ? first : String(first)));
  return starts.map((first, i) => {
    const end = starts[i + 1] ?? (typeof first === "number" ? first + ROWS_OF_STATEMENT : END);
    return { first, end };
  });
}

/** Returns SQL for a figure. Averages become text, so that their decimals stay exact. */
function figureSql(list: ListName, name: string, alias: string): string {
  const types: Readonly<Record<string, string>> = list === "records" ? {} : AGGREGATES[list].table.columns;
  return types[name] === "hundredths" ? `${alias}.${name}::varchar` : `${alias}.${name}`;
}
